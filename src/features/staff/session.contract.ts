import Type from 'typebox'
import { named, oneOf } from '../../http/schema.ts'
import { adminEndpoint, permissions, roles } from '../access/admin.contract.ts'

const tag = 'Session'
const email = Type.String({ minLength: 3, maxLength: 254 })
const typedPassword = Type.String({ minLength: 1, maxLength: 200 })
const newPassword = Type.String({ minLength: 8, maxLength: 200 })
const code = Type.String({
  ...{ minLength: 6, maxLength: 20 },
  description: 'Of the second factor: six digits, or a recovery code',
})

export const StaffSession = named(
  'StaffSession',
  Type.Object({
    staff: Type.Object({
      id: Type.String(),
      name: Type.String(),
      email: Type.String(),
      secondFactor: Type.Boolean(),
    }),
    stores: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        role: oneOf(roles),
        permissions: Type.Array(oneOf(permissions)),
        currency: Type.String(),
        locale: Type.String(),
        timezone: Type.String(),
      }),
    ),
    expiresAt: Type.String({ format: 'date-time', description: 'Later if the session is used' }),
  }),
)

const exampleSession = {
  staff: { id: 'stf_1m7mj220q32w1b1vwkvc69', name: 'Meera Iyer', email: 'meera@bluedoor.example', secondFactor: false },
  stores: [
    {
      ...{ id: 'store_1m7mj1', name: 'Blue Door', role: 'viewer', permissions: ['catalog:read', 'orders:read'] },
      ...{ currency: 'INR', locale: 'en-IN', timezone: 'Asia/Kolkata' },
    },
  ],
  expiresAt: '2026-11-17T21:30:00.000Z',
}

const Nothing = Type.Object({})

