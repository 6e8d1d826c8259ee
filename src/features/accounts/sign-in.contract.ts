import Type, { type Static } from 'typebox'
import { named } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'

export const CustomerProfile = named(
  'Customer',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    email: Type.String({ description: 'Empty if none' }),
    phone: Type.String({ description: 'The verified number, otherwise the contact number' }),
    phoneVerified: Type.Boolean({ description: 'Whether `phone` was verified by a code and can be used for sign-in' }),
    createdAt: Type.String({ description: 'ISO 8601, UTC' }),
    updatedAt: Type.String({ description: 'ISO 8601, UTC' }),
  }),
)
export type CustomerProfile = Static<typeof CustomerProfile>

const token = Type.String({ description: 'Send it as `Authorization: Bearer …`' })
const expiresAt = Type.String({ description: 'Expiry time: ISO 8601, UTC' })
const Done = Type.Object({ success: Type.Boolean() })

const phone = Type.String({
  maxLength: 40,
  description: 'International form, such as +919876543210; spacing is ignored',
})
const email = Type.String({ maxLength: 254, description: 'Case-insensitive' })

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
      'Six digits, valid for five minutes and three attempts; a new code replaces the previous one. The response is the same whether or not the number has an account. Limit: five requests per hour for a number, then 429. Store `requestToken` and send it to verify. After a sign-in with it, send it with later requests for the same number too: they have a separate limit of five per hour, which other callers cannot use up, and their codes are valid only with the new `requestToken`. 502: the message was refused (the request does not count) or may not arrive (the request counts; if it carried no `requestToken`, the code is valid if it arrives).',
    body: Type.Object({
      phone,
      requestToken: Type.Optional(
        requestToken('From an earlier request for this number that led to a sign-in; any other is ignored'),
      ),
    }),
    ok: Type.Object({
      success: Type.Boolean(),
      expiresAt,
      requestToken: Type.String({ description: 'Binds the code to the client that requested it: send it to verify' }),
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
      'The first sign-in creates the customer. An incorrect code is 401; after three of them, and when the code was used, has expired or was never sent, the response is 410. With `requestToken`, the code of that request is checked: it has separate attempts and is not affected by requests or guesses of others. Without it, the last code sent to the number is checked. `guestCartId` moves that guest cart to the customer; a cart that cannot be claimed is ignored.',
    body: Type.Object({
      phone,
      otp: Type.String({ pattern: '^[0-9]+$', maxLength: 20, description: 'The code from the message' }),
      guestCartId: Type.Optional(Type.String({ maxLength: 200 })),
      requestToken: Type.Optional(
        requestToken('From the response to the request; an unknown token or one of another number is ignored'),
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
    description: 'Including the current one.',
    ok: Done,
    example: { success: true },
  }),
  signUp: endpoint({
    ...write,
    access: 'sign-in',
    path: '/v1/signup',
    summary: 'Create an account with email and password',
    description: '`phone` is contact data and not for sign-in. 409: the email already has an account.',
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
      'A 401 does not reveal whether the email or the password is incorrect. After ten failures within fifteen minutes the email is locked with 429, whether or not it has an account.',
    body: Type.Object({ email, password: Type.String({ maxLength: 200 }) }),
    ok: Type.Object({ token, user: CustomerProfile, expiresAt }),
    example: { token: exampleToken, user: exampleCustomer, expiresAt: '2026-02-08T09:30:00.000Z' },
  }),
}
