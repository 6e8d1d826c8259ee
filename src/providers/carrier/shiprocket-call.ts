import { hash } from 'node:crypto'
import { days, minutes } from '../../core/clock.ts'
import { createLru } from '../../core/lru.ts'
import { callProviderApi, type ProviderAnswer, ProviderRefused } from '../http.ts'
import { readText } from '../read-fields.ts'
import type { CarrierAccount } from './carrier.ts'

export type ShiprocketRequest = { method: 'GET' | 'POST'; path: string; json?: unknown; isSentOnce?: boolean }

export type CallShiprocket = (
  account: CarrierAccount,
  signal: AbortSignal,
  request: ShiprocketRequest,
) => Promise<ProviderAnswer>

/** Shiprocket's tokens are valid for ten days. */
const tokenLifeMs = days(9)
const maxTokens = 10_000

/** Repeated wrong logins lock the account. */
const refusedLoginLifeMs = minutes(5)

/**
 * Calls with the token of the account. It is cached, and replaced when Shiprocket refuses it. A refused login is not
 * tried again with the same credentials for some minutes.
 */
export const callShiprocket = (origin: string): CallShiprocket => {
  const tokens = createLru<string, string>(maxTokens, { ttl: tokenLifeMs })
  const refusedLogins = createLru<string, ProviderRefused>(maxTokens, { ttl: refusedLoginLifeMs })

  const send = (token: string | null, signal: AbortSignal, { method, path, json, isSentOnce }: ShiprocketRequest) =>
    callProviderApi({
      provider: 'Shiprocket',
      method,
      url: `${origin}/v1/external${path}`,
      headers: {
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(isSentOnce === undefined ? {} : { isSentOnce }),
      signal,
    })

  const logIn = async ({ credentials: { email, password } }: CarrierAccount, key: string, signal: AbortSignal) => {
    const earlier = refusedLogins.get(key)
    if (earlier !== undefined) throw earlier
    const answer = await send(null, signal, { method: 'POST', path: '/auth/login', json: { email, password } })
    const token = readText(answer.body, 'token')
    if (answer.status >= 300 || token === '') {
      const reason = readText(answer.body, 'message') || `answered with ${answer.status}`
      const refusal = new ProviderRefused(`Shiprocket refused the login: ${toSentence(reason)}`, {
        status: answer.status,
        code: '',
      })
      if ([400, 401, 403, 422].includes(answer.status)) refusedLogins.set(key, refusal)
      throw refusal
    }
    tokens.set(key, token)
    return token
  }

  return async (account, signal, request) => {
    const key = keyOf(account)
    const cached = tokens.get(key)
    const answer = await send(cached ?? (await logIn(account, key, signal)), signal, request)
    if (answer.status !== 401 || cached === undefined) return answer
    // The token was refused before the request had an effect, so the request can be sent again.
    tokens.delete(key)
    return send(await logIn(account, key, signal), signal, request)
  }
}

/** For the words of Shiprocket, which an operator reads in a line. */
export const toSentence = (text: string) => {
  const line = text.replaceAll(/\s+/g, ' ').trim().slice(0, 500)
  return /[.!?]$/.test(line) ? line : `${line}.`
}

/** Other credentials of the same store never get the token of the old ones. */
const keyOf = ({ storeId, credentials: { email, password } }: CarrierAccount) =>
  `${storeId} ${hash('sha256', JSON.stringify([email, password]))}`
