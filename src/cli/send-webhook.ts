import type { Config } from '../config.ts'
import { OperatorError } from '../core/operator-error.ts'

export type SentWebhook = { path: string; headers: Record<string, string>; body: unknown }

/** Calls the running service the way a provider does, and gives back what it answered with 200. */
export const sendWebhook = async <Answer>(config: Config, { path, headers, body }: SentWebhook): Promise<Answer> => {
  const url = `${localUrl(config)}${path}`
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  }).catch((error) => {
    throw new OperatorError(`Nothing answers at ${url}. Start the service first, with the same PORT.`, { cause: error })
  })
  const answer = (await response.json().catch(() => ({}))) as { error?: string }
  if (response.ok) return answer as Answer
  throw new OperatorError(`The service answered ${response.status} at ${path}: ${answer.error ?? 'no reason given.'}`)
}

/** Where the service of this configuration listens, seen from this machine. */
const localUrl = ({ host, port }: Config) => {
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }
  return `http://${everywhere[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}`
}

export const refuseInProduction = ({ production }: Config) => {
  if (production) throw new OperatorError('Nothing is simulated in production: orders there are real.')
}
