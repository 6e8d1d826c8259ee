import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'

/** Tells clients apart for limits: an IPv4 address, or the /64 network of an IPv6 one. */
export type ReadClientAddress = (request: IncomingMessage) => string

/**
 * The client of a request: the peer, or what a trusted proxy says about it. A proxy passes on what it was sent, so text
 * that is no address counts as the peer's.
 */
export const createClientAddress = (
  trustProxy: boolean | string[],
  onUntrustedProxy: (peer: string) => void = () => {},
): ReadClientAddress => {
  const peerOf = (request: IncomingMessage) => request.socket.remoteAddress ?? ''
  if (trustProxy === false) {
    let told = false
    return (request) => {
      const client = clientOf(peerOf(request))
      if (!told && request.headers['x-forwarded-for'] !== undefined && isNearby(client)) {
        told = true
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

/** A proxy of ours is on this machine or in a private network. From a public address the header
 * proves no proxy, since any client can send it. */
const isNearby = (client: string) =>
  /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|0:0:0:0::|f[cd])/.test(client)

/**
 * One household or server usually has a whole /64 of IPv6, so its addresses count as one client. An IPv4 address has the
 * same name in both of its forms.
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
