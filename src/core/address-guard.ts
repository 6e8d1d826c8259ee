import { promises as dns, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { seconds } from './clock.ts'
import { createLru } from './lru.ts'
import { isMetadataAddress, isPublicAddress } from './public-address.ts'
import { errorCode } from './thrown.ts'

/** The URL may not be called. The message is a sentence for the merchant, without the addresses of the host. */
export class UrlRefused extends Error {
  override name = 'UrlRefused'
}

/** The name servers of this service do not answer. It says nothing about the host. */
export class ResolverFailed extends Error {
  override name = 'ResolverFailed'
}

/** All addresses of a host name. */
export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>

/**
 * Decides which URLs of merchants this service may call. Without it, a merchant could reach the private network of the
 * service (server-side request forgery).
 */
export type AddressGuard = {
  /**
   * The addresses that a request to this URL must be sent to; undefined if there is no limit, which is so for this
   * machine in development. Rejects with `UrlRefused`. Asked before each request, because the addresses of a name can
   * change.
   */
  check(url: string): Promise<readonly LookupAddress[] | undefined>
}

const maxUrlLength = 2000

export const createAddressGuard = ({
  production,
  resolve = rememberAddresses(production ? resolvePublicName : resolveAnyName),
}: {
  production: boolean
  resolve?: ResolveHost
}): AddressGuard => ({
  check: async (text) => {
    const url = readUrl(text)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (!production) return checkInDevelopment(host, resolve)
    if (url.protocol !== 'https:') throw new UrlRefused('The URL must begin with https://.')
    const addresses = isIP(host) > 0 ? [{ address: host, family: isIP(host) }] : await resolveName(host, resolve)
    // One private address is enough to refuse: the client might choose it.
    if (!addresses.every(({ address }) => isPublicAddress(address))) {
      throw new UrlRefused('The host is not on the public internet.')
    }
    return addresses
  },
})

/**
 * Receivers are tried out on this machine and in private networks. A name without an address is allowed too: the request
 * fails.
 */
const checkInDevelopment = async (
  hostname: string,
  resolve: ResolveHost,
): Promise<readonly LookupAddress[] | undefined> => {
  if (isIP(hostname) > 0) {
    if (isMetadataAddress(hostname)) throw new UrlRefused(metadataRefused)
    return undefined
  }
  const name = hostname.replace(/\.$/, '').toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost')) return undefined
  if (name === 'metadata.google.internal') throw new UrlRefused(metadataRefused)
  const addresses = await resolve(name).catch(() => [])
  if (addresses.some(({ address }) => isMetadataAddress(address))) throw new UrlRefused(metadataRefused)
  return addresses
}

const metadataRefused = 'Link-local addresses and metadata services are refused.'

/** The URL parser also normalises IPv4 addresses that are written in decimal, octal, hexadecimal or short form. */
const readUrl = (text: string): URL => {
  if (text.length > maxUrlLength) throw new UrlRefused(`The URL is longer than ${maxUrlLength} characters.`)
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new UrlRefused('The URL must have a form such as https://shop.example/webhooks.')
  }
  if (url.username !== '' || url.password !== '') throw new UrlRefused('The URL must not contain a user or password.')
  return url
}

const resolveName = async (hostname: string, resolve: ResolveHost): Promise<readonly LookupAddress[]> => {
  const name = hostname.replace(/\.$/, '').toLowerCase()
  // Names without a dot are those of the machine or of its network.
  if (!name.includes('.') || name.endsWith('.localhost')) {
    throw new UrlRefused('The host is not on the public internet.')
  }
  const addresses = await resolve(name).catch(throwResolverFault)
  if (addresses.length === 0) throw new UrlRefused(`The host ${name} has no address.`)
  return addresses
}

const resolverFaults = ['ETIMEOUT', 'ESERVFAIL', 'ECONNREFUSED']

const throwResolverFault = (error: unknown): never => {
  if (!resolverFaults.includes(errorCode(error) ?? '')) throw error
  throw new ResolverFailed('The name servers do not answer.', { cause: error })
}

const rememberedMs = seconds(5)

/**
 * A busy endpoint is called a hundred times a second, and each call asks for its addresses. They are still checked at
 * each call. Failures are not remembered.
 */
export const rememberAddresses = (resolve: ResolveHost, maxHosts = 1000): ResolveHost => {
  const known = createLru<string, Promise<readonly LookupAddress[]>>(maxHosts, { ttl: rememberedMs })
  return (hostname) => {
    const remembered = known.get(hostname)
    if (remembered !== undefined) return remembered
    const asked = resolve(hostname)
    known.set(hostname, asked)
    asked.catch(() => known.delete(hostname))
    return asked
  }
}

const resolver = new dns.Resolver({ timeout: seconds(2), tries: 2 })

/**
 * Asks the name servers directly. Node's `lookup` blocks a thread while it waits, and two slow name servers would delay
 * every other lookup of the process. The hosts file is not read: it only has private names.
 */
const resolvePublicName: ResolveHost = async (hostname) => {
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const found = [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
  ]
  if (found.length > 0) return found
  const failure = [four, six].find((asked) => asked.status === 'rejected' && !isMissing(asked.reason))
  if (failure?.status === 'rejected') throw failure.reason
  return []
}

/** With the hosts file and the names of the private network. */
const resolveAnyName: ResolveHost = (hostname) => dns.lookup(hostname, { all: true })

const isMissing = (error: unknown) => ['ENODATA', 'ENOTFOUND'].includes(errorCode(error) ?? '')
