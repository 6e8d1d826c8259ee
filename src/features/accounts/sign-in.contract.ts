import Type, { type Static } from 'typebox'
import { named } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'

export const CustomerProfile = named(
  'Customer',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    email: Type.String({ description: 'Empty if none' }),
    emailVerified: Type.Boolean({ description: 'Whether the customer has proved to receive mail at `email`' }),
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

const storefrontUrl = Type.Optional(
  Type.String({
    maxLength: 300,
    description: 'Origin that the link in the mail leads to; one of the allowlist. Default: the domain of the store',
  }),
)
const linkToken = Type.String({ maxLength: 100, description: 'From the link in the mail' })

const requestToken = (description: string) => Type.String({ maxLength: 100, description })

const write = { method: 'POST', tag: 'Accounts', scope: 'auth:write' } as const

const exampleToken = 'ses_3v8k1m9q2w7c4t6y8zr5n0bxhd2g4f6j'
export const exampleCustomer: CustomerProfile = {
  id: 'cus_01k8x0v3m7q2w9c4t6y8ze',
  name: 'Asha Rao',
  email: 'asha@example.com',
  emailVerified: false,
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
    summary: 'Send a one-time password to a phone or an email address',
    description:
      'Send either `phone` or `email`; `signIn` of the store tells which are possible. Six digits, valid for five minutes and three attempts; a new code replaces the previous one. The response is the same whether or not there is an account. Limit: five requests per hour for a number or address, then 429. Store `requestToken` and send it to verify. After a sign-in with it, send it with later requests for the same number or address too: they have a separate limit of five per hour, which other callers cannot use up, and their codes are valid only with the new `requestToken`. 502: the text message was refused (the request does not count) or may not arrive (the request counts; if it carried no `requestToken`, the code is valid if it arrives).',
    body: Type.Object({
      phone: Type.Optional(phone),
      email: Type.Optional(email),
      requestToken: Type.Optional(
        requestToken('From an earlier request for this number or address that led to a sign-in; any other is ignored'),
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
      'Send `phone` or `email` as in the request. The first sign-in creates the customer. A code by email proves the address: if the customer has signed up with it and a password and not confirmed it, that password and all other sessions end. An incorrect code is 401; after three of them, and when the code was used, has expired or was never sent, the response is 410. With `requestToken`, the code of that request is checked: it has separate attempts and is not affected by requests or guesses of others. Without it, the last code sent to the number or address is checked. `guestCartId` moves that guest cart to the customer; a cart that cannot be claimed is ignored.',
    body: Type.Object({
      phone: Type.Optional(phone),
      email: Type.Optional(email),
      otp: Type.String({ pattern: '^[0-9]+$', maxLength: 20, description: 'The code from the message' }),
      guestCartId: Type.Optional(Type.String({ maxLength: 200 })),
      requestToken: Type.Optional(
        requestToken(
          'From the response to the request; an unknown token or one of another number or address is ignored',
        ),
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
    description:
      '`phone` is contact data and not for sign-in. The email gets a mail with a link that confirms it. 409: the email already has an account.',
    body: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 200 }),
      email,
      password: Type.String({ minLength: 8, maxLength: 200 }),
      phone: Type.Optional(phone),
      storefrontUrl,
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
  forgotPassword: endpoint({
    ...write,
    access: 'sign-in',
    path: '/v1/auth/password/forgot',
    summary: 'Send a link that resets the password',
    description:
      'The response is the same whether or not the email has an account. The link leads to `/reset-password?token=…` of the storefront and is valid for 30 minutes. Limit: five requests per hour for an email, then 429.',
    body: Type.Object({ email, storefrontUrl }),
    ok: Done,
    example: { success: true },
  }),
  resetPassword: endpoint({
    ...write,
    access: 'sign-in',
    path: '/v1/auth/password/reset',
    summary: 'Set a new password with the token of a link, and sign in',
    description:
      'Ends all sessions of the customer and all other such links, and confirms the email. 410: the token was used, has expired or is unknown.',
    body: Type.Object({ token: linkToken, password: Type.String({ minLength: 8, maxLength: 200 }) }),
    ok: Type.Object({ token, user: CustomerProfile, expiresAt }),
    errors: ['GONE'],
    example: {
      token: exampleToken,
      user: { ...exampleCustomer, emailVerified: true },
      expiresAt: '2026-02-08T09:30:00.000Z',
    },
  }),
  verifyEmail: endpoint({
    ...write,
    access: 'sign-in',
    path: '/v1/auth/email/verify',
    summary: 'Confirm an email with the token of a link',
    description:
      'Sign-up and a change of the email send the link, `/verify-email?token=…` of the storefront, valid for 24 hours. Needs no session. 410: the token was used, has expired or is unknown, or the customer has another email by now. 409: another customer signs in with this email.',
    body: Type.Object({ token: linkToken }),
    ok: CustomerProfile,
    errors: ['GONE', 'CONFLICT'],
    example: { ...exampleCustomer, emailVerified: true },
  }),
  requestVerification: endpoint({
    ...write,
    access: 'customer',
    path: '/v1/auth/email/verify/request',
    summary: 'Send the link that confirms the email again',
    description:
      'Sends nothing if the email is confirmed. 400: the customer has no email. Limit: five requests per hour for an email, then 429.',
    body: Type.Object({ storefrontUrl }),
    ok: Done,
    example: { success: true },
  }),
}
