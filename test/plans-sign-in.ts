import { codeMailedTo, newResetLink, newVerifyLink, password } from '../src/features/accounts/mail-fixture.ts'
import type { Answer, TestService, TestStore } from './harness.ts'
import type { newGuest } from './shoppers.ts'

/** Sign-in by phone, with the token of the code and then with the proof of an earlier sign-in; and by mail. */
export const signInSteps = (
  service: TestService,
  shop: TestStore,
  guest: Awaited<ReturnType<typeof newGuest>>,
  done: (answer: Promise<Answer>) => Promise<void>,
) => {
  const phone = '+919876543210'
  const mailed = 'plans3@example.com'
  const known = { requestToken: '' }
  const request = async () => {
    const answer = await guest.call('POST', '/v1/auth/otp/request', { body: { phone, ...known } })
    known.requestToken = answer.json.requestToken
    await done(Promise.resolve(answer))
  }
  const verify = (body: object) =>
    done(guest.call('POST', '/v1/auth/otp/verify', { body: { phone, otp: service.codeFor(phone), ...body } }))
  return {
    'request a code': request,
    'sign in with a code and its token': () => verify(known),
    'request a code with a proof': request,
    'sign in with a second code': () => verify(known),
    'request a code again': () => {
      known.requestToken = ''
      return request()
    },
    'sign in with a code alone': () => verify({}),
    'request a code by mail': () => done(guest.call('POST', '/v1/auth/otp/request', { body: { email: mailed } })),
    'sign in with a code by mail': async () => {
      const otp = await codeMailedTo(service, shop, mailed)
      await done(guest.call('POST', '/v1/auth/otp/verify', { body: { email: mailed, otp } }))
    },
    'set a password with a link': async () => {
      const token = await newResetLink(service, shop, mailed)
      await done(guest.call('POST', '/v1/auth/password/reset', { body: { token, password } }))
    },
    'confirm an email with a link': async () => {
      const body = { name: 'Asha', email: 'plans4@example.com', password }
      const { json } = await guest.call('POST', '/v1/signup', { body })
      const token = await newVerifyLink(service, shop, json.user.id, body.email)
      await done(guest.call('POST', '/v1/auth/email/verify', { body: { token } }))
    },
    'a customer signs out everywhere': async () => {
      const { json } = await guest.call('POST', '/v1/signup', {
        body: { name: 'Asha', email: 'plans2@example.com', password },
      })
      const headers = { 'x-store-key': shop.key, authorization: `Bearer ${json.token}` }
      await done(service.call('/v1/auth/logout/everywhere', { method: 'POST', headers }))
    },
  }
}