export const sessionContract = {
  adminSignIn: adminEndpoint({
    ...{ method: 'POST', path: '/admin/v1/session', tag, access: 'public' },
    summary: 'Sign in',
    description:
      'Sets the cookie `vitrine_staff`, which is valid for twelve hours after its last use. Ten failures of an email, or a hundred of a client address, in fifteen minutes: 429. `SECOND_FACTOR_REQUIRED`: send the request again with `code`.',
    body: Type.Object({ email, password: typedPassword, code: Type.Optional(code) }),
    ok: StaffSession,
    errors: ['UNAUTHORIZED', 'SECOND_FACTOR_REQUIRED', 'FORBIDDEN'],
    example: exampleSession,
  }),
  adminSignInByLink: adminEndpoint({
    ...{ method: 'POST', path: '/admin/v1/session/link', tag, access: 'public' },
    summary: 'Sign in with the token of a link',
    description: 'Works once. The start of a demo prints such a link; there are no others.',
    body: Type.Object({ token: Type.String({ minLength: 1, maxLength: 100 }), code: Type.Optional(code) }),
    ok: StaffSession,
    errors: ['GONE', 'UNAUTHORIZED', 'SECOND_FACTOR_REQUIRED', 'FORBIDDEN'],
    example: exampleSession,
  }),
  adminGetSession: adminEndpoint({
    ...{ method: 'GET', path: '/admin/v1/session', tag, access: 'staff' },
    summary: 'Read the session',
    ok: StaffSession,
    example: exampleSession,
  }),
  adminSignOut: adminEndpoint({
    ...{ method: 'DELETE', path: '/admin/v1/session', tag, access: 'staff' },
    summary: 'Sign out',
    ok: null,
    okStatus: 204,
  }),
  adminForgotPassword: adminEndpoint({
    ...{ method: 'POST', path: '/admin/v1/password/forgot', tag, access: 'public' },
    summary: 'Send a link that sets a new password',
    description: 'The answer is the same for unknown addresses.',
    body: Type.Object({ email }),
    ok: Nothing,
    errors: ['FORBIDDEN'],
    example: {},
  }),
  adminSetPassword: adminEndpoint({
    ...{ method: 'POST', path: '/admin/v1/password', tag, access: 'public' },
    summary: 'Set a password with the token of a link, and sign in',
    description: 'Ends all sessions of the person. With a second factor, `code` is required too.',
    body: Type.Object({
      token: Type.String({ minLength: 1, maxLength: 100 }),
      password: newPassword,
      code: Type.Optional(code),
    }),
    ok: StaffSession,
    errors: ['GONE', 'UNAUTHORIZED', 'SECOND_FACTOR_REQUIRED', 'FORBIDDEN'],
    example: exampleSession,
  }),
  adminGetMe: adminEndpoint({
    ...{ method: 'GET', path: '/admin/v1/staff/me', tag, access: 'staff' },
    summary: 'Read who is signed in',
    ok: StaffSession,
    example: exampleSession,
  }),
  adminUpdateMe: adminEndpoint({
    ...{ method: 'PATCH', path: '/admin/v1/staff/me', tag, access: 'staff' },
    summary: 'Change your name',
    body: Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }),
    ok: StaffSession,
    example: exampleSession,
  }),
  adminChangePassword: adminEndpoint({
    ...{ method: 'POST', path: '/admin/v1/staff/me/password', tag, access: 'staff' },
    summary: 'Change your password',
    description: 'Ends your other sessions.',
    body: Type.Object({ currentPassword: typedPassword, password: newPassword }),
    ok: Nothing,
    example: {},
  }),
  adminListSessions: adminEndpoint({
    ...{ method: 'GET', path: '/admin/v1/staff/me/sessions', tag, access: 'staff' },
    summary: 'List your sessions',
    ok: Type.Object({
      data: Type.Array(
        Type.Object({
          id: Type.String(),
          createdAt: Type.String({ format: 'date-time' }),
          usedAt: Type.String({ format: 'date-time' }),
          expiresAt: Type.String({ format: 'date-time' }),
          clientAddress: Type.String(),
          userAgent: Type.String(),
          current: Type.Boolean({ description: 'The session of this request' }),
        }),
      ),
    }),
    example: {
      data: [
        {
          id: 'sss_1m7mj220q32w1b1vwkvc69',
          createdAt: '2026-11-17T09:30:00.000Z',
          usedAt: '2026-11-17T09:30:00.000Z',
          expiresAt: '2026-11-17T21:30:00.000Z',
          clientAddress: '203.0.113.7',
          userAgent: 'Mozilla/5.0',
          current: true,
        },
      ],
    },
  }),
  adminEndSession: adminEndpoint({
    ...{ method: 'DELETE', path: '/admin/v1/staff/me/sessions/{sessionId}', tag, access: 'staff' },
    summary: 'End one of your sessions',
    params: Type.Object({ sessionId: Type.String({ minLength: 1, maxLength: 64 }) }),
    ok: null,
    okStatus: 204,
    errors: ['NOT_FOUND'],
  }),
  adminEndOtherSessions: adminEndpoint({
    ...{ method: 'DELETE', path: '/admin/v1/staff/me/sessions', tag, access: 'staff' },
    summary: 'End all of your other sessions',
    description: 'The session of this request stays.',
    ok: Type.Object({ ended: Type.Integer({ description: 'How many' }) }),
    example: { ended: 2 },
  }),
  adminStartSecondFactor: adminEndpoint({
    ...{ method: 'POST', path: '/admin/v1/staff/me/second-factor', tag, access: 'staff' },
    summary: 'Start to use a second factor',
    description: 'Show `uri` as a QR code to an authenticator app, and confirm a code of it.',
    body: Type.Object({ password: typedPassword }),
    ok: Type.Object({ secret: Type.String(), uri: Type.String() }),
    errors: ['CONFLICT'],
    example: {
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      uri: 'otpauth://totp/Vitrine%3Ameera%40bluedoor.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Vitrine',
    },
  }),
  adminConfirmSecondFactor: adminEndpoint({
    ...{ method: 'POST', path: '/admin/v1/staff/me/second-factor/confirm', tag, access: 'staff' },
    summary: 'Confirm a code of the new second factor',
    description:
      'From now on signing in needs a code. Ends your other sessions. Returns ten recovery codes, each of which works once.',
    body: Type.Object({ code }),
    ok: Type.Object({ recoveryCodes: Type.Array(Type.String()) }),
    errors: ['CONFLICT'],
    example: { recoveryCodes: ['k3j9x-p2m4q', 'w8r5t-z6y1v'] },
  }),
  adminRemoveSecondFactor: adminEndpoint({
    ...{ method: 'POST', path: '/admin/v1/staff/me/second-factor/remove', tag, access: 'staff' },
    summary: 'Stop using the second factor',
    body: Type.Object({ password: typedPassword }),
    ok: Nothing,
    example: {},
  }),
}
