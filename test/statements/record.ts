import assert from 'node:assert/strict'
import { relative } from 'node:path/posix'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Deletable } from '../../src/db/due-rows.sql.ts'
import { toStatement } from '../../src/db/sql.ts'
import { root } from '../compiler.ts'
import { listDeletables } from './deletables.ts'
import { type Choose, runWithChoices, sampleOf, sampleStoreId } from './samples.ts'
import type { Shape } from './shape.ts'
import { type CallSite, type Method, readSqlFiles, type SqlFile, type SqlFunction } from './source.ts'

/** A statement as it would be sent: its text, values made of samples, and where in the source it is sent from. */
export type SentStatement = { site: CallSite; text: string; values: readonly unknown[] }

export type Recorded = {
  statements: SentStatement[]
  /** Call sites that no sample has reached; their statements are missing. */
  unreached: CallSite[]
  /** Functions that failed with a sample, and how. */
  failed: string[]
}

/** All statements that the service can send, with their source files. Throws when one of them cannot be recorded. */
export const listStatements = async (): Promise<SentStatement[]> => {
  const { statements, unreached, failed } = await recordStatements()
  assert.deepEqual([...unreached.map(({ path, line }) => `${path}:${line} was not reached`), ...failed], [])
  return statements
}

let ofService: Promise<Recorded> | undefined

/**
 * The statements of *.sql.ts files, each text once for a call site, and those that could not be recorded. Those of the
 * service are recorded once in a process: the compiler reads the whole source for it.
 */
export const recordStatements = (files?: readonly SqlFile[]): Promise<Recorded> => {
  if (files !== undefined) return recordFiles(files)
  ofService ??= recordFiles(readSqlFiles())
  return ofService
}

/** Calls every exported function with samples of its parameter types and with a database that only records. */
const recordFiles = async (files: readonly SqlFile[]): Promise<Recorded> => {
  const statements = new Map<string, SentStatement>()
  const sites = byPlace(files.flatMap(({ callSites }) => callSites))
  const failed = new Set<string>()
  const deletables = (await listDeletables()).map(({ deletable }) => deletable)
  const snapshots = await makeSnapshots(files)
  const record = (place: string, text: string, values: readonly unknown[]) => {
    const site = sites.get(place)
    assert.ok(site, `a statement was sent from ${place}, where the source has none`)
    const known = statements.get(`${place} ${text}`)
    // Values that name the store tell more than null does.
    if (known === undefined || countStores(values) > countStores(known.values)) {
      statements.set(`${place} ${text}`, { site, text, values })
    }
    return site
  }
  for (const { path, functions } of files) {
    const module: Record<string, unknown> = await import(pathToFileURL(root + path).href)
    for (const declared of functions) {
      const call = module[declared.name]
      assert.ok(typeof call === 'function', `${path} exports no function ${declared.name}`)
      await runWithChoices(async (choose) => {
        try {
          await call(...argumentsFor(declared, { choose, record, deletables, snapshots }))
        } catch (error) {
          failed.add(`${path}: ${declared.name} failed with a sample: ${error}`)
        }
      })
    }
  }
  const reached = new Set([...statements.values()].map(({ site }) => site))
  const unreached = [...sites.values()].filter((site) => !reached.has(site))
  return { statements: [...statements.values()], unreached, failed: [...failed] }
}

const countStores = (values: readonly unknown[]) => values.filter((value) => value === sampleStoreId).length

const byPlace = (callSites: readonly CallSite[]) => {
  const sites = new Map<string, CallSite>()
  for (const site of callSites) {
    const place = `${site.path}:${site.line}`
    assert.ok(!sites.has(place), `${place} has two statements, which a stack trace cannot tell apart`)
    sites.set(place, site)
  }
  return sites
}

type RecordStatement = (place: string, text: string, values: readonly unknown[]) => CallSite

/** What events keep of their subjects, each made of samples. */
const makeSnapshots = async (files: readonly SqlFile[]): Promise<unknown[]> => {
  const made: unknown[] = []
  const options = { choose: () => 0, queries: undefined, deletables: [], snapshots: [] }
  for (const { path, snapshots } of files) {
    const module: Record<string, unknown> = await import(pathToFileURL(root + path).href)
    for (const { name, parameters } of snapshots) {
      const make = module[name]
      assert.ok(typeof make === 'function', `${path} exports no function ${name}`)
      made.push(make(...parameters.map((shape, i) => sampleOf(shape, `${i}`, options))))
    }
  }
  return made
}

type CallOptions = {
  choose: Choose
  record: RecordStatement
  deletables: readonly Deletable[]
  snapshots: readonly unknown[]
}

const argumentsFor = ({ parameters }: SqlFunction, { choose, record, deletables, snapshots }: CallOptions) => {
  const queries = recordingQueries(choose, record)
  return parameters.map((shape, i) => sampleOf(shape, `${i}`, { choose, queries, deletables, snapshots }))
}

/** A `Db` and a `Tx` in one. Records every statement, and answers with no row or with a sample of the row type. */
const recordingQueries = (choose: Choose, record: RecordStatement) => {
  const send =
    (method: Method) =>
    async (strings: TemplateStringsArray, ...values: unknown[]) => {
      const place = callerPlace()
      const statement = toStatement(strings, values)
      const { row } = record(place, statement.text, statement.values)
      const hasRow = method === 'one' || choose(`rows of ${place}`, 2) === 1
      return answerTo(method, hasRow, row)
    }
  const queries = { many: send('many'), one: send('one'), maybeOne: send('maybeOne'), run: send('run') }
  return { ...queries, fresh: queries, later: () => {} }
}

const answerTo = (method: Method, hasRow: boolean, shape: Shape = { kind: 'unknown' }) => {
  if (method === 'run') return Number(hasRow)
  const row = hasRow
    ? sampleOf(shape, '', { choose: () => 0, queries: undefined, deletables: [], snapshots: [] })
    : undefined
  return method === 'many' ? (hasRow ? [row] : []) : row
}

/** The nearest *.sql.ts on the stack, such as `src/features/cart/cart.sql.ts:78`. */
const callerPlace = () => {
  const found = /(file:\S+\.sql\.ts):(\d+):\d+/.exec(new Error().stack ?? '')
  assert.ok(found?.[1], 'a statement was sent from outside of *.sql.ts')
  return `${relative(root, fileURLToPath(found[1]))}:${found[2]}`
}
