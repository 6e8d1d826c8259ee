import type { Config } from '../config.ts'
import { OperatorError } from '../core/operator-error.ts'
import { serviceUrl } from './service-note.ts'

export type SentWebhook = { path: string; headers: Record<string, string>; body: unknown }

/** Calls the running service as a provider would. Returns its answer and the address that was called. */
export const sendWebhook = async <Answer>(
  config: Config,
  { path, headers, body }: SentWebhook,
): Promise<Answer & { service: string }> => {
  const service = serviceUrl(config)
  const response = await fetch(`${service}${path}`, {
    method: 'POST',
    signal: AbortSignal.timeout(30_000),
    redirect: 'error',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }).catch((error) => {
    throw new OperatorError(
      `No service answers at ${service}. Start it first, with the same VITRINE_DATA_DIR and PORT.`,
      { cause: error },
    )
  })
  const answer = (await response.json().catch(() => ({}))) as Answer & { error?: string }
  if (response.ok) return { ...answer, service }
  throw new OperatorError(
    `The service at ${service} answered ${response.status} for ${path}: ${answer.error ?? 'no reason given.'}`,
  )
}

export const refuseInProduction = ({ production }: Config) => {
  if (production) throw new OperatorError('Events cannot be simulated in production, where orders are real.')
}
