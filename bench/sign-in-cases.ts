import type pg from 'pg'
import { hashSecret } from '../src/core/secrets.ts'

export type Post = (path: string, body: object) => Promise<{ status: number; text: string }>

/** `known` is an address with an account, or a token that was once valid. */
export type Side = 'known' | 'unknown'

export type SignInCase = { name: string; status: number; call: (side: Side, i: number) => ReturnType<Post> }

const addressOf = (side: Side, i: number) => `${side}-${i}@example.com`
const tokenOf = (purpose: string, side: Side, i: number) => `${purpose}-${side}-${i}`
const purposes = ['password.reset', 'email.verify'] as const

/** Accounts with a password and a confirmed email, and a link of each that has expired. Lifts the limit of the client. */
export const addKnownAccounts = async (client: pg.Client, storeId: string, count: number) => {
  const { rows } = await client.query(
    'update store set otp_client_limit = 1000000000 where public_id = $1 returning id',
    [storeId],
  )
  const numbers = Array.from({ length: count }, (_, i) => i)
  const [{ id }] = rows
  await client.query(
    `insert into customer (store_id, id, email, password_hash, email_verified_at)
     select $1, 'cus_known' || n, email, '$argon2id$', now() from unnest($2::integer[], $3::text[]) as known (n, email)`,
    [id, numbers, numbers.map((i) => addressOf('known', i))],
  )
  for (const purpose of purposes) {
    await client.query(
      `insert into mail_token (store_id, token_hash, purpose, customer_id, email, expires_at)
       select $1, hash, $4, 'cus_known' || n, 'a@example.com', now() - interval '1 minute'
       from unnest($2::integer[], $3::text[]) as known (n, hash)`,
      [id, numbers, numbers.map((i) => hashSecret(tokenOf(purpose, 'known', i))), purpose],
    )
  }
  await client.query('analyze customer, mail_token')
}

/** The calls that must not tell known from unknown, in the order in which they can be made. */
export const signInCases = (post: Post): SignInCase[] => [
  {
    name: 'forgot',
    status: 200,
    call: (side, i) => post('/v1/auth/password/forgot', { email: addressOf(side, i) }),
  },
  {
    name: 'otp request',
    status: 200,
    call: (side, i) => post('/v1/auth/otp/request', { email: addressOf(side, i) }),
  },
  {
    name: 'otp verify',
    status: 401,
    // Too long to be right.
    call: (side, i) => post('/v1/auth/otp/verify', { email: addressOf(side, i), otp: '1234567' }),
  },
  {
    name: 'reset',
    status: 410,
    call: (side, i) =>
      post('/v1/auth/password/reset', { token: tokenOf('password.reset', side, i), password: 'a long password' }),
  },
  {
    name: 'email verify',
    status: 410,
    call: (side, i) => post('/v1/auth/email/verify', { token: tokenOf('email.verify', side, i) }),
  },
]

export type Medians = Record<Side, number>

/**
 * Known and unknown in turns. Chance decides which is first: what a call leaves behind, such as a mail to send, would
 * otherwise always slow the same side.
 */
export const compareSides = async ({ name, status, call }: SignInCase, pairs: number): Promise<Medians> => {
  const tookMs: Record<Side, number[]> = { known: [], unknown: [] }
  for (let i = 0; i < pairs; i++) {
    const order: Side[] = Math.random() < 0.5 ? ['known', 'unknown'] : ['unknown', 'known']
    for (const side of order) {
      const began = performance.now()
      const answer = await call(side, i)
      tookMs[side].push(performance.now() - began)
      if (answer.status !== status) throw new Error(`${name}, ${side}: ${answer.status} ${answer.text}`)
    }
  }
  return { known: medianOf(tookMs.known), unknown: medianOf(tookMs.unknown) }
}

const medianOf = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN
