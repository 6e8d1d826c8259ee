import pg from 'pg'
import { createApp } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import { StatementBatch } from '../src/db/batch.ts'
import { createLogger } from '../src/logging.ts'
import type { OneRequest } from './send-each.ts'

/** What was sent for one request. */
export type Recording = readonly Sent[]
type Sent = { text: string; values: readonly unknown[] }

export type Recorder = {
  /** `before`: requests that fill the caches of a running service. */
  record(requests: readonly OneRequest[], before?: readonly OneRequest[]): Promise<Recording[]>
  close(): Promise<void>
}

/**
 * Records everything that the service sends to the database for each request, with the values. A second copy of the
 * service, in this process, answers one request after another, and the calls of its database driver are noted.
 */
export const openRecorder = async (
  connection: pg.ClientConfig,
  secret = 'a secret that signs nothing that lasts',
): Promise<Recorder> => {
  const config = loadConfig({ NODE_ENV: 'test', VITRINE_PUBLIC_URL: 'http://localhost', LOG_LEVEL: 'warn' })
  const options = { config, connection, directConnection: connection, secrets: [secret], logger: createLogger(config) }
  const app = await createApp({ ...options, jobs: null, mail: null })
  const send = async ({ method = 'GET', url, headers, body }: OneRequest) => {
    const payload = body === '' ? {} : { payload: body }
    const answer = await app.server.inject({ method: method as 'GET', url, headers, ...payload })
    if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.body}`)
  }
  return {
    record: async (requests, before = requests.slice(-1)) => {
      for (const one of before) await send(one)
      const recordings: Recording[] = []
      for (const one of requests) recordings.push(await listenTo(() => send(one)))
      return recordings
    },
    close: () => app.close(),
  }
}

const listenTo = async (work: () => Promise<void>): Promise<Sent[]> => {
  const sent: Sent[] = []
  const original = pg.Client.prototype.query
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [query] = args as [string | StatementBatch]
    // What is no batch are the settings of a new connection.
    if (query instanceof StatementBatch)
      sent.push(...query.statements.filter(({ text }) => !text.includes('lock_timeout')))
    return (original as (...all: unknown[]) => unknown).apply(this, args)
  } as typeof original
  try {
    await work()
  } finally {
    pg.Client.prototype.query = original
  }
  return sent
}

/** A script of pgbench with its variables, and the number of requests that it stands for. */
export type Replay = { script: string; variables: Record<string, string>; requests: number }

/** What the connections of the service are set to. */
export const serviceSettings = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off'

/**
 * Replays recordings with pgbench: the same statements with the same values, except that new rows get new ids. With
 * `shareOut`, each client has a part of the recordings to itself, so that no client waits for a row of another. Otherwise
 * each goes through all of them.
 */
export const writeReplay = (
  recordings: readonly Recording[],
  { clients, shareOut }: { clients: number; shareOut: boolean },
): Replay => {
  const shares = shareOut ? clients : 1
  const each = recordings.length / shares
  if (!Number.isInteger(each)) throw new Error(`${recordings.length} recordings cannot be shared by ${clients} clients`)
  const newIds = findNewIds(recordings)
  const variables: Record<string, string> = {}
  const keep = (name: string, value: string | null) => {
    if (value !== null) variables[name] = value
    return `:${name}`
  }
  const writeValue = (value: string | null, name: string) => {
    const pieces = value?.split(anyIdOrSequence).filter((piece) => piece !== '') ?? []
    if (!pieces.some((piece) => newIds.has(piece))) return keep(name, value)
    const written = pieces.map((piece, i) => newIds.get(piece) ?? `${keep(`${name}_${i}`, piece)}::text`)
    return `(${written.join(' || ')})`
  }
  const writeStatement = ({ text, values }: Sent, place: string) =>
    `${text.replaceAll(/\$(\d+)/g, (_, number) => writeValue(toText(values[number - 1]), `v${place}_${number}`))};`
  const blocks = Array.from({ length: shares }, (_, client) => {
    const own = recordings.slice(client * each, (client + 1) * each)
    const lines = own.flatMap((sent, i) => [
      '\\set fresh random(1, 1000000000000000)',
      '\\set sequence random(1000000, 2000000000)',
      ...sent.map((one, j) => writeStatement(one, `${client}_${i}_${j}`)),
    ])
    return [`\\if :client_id % ${shares} = ${client}`, ...lines, '\\endif'].join('\n')
  })
  return { script: blocks.join('\n'), variables, requests: each }
}

/** Ids as the service makes them, and the number of an event among those of its subject. */
const anyIdOrSequence = /(\b[a-z]{2,5}_[0-9a-z]{20,26}\b|"sequence":\d+)/

/**
 * What would be refused a second time, with what pgbench writes in its place: numbers of events, and ids that only one
 * recording has, which are those of new rows.
 */
const findNewIds = (recordings: readonly Recording[]): Map<string, string> => {
  const seen = recordings.map((sent) => new Set(sent.flatMap(({ values }) => values.flatMap(idsIn))))
  const all = [...new Set(seen.flatMap((found) => [...found]))]
  const isNew = (id: string) => seen.filter((ids) => ids.has(id)).length === 1
  return new Map(
    all.flatMap((id, i): [string, string][] => {
      if (id.startsWith('"')) return [[id, `'"sequence": ' || :sequence::text`]]
      return isNew(id) ? [[id, `'${id.split('_')[0]}_${i}_' || :fresh::text`]] : []
    }),
  )
}

const idsIn = (value: unknown) => toText(value)?.match(new RegExp(anyIdOrSequence, 'g')) ?? []

/** A value as the driver sends it. */
const toText = (value: unknown): string | null => {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return `{${value.map((one) => writeItem(toText(one))).join(',')}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const writeItem = (text: string | null) => (text === null ? 'null' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`)
