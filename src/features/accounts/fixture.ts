import assert from 'node:assert/strict'
import type { Answer, TestService, TestStore } from '../../../test/harness.ts'

export const phone = '+919876543210'

/** The i-th test phone number. */
export const numbered = (i: number) => `+9198765${String(i).padStart(5, '0')}`

/** Calls the API like a storefront's server. */
export const post = (
  service: TestService,
  shop: Pick<TestStore, 'key'>,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) =>
  service.call(path, {
    method: 'POST',
    headers: { 'x-store-key': shop.key, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

export const requestCode = (
  service: TestService,
  shop: Pick<TestStore, 'key'>,
  to: unknown = phone,
  more: { requestToken?: string } = {},
) => post(service, shop, '/v1/auth/otp/request', { phone: to, ...more })

export const verifyCode = (
  service: TestService,
  shop: Pick<TestStore, 'key'>,
  otp: unknown,
  more: { phone?: string; guestCartId?: string; requestToken?: string } = {},
) => post(service, shop, '/v1/auth/otp/verify', { phone, otp, ...more })

/** Requests a code and returns it as received. */
export const newCode = async (service: TestService, shop: Pick<TestStore, 'key'>, to = phone) => {
  const answer = await requestCode(service, shop, to)
  assert.equal(answer.status, 200, answer.text)
  return service.codeFor(to)
}

export const wrong = (code: string) => (code === '000000' ? '000001' : '000000')

/** Number of responses per status. */
export const tally = (answers: readonly Answer[]) => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

export const times = <Result>(count: number, make: (i: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)))

/** Finds a code, but not the same six digits within a time or an identifier. */
export const codeAlone = (code: string) => new RegExp(`(?<![\\w.-])${code}(?![\\w.-])`)
