import { isIP } from 'node:net'
import { OperatorError } from './operator-error.ts'

/** The setting VITRINE_TRUST_PROXY. */
export const parseTrustProxy = (text: string | undefined) => {
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  const proxies = text.split(',').map((address) => address.trim())
  const unknown = proxies.find((proxy) => !isProxyAddress(proxy))
  if (unknown === undefined) return proxies
  throw new OperatorError(
    `The environment variable VITRINE_TRUST_PROXY must be "true" or addresses such as 10.0.0.0/8, and "${unknown}" is neither.`,
  )
}

/** An IP address, a network, or one of the names that Fastify defines. */
const isProxyAddress = (text: string) => {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', bits, ...rest] = text.split('/')
  const maxBits = isIP(address) === 6 ? 128 : 32
  return isIP(address) > 0 && rest.length === 0 && (bits === undefined || (/^\d+$/.test(bits) && +bits <= maxBits))
}
