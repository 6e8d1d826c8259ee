import { createHmac } from 'node:crypto'
import { equalSecrets } from '../../core/secrets.ts'

type ReturnQuery = Readonly<Record<string, string | undefined>>

/**
 * Whether the query of a return was signed with the response key: all parameters but the signature itself, sorted by
 * name, form-encoded, and as a whole form-encoded once more.
 */
export const isSignedReturn = (responseKey: string, query: ReturnQuery): boolean => {
  const { signature, signature_algorithm: algorithm, ...values } = query
  if (signature === undefined || algorithm !== 'HMAC-SHA256') return false
  const pairs = Object.entries(values)
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  const text = pairs.map(([name, value]) => `${encodeForm(name)}=${encodeForm(value)}`).join('&')
  const expected = createHmac('sha256', responseKey).update(encodeForm(text)).digest('base64')
  return equalSecrets(signature, expected)
}

const encodeForm = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
