import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '../harness.ts'
import type { Random } from './random.ts'

export type Request = { method: string; path: string; headers?: Record<string, string>; body?: unknown }
type Reply = Pick<Answer, 'status' | 'json'>

const hangMs = 30_000

export type Calls = ReturnType<typeof newCalls>

/** Calls as a careful client makes them. `faults` has what no client should see. */
export const newCalls = (url: string, random: Random) => {
  /** By status; `none` when the connection ended without an answer. */
  const answers = new Map<string, number>()
  const faults: string[] = []
  let takenMs: number[] = []

  const count = (name: string) => answers.set(name, (answers.get(name) ?? 0) + 1)

  /** One attempt. Undefined if it should be repeated. */
  const attempt = async ({ method, path, headers = {}, body }: Request): Promise<Reply | undefined> => {
    const startedAt = performance.now()
    const label = `${method} ${path.replace(/(ord|store)_\w+/g, '$1')}`
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(hangMs),
      })
      const text = await response.text()
      count(`${response.status}`)
      if (response.status === 503) {
        if (!response.headers.has('retry-after')) faults.push(`${label} answered 503 without Retry-After`)
        return undefined
      }
      return { status: response.status, json: text === '' ? {} : JSON.parse(text) }
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') faults.push(`${label} had no answer after ${hangMs} ms`)
      count('none')
      return undefined
    } finally {
      takenMs.push(performance.now() - startedAt)
    }
  }

  /** Repeats a call until it has an answer other than 503, which must be a success. */
  const send = async (request: Request): Promise<Answer['json']> => {
    const label = `${request.method} ${request.path}`
    const deadline = performance.now() + 4 * hangMs
    while (performance.now() < deadline) {
      const reply = await attempt(request)
      if (reply !== undefined && reply.status < 300) return reply.json
      if (reply !== undefined) {
        throw new Error(`${label} answered ${reply.status} ${JSON.stringify(reply.json).slice(0, 300)}`)
      }
      await sleep(20 + 80 * random())
    }
    throw new Error(`${label} was repeated for ${4 * hangMs} ms without an answer`)
  }
  /** The times of all attempts since the last call of this, in milliseconds. */
  const takeTimes = () => {
    const taken = takenMs
    takenMs = []
    return taken
  }
  return { attempt, send, answers, faults, takeTimes }
}
