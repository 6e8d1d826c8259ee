import Type, { type Static } from 'typebox'
import { named } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'

export const CustomerProfile = named(
  'Customer',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    email: Type.String({ description: 'Empty when there is none' }),
    phone: Type.String({ description: 'The number that was proved by a code, or else the one given as contact' }),
    phoneVerified: Type.Boolean({ description: 'Whether `phone` was proved by a code, and signs the customer in' }),
    createdAt: Type.String({ description: 'ISO 8601, UTC' }),
    updatedAt: Type.String({ description: 'ISO 8601, UTC' }),
  }),
)
export type CustomerProfile = Static<typeof CustomerProfile>

const token = Type.String({ description: 'Send it as `Authorization: Bearer …`' })
const expiresAt = Type.String({ description: 'When it ends: ISO 8601, UTC' })
const Done = Type.Object({ success: Type.Boolean() })

const phone = Type.String({
  maxLength: 40,
  description: 'International, such as +919876543210; spacing does not matter',
})
const email = Type.String({ maxLength: 254, description: 'Case does not matter' })

const requestToken = (description: string) => Type.String({ maxLength: 100, description })

const write = { method: 'POST', tag: 'Accounts', scope: 'auth:write' } as const

const exampleToken = 'ses_3v8k1m9q2w7c4t6y8zr5n0bxhd2g4f6j'
const exampleCustomer = {
  id: 'cus_01k8x0v3m7q2w9c4t6y8ze',
  name: 'Asha Rao',
  email: 'asha@example.com',
  phone: '+919876543210',
  phoneVerified: false,
  createdAt: '2026-02-01T09:30:00.000Z',
  updatedAt: '2026-02-01T09:30:00.000Z',
}

export const signInContract = {
  requestOtp: endpoint({
    ...write,
    access: 'sign-in',
    path: '/v1/auth/otp/request',
    summary: 'Send a one-time password to a phone',
    description:
      'Six digits, good for five minutes and three attempts; they replace those sent before. The answer is the same whether or not somebody has this number. Five requests an hour for a number, the sixth is 429. Keep `requestToken` and send it to verify. Once it has signed somebody in, send it with later requests for the number too: they have five an hour of their own, which strangers cannot use up, and their codes are good only with the new `requestToken`. 502: the message was refused (then the request does not count) or may not have arrived (then it counts; unless the request carried a `requestToken`, the code is good if it does arrive).',
    body: Type.Object({
      phone,
      requestToken: Type.Optional(
        requestToken('Of an earlier request for this number that signed somebody in; any other is ignored'),
      ),
    }),
    ok: Type.Object({
      success: Type.Boolean(),
      expiresAt,
      requestToken: Type.String({ description: 'Binds the code to whoever asked for it: send it to verify' }),
    }),
    errors: ['BAD_GATEWAY'],
    example: {
      success: true,
      expiresAt: '2026-02-01T09:35:00.000Z',
      requestToken: 'otr_7c4t6y8zr5n0bxhd2g4f6j3v8k1m9q2w',
    },
  }),
  verifyOtp: endpoint({
    ...write,
    access: 'sign-in',
    path: '/v1/auth/otp/verify',
    summary: 'Sign in with a one-time password',
    description:
      'The first time makes the customer. A wrong password is 401, three of them use it up; one that is used, used up, expired or was never sent is 410. With `requestToken` the code of that request counts, with three attempts of its own: neither requests nor guesses of others touch it. Without one, the last code that was sent to the number counts. `guestCartId` hands that guest cart to the customer; an id that cannot be handed over is ignored.',
    body: Type.Object({
      phone,
      otp: Type.String({ pattern: '^[0-9]+$', maxLength: 20, description: 'The digits of the message' }),
      guestCartId: Type.Optional(Type.String({ maxLength: 200 })),
      requestToken: Type.Optional(
        requestToken('Of the answer to the request; one that is unknown or of another number is ignored'),
      ),
    }),
    ok: Type.Object({ token, customer: CustomerProfile, expiresAt }),
    errors: ['GONE'],
    example: {
      token: exampleToken,
      customer: { ...exampleCustomer, name: '', email: '', phoneVerified: true },
      expiresAt: '2026-02-08T09:30:00.000Z',
    },
  }),
  logOut: endpoint({
    ...write,
    access: 'customer',
    path: '/v1/auth/logout',
    summary: 'End the session of the bearer token',
    ok: Done,
    example: { success: true },
  }),
  logOutEverywhere: endpoint({
    ...write,
    access: 'customer',
    path: '/v1/auth/logout/everywhere',
    summary: 'End all sessions of the customer',
    description: 'Also the one that asks for it.',
    ok: Done,
    example: { success: true },
  }),
  signUp: endpoint({
    ...write,
    access: 'sign-in',
    path: '/v1/signup',
    summary: 'Make an account with email and password',
    description: '`phone` is for reaching the customer and signs nobody in. 409: the email has an account already.',
    body: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 200 }),
      email,
      password: Type.String({ minLength: 8, maxLength: 200 }),
      phone: Type.Optional(phone),
    }),
    ok: Type.Object({ token, user: CustomerProfile, expiresAt }),
    okStatus: 201,
    errors: ['CONFLICT'],
    example: { token: exampleToken, user: exampleCustomer, expiresAt: '2026-02-08T09:30:00.000Z' },
  }),
  signIn: endpoint({
    ...write,
    access: 'sign-in',
    path: '/v1/signin',
    summary: 'Sign in with email and password',
    description:
      'A 401 does not say which of the two was wrong. After ten failures within fifteen minutes an email is refused with 429, whether or not it has an account.',
    body: Type.Object({ email, password: Type.String({ maxLength: 200 }) }),
    ok: Type.Object({ token, user: CustomerProfile, expiresAt }),
    example: { token: exampleToken, user: exampleCustomer, expiresAt: '2026-02-08T09:30:00.000Z' },
  }),
}
