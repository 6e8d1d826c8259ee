import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '../harness.ts'

export type ClientCall = { method?: 'GET' | 'POST'; path: string; headers: Record<string, string>; body?: unknown }

/** Makes one call of a client, and returns the body of the answer, which was a success. */
export type Send = (call: ClientCall) => Promise<Answer['json']>

const hangMs = 30_000

/**
 * Calls of clients, with what they saw. Connections are kept open, so that closing one at the wrong moment shows. `choose`
 * names the address for each attempt. With `repeats`, a call that was refused with 503, or whose connection broke, is made
 * again; also one with 502, because the sandbox of payments is in the database.
 */
export const newCalls = ({ choose, repeats }: { choose: () => string; repeats: boolean }) => {
  /** By status; `none` when the connection ended without an answer. */
  const answers: Record<string, number> = {}
  /** What no client should see. */
  const faults: string[] = []
  const takenMs: number[] = []
  let lastSuccessAt = 0
  let slowestMs = 0
  let isAbandoned = false

  const attempt = async ({ method = 'GET', path, headers, body }: ClientCall) => {
    const startedAt = performance.now()
    let status = 'none'
    try {
      const response = await fetch(`${choose()}${path}`, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(hangMs),
      })
      const text = await response.text()
      status = String(response.status)
      if (status === '503' && !response.headers.has('retry-after')) faults.push(`${path}: 503 without Retry-After`)
      return { status, text }
    } catch (error) {
      const { name, cause } = error as Error
      if (name === 'TimeoutError') faults.push(`${path}: no answer after ${hangMs} ms`)
      return { status, text: `${error} ${cause ?? ''}` }
    } finally {
      answers[status] = (answers[status] ?? 0) + 1
      const tookMs = performance.now() - startedAt
      takenMs.push(tookMs)
      slowestMs = Math.max(slowestMs, tookMs)
    }
  }

  const send: Send = async (call) => {
    for (const deadline = performance.now() + 4 * hangMs; ; await sleep(100)) {
      const { status, text } = await attempt(call)
      if (/^2/.test(status)) {
        lastSuccessAt = performance.now()
        return text === '' ? null : JSON.parse(text)
      }
      const mayRepeat = repeats && /none|50[23]/.test(status) && !isAbandoned && performance.now() < deadline
      if (!mayRepeat) throw new Error(`${call.method ?? 'GET'} ${call.path}: ${status} ${text.slice(0, 300)}`)
    }
  }
  return {
    ...{ send, answers, faults },
    /** When a call has last succeeded (`performance.now()`). */
    lastSuccessAt: () => lastSuccessAt,
    slowestMs: () => slowestMs,
    /** The times of all attempts since the last call of this, in milliseconds, shortest first. */
    takeTimes: () => takenMs.splice(0).sort((a, b) => a - b),
    /** No call is repeated any more. */
    abandon: () => {
      isAbandoned = true
    },
  }
}
