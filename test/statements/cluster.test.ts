import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import type { Queries } from '../../src/db/database.ts'
import { toStatement } from '../../src/db/sql.ts'
import { storeByStore } from '../../src/features/doctor/invariants.ts'
import { onlyOnCluster } from '../cluster.ts'
import { databaseUrl } from '../harness.ts'
import { listStatements, type SentStatement } from './record.ts'

/** Statements that only a database on one server is sent. */
const findLocalOnes = async () => {
  const rulesOfAllStores: string[] = []
  const many = async (strings: TemplateStringsArray, ...values: unknown[]) => {
    rulesOfAllStores.push(toStatement(strings, values).text)
    return []
  }
  for (const find of storeByStore) await find({ many } as Partial<Queries> as Queries, null)
  return ({ text }: SentStatement) =>
    rulesOfAllStores.includes(text) ||
    // They jump from store to store; others are sent in their place (across-stores.ts).
    /with recursive found/.test(text) ||
    // Servers number transactions each for itself, so there is no stock feed and no index file (decisions 0055 and 0059).
    text.includes('pg_current_snapshot')
}

/** In place of the texts of the samples, which are no times or numbers. */
const texts = ['x', '20260101', '1', 'UTC', '(0,1)', 'month', '{}', '[]', '{"x": 1}', 'true']

const withText = (value: unknown, text: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => withText(one, text))
  return value === 'x' ? text : typeof value === 'string' ? value.replaceAll('"x"', JSON.stringify(text)) : value
}

test('a cluster accepts every statement of the service', onlyOnCluster, async () => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const attempt = async (text: string, values: unknown[]): Promise<pg.DatabaseError | undefined> => {
    await client.query('begin')
    try {
      await client.query({ text, values })
      return undefined
    } catch (error) {
      if (error instanceof pg.DatabaseError) return error
      throw error
    } finally {
      await client.query('rollback')
    }
  }
  const isLocal = await findLocalOnes()
  const statements = (await listStatements()).filter((statement) => !isLocal(statement))
  const refused = new Set<string>()
  for (const { site, text, values } of statements) {
    let fault: pg.DatabaseError | undefined
    for (const sample of texts) {
      fault = await attempt(
        text,
        values.map((value) => withText(value, sample)),
      )
      const isOfTypes = fault?.code?.startsWith('22')
      if (!isOfTypes) break
    }
    // A row that is refused by a key was planned and sent.
    const isOfKeys = fault?.code?.startsWith('23')
    if (fault !== undefined && !isOfKeys) refused.add(`${site.path}:${site.line} ${fault.code} ${fault.message}`)
  }
  await client.end()
  assert.deepEqual([...refused], [])
  assert.ok(statements.length > 1000)
})
