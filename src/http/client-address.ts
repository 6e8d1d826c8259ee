import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'

/** Identifies a client for rate limits: an IPv4 address, or the /64 network of an IPv6 address. */
export type ReadClientAddress = (request: IncomingMessage) => string

/**
 * The client is the peer, or the address that a trusted proxy forwards. Proxies also forward what clients send, so a
 * forwarded value that is not an IP address is ignored and the peer counts.
 */
export const createClientAddress = (
  trustProxy: boolean | string[],
  onUntrustedProxy: (peer: string) => void = () => {},
): ReadClientAddress => {
  const peerOf = (request: IncomingMessage) => request.socket.remoteAddress ?? ''
  if (trustProxy === false) {
    let hasReported = false
    return (request) => {
      const client = clientOf(peerOf(request))
      if (!hasReported && request.headers['x-forwarded-for'] !== undefined && isPrivate(client)) {
        hasReported = true
        onUntrustedProxy(client)
      }
      return client
    }
  }
  const trusted = trustProxy === true ? () => true : proxyAddr.compile(trustProxy)
  return (request) => {
    const address = proxyAddr(request, trusted)
    return clientOf(isIP(address) === 0 ? peerOf(request) : address)
  }
}

/**
 * A proxy of the operator is on this machine or in a private network. From a public address the header does not prove a
 * proxy, because any client can send it.
 */
const isPrivate = (client: string) =>
  /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|0:0:0:0::|f[cd])/.test(client)

/**
 * One household or server usually has a whole IPv6 /64, so its addresses count as one client. IPv4-mapped IPv6 addresses
 * become plain IPv4.
 */
export const clientOf = (address: string): string => {
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i.exec(address)?.[1]
  return mapped ?? `${networkGroups(address).join(':')}::/64`
}

const networkGroups = (address: string) => {
  const [head = '', tail] = address.toLowerCase().split('::', 2)
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...front, ...Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0'), ...back]
  return groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''))
}
