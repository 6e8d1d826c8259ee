import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { seconds } from '../core/clock.ts'
import { OperatorError } from '../core/operator-error.ts'
import { errorCode, errorMessage } from '../core/thrown.ts'
import { type Migration, splitStatements } from './migration-files.ts'
import { connectToPrimary } from './primary.ts'

export type ApplyOptions = {
  connection: pg.ClientConfig
  /** Is told about waits and long work, in whole lines. */
  onProgress: (line: string) => void
  progressEveryMs?: number
  lockTimeoutMs?: number
}

/**
 * A statement that waits for a lock stops all later ones on the same table, and with them the shop. So it gives up soon
 * and is tried again.
 */
const defaultLockTimeoutMs = 2_000
const maxTries = 60
const pauseMs = 500

/** Applies one migration, or continues it where an earlier run was interrupted. */
export const applyMigration = async (client: pg.Client, migration: Migration, options: ApplyOptions) => {
  try {
    if (migration.runs === 'in a transaction') await applyInTransaction(client, migration, options)
    else if (migration.runs === 'concurrently') await applyConcurrently(client, migration, options)
    else await applyInBatches(client, migration, options)
  } catch (error) {
    const state = migration.runs === 'in a transaction' ? 'failed and was rolled back' : 'failed and can be continued'
    throw new OperatorError(`The migration ${migration.name} ${state}: ${errorMessage(error)}.`, { cause: error })
  }
}

const applyInTransaction = (client: pg.Client, migration: Migration, options: ApplyOptions) =>
  inTransaction(client, migration, options, async () => {
    // One by one: Citus sends the whole text to other servers for each statement that changes a table.
    for (const statement of splitStatements(migration.text)) await client.query(statement)
    await note(client, migration, true)
  })

/**
 * Statements that PostgreSQL refuses in a transaction, or that would lock a table too long in one. Each is repeatable: an
 * index is built once, one that was left half built is removed first.
 */
const applyConcurrently = async (client: pg.Client, migration: Migration, options: ApplyOptions) => {
  await note(client, migration, false)
  const statements = splitStatements(migration.text)
  for (const [i, statement] of statements.entries()) {
    options.onProgress(`${migration.name}: statement ${i + 1} of ${statements.length}`)
    const [, index] =
      /^create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?(\w+)\s+on/i.exec(statement) ?? []
    if (index === undefined) await client.query(statement)
    else await buildIndex(client, { index, statement, name: migration.name }, options)
  }
  await note(client, migration, true)
}

type IndexBuild = { index: string; statement: string; name: string }

const buildIndex = async (client: pg.Client, { index, statement, name }: IndexBuild, options: ApplyOptions) => {
  const { rows } = await client.query('select indisvalid from pg_index where indexrelid = to_regclass($1)', [index])
  if (rows[0]?.indisvalid) return
  if (rows.length > 0) {
    options.onProgress(`${name}: removing what is left of ${index}`)
    await client.query(`drop index concurrently if exists ${index}`)
  }
  const stopWatching = await watchIndex(client, name, options)
  try {
    await client.query(statement)
  } finally {
    await stopWatching()
  }
}

/** Reports how far the index of another connection is. */
const watchIndex = async (builder: pg.Client, name: string, options: ApplyOptions) => {
  const { rows } = await builder.query('select pg_backend_pid() as pid')
  const watcher = await connectToPrimary({ application_name: 'vitrine migrate', ...options.connection })
  const tell = async () => {
    const progress = await watcher.query(
      `select phase, blocks_done * 100 / nullif(blocks_total, 0) as percent from pg_stat_progress_create_index
      where pid = $1`,
      [rows[0].pid],
    )
    for (const { phase, percent } of progress.rows)
      options.onProgress(`${name}: ${phase}${percent === null ? '' : `, ${percent} %`}`)
  }
  const timer = setInterval(() => void tell().catch(() => {}), options.progressEveryMs ?? seconds(5))
  return async () => {
    clearInterval(timer)
    await watcher.end().catch(() => {})
  }
}

/**
 * One statement, again and again, each time in a transaction that also keeps how far it came. It takes that as $1 (null at
 * first) and selects one row: `cursor`, the next $1 or null at the end, and `rows`, how many it has dealt with.
 */
const applyInBatches = async (client: pg.Client, migration: Migration, options: ApplyOptions) => {
  await note(client, migration, false)
  const { rows: noted } = await client.query<{ cursor: string | null; rows: number }>(
    'select cursor, rows_done::float8 as rows from vitrine_migration where number = $1',
    [migration.number],
  )
  let { cursor, rows: done } = noted[0] ?? { cursor: null, rows: 0 }
  if (cursor !== null) options.onProgress(`${migration.name}: continues after ${done} rows`)
  let toldAt = performance.now()
  do {
    const batch = await inTransaction(client, migration, options, () => runBatch(client, migration, cursor))
    cursor = batch.cursor
    done += batch.rows
    const isDue = performance.now() - toldAt >= (options.progressEveryMs ?? seconds(5))
    if (isDue || cursor === null) {
      options.onProgress(`${migration.name}: ${done} rows`)
      toldAt = performance.now()
    }
  } while (cursor !== null)
}

const runBatch = async (client: pg.Client, { number, text }: Migration, before: string | null) => {
  const { rows } = await client.query(text, [before])
  const batch = { cursor: rows[0]?.cursor ?? null, rows: Number(rows[0]?.rows ?? 0) }
  if (batch.cursor !== null && batch.cursor === before) throw new Error(`the cursor stays at ${before}`)
  await client.query(
    `update vitrine_migration set cursor = $2, rows_done = rows_done + $3, is_finished = $2::text is null, applied_at = now()
    where number = $1`,
    [number, batch.cursor, batch.rows],
  )
  return batch
}

const inTransaction = async <Result>(
  client: pg.Client,
  { name }: Migration,
  { onProgress, lockTimeoutMs = defaultLockTimeoutMs }: ApplyOptions,
  work: () => Promise<Result>,
): Promise<Result> => {
  for (let tries = 1; ; tries++) {
    await client.query('begin')
    try {
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
      const result = await work()
      await client.query('commit')
      return result
    } catch (error) {
      // A lost connection has rolled back by itself.
      await client.query('rollback').catch(() => {})
      if (!isBlocked(error) || tries === maxTries) throw error
      if (tries === 1) onProgress(`${name}: waits until other transactions release their locks`)
      await setTimeout(pauseMs)
    }
  }
}

/** A lock that was not available in time, or a deadlock with the shop. */
const isBlocked = (error: unknown) => ['55P03', '40P01'].includes(errorCode(error) ?? '')

/** From its first statement on, older versions can see what a migration asks of them. */
const note = (client: pg.Client, { number, name, checksum, oldestVersion }: Migration, isFinished: boolean) =>
  client.query(
    `insert into vitrine_migration (number, name, checksum, oldest_version, is_finished) values ($1, $2, $3, $4, $5)
    on conflict (number) do update set is_finished = excluded.is_finished, applied_at = now()`,
    [number, name, checksum, oldestVersion, isFinished],
  )
