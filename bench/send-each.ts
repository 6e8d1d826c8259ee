import { Agent, request } from 'node:http'

export type OneRequest = { method?: string; url: string; headers: Record<string, string>; body: string }
export type OneAnswer = { status: number; headers: NodeJS.Dict<string | string[]>; body: string; answerMs: number }

/** Sends each request once, as fast as this many connections allow. Returns the answers in the order of the requests. */
export const sendEach = async (requests: readonly OneRequest[], connections: number): Promise<OneAnswer[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const answers: OneAnswer[] = []
  let next = 0
  const sendNext = async (): Promise<void> => {
    const at = next++
    const one = requests[at]
    if (one === undefined) return
    answers[at] = await sendOne(agent, one)
    return sendNext()
  }
  await Promise.all(Array.from({ length: connections }, sendNext))
  agent.destroy()
  return answers
}

const sendOne = (agent: Agent, { method = 'POST', url, headers, body }: OneRequest): Promise<OneAnswer> =>
  new Promise((resolve, reject) => {
    const startMs = performance.now()
    const length = { 'content-length': String(Buffer.byteLength(body)) }
    const outgoing = request(url, { agent, method, headers: { ...headers, ...length } }, (incoming) => {
      const parts: Buffer[] = []
      incoming.on('data', (part) => parts.push(part))
      incoming.on('error', reject)
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: Buffer.concat(parts).toString('utf8'),
          answerMs: performance.now() - startMs,
        }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })

export const quantile = (figures: readonly number[], share: number): number => {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
