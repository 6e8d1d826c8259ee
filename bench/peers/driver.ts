import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { PeerProduct, SearchedWord } from './catalog.ts'
import type { PeerDatabase } from './server.ts'

export const journeyNames = ['list', 'product', 'search', 'cart', 'order'] as const
export type JourneyName = (typeof journeyNames)[number]

/** What one shopper does. `run` throws when an answer is not the expected one; `n` counts the journeys so far. */
export type Journey = {
  name: JourneyName
  /** The name of the row: a product may have two of a journey. */
  row: string
  run(call: Call, n: number): Promise<void>
}

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string }
export type Call = (
  method: 'GET' | 'POST',
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
) => Promise<Answer>

/** A product that runs, with its catalog. */
export type RunningPeer = {
  url: string
  /** Its only process. */
  pid: number
  journeys: readonly Journey[]
  /** Counts in its database the orders that are paid, to compare with the journeys that succeeded. */
  paidOrders: string
  stop(): Promise<void>
}

export type PeerStart = {
  database: PeerDatabase
  products: readonly PeerProduct[]
  words: readonly SearchedWord[]
  connections: number
  say(text: string): void
}

export type MeasuredJourney = {
  /** Journeys that succeeded. */
  journeys: number
  /** HTTP requests of one journey. */
  calls: number
  perSecond: number
  p50: number
  p99: number
  failures: number
  firstFailure: string | undefined
}

type Run = { url: string; journey: Journey; connections: number; isOver(): boolean; from?: number }

/** As many shoppers as connections, each of whom begins again until it is over; each at least once. */
export const runJourneys = async ({ url, journey, connections, isOver, from = 0 }: Run): Promise<MeasuredJourney> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let calls = 0
  const call: Call = (...args) => {
    calls++
    return send(agent, url, ...args)
  }
  const took: number[] = []
  const failures: string[] = []
  let n = from
  const began = performance.now()
  const shop = async () => {
    do {
      const start = performance.now()
      await journey.run(call, n++).then(
        () => void took.push(performance.now() - start),
        (error) => void failures.push(error instanceof Error ? error.message : String(error)),
      )
    } while (!isOver())
  }
  try {
    await Promise.all(Array.from({ length: connections }, shop))
  } finally {
    agent.destroy()
  }
  const lasted = (performance.now() - began) / 1000
  took.sort((a, b) => a - b)
  return {
    journeys: took.length,
    calls: calls / (took.length + failures.length),
    perSecond: took.length / lasted,
    p50: quantile(took, 0.5),
    p99: quantile(took, 0.99),
    failures: failures.length,
    firstFailure: failures[0],
  }
}

const send = async (agent: Agent, url: string, ...[method, path, headers, body]: Parameters<Call>): Promise<Answer> => {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const content = text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  const sent = request(`${url}${path}`, { agent, method, headers: { ...headers, ...content } })
  sent.setTimeout(answerWithinMs, () => sent.destroy(new Error(`no answer within ${answerWithinMs} ms`)))
  sent.end(text)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.setEncoding('utf8')
  let received = ''
  for await (const part of answer) received += part
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: received }
}

const answerWithinMs = 60_000

/** Of sorted values. */
export const quantile = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

/** The content of an answer, which must have a status of success. */
export const contentOf = ({ status, text }: Answer, what: string) => {
  if (status < 200 || status >= 300) throw new Error(`${what}: ${status} ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

/** An answer without success, or without what it must have, ends the journey as a failure. */
export const expectThat = (holds: boolean, what: string, { status, text }: Answer) => {
  if (status < 200 || status >= 300 || !holds) throw new Error(`${what}: ${status} ${text.slice(0, 500)}`)
}

/** How often an answer has this part. Cheaper than parsing, which would take the time of the servers on a small machine. */
export const countParts = ({ text }: Answer, part: string) => text.split(part).length - 1
