import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { noPlans } from '../cluster.ts'
import { databaseUrl } from '../harness.ts'
import { checkRowTypes } from './check.ts'
import { listDeletables } from './deletables.ts'
import { connectDescriber } from './describe.ts'
import { listStatements } from './record.ts'
import { readSqlFiles } from './source.ts'

const neverNull = {
  'src/features/accounts/customers.sql.ts passwordHash': 'the condition excludes null',
  'src/features/accounts/otp.sql.ts codeHash': 'the condition excludes null',
  'src/features/stores/stores.sql.ts revokedAt': 'the statement sets it',
  'src/features/stores/webhook-credentials.sql.ts validUntil': 'the statement sets it',
  'src/features/catalog/products.sql.ts categoryId': 'the condition excludes null',
  'src/features/downloads/downloads.sql.ts digital': 'the condition excludes null',
}

let describer: Awaited<ReturnType<typeof connectDescriber>>
before(async () => {
  describer = await connectDescriber(databaseUrl)
})
after(() => describer.close())

test('every row type matches the columns of its statement: names, types and nulls', noPlans, async () => {
  assert.deepEqual(await checkRowTypes({ describer, neverNull }), [])
})

test('the statements of cleanup jobs are checked for every table that they clean', async () => {
  const statements = (await listStatements()).filter(({ site }) => site.path === 'src/db/due-rows.sql.ts')
  const { length } = await listDeletables()
  assert.ok(length > 0)
  assert.equal(statements.length, 2 * length)
})

test('a row type that does not match is refused, and a statement that cannot be checked too', noPlans, async () => {
  const files = readSqlFiles('test/faulty/*.sql.ts', 'test/faulty/tsconfig.json')
  const faults = await checkRowTypes({ describer, files, neverNull: { 'faulty.sql.ts name': 'not needed' } })
  const texts = faults.map((fault) => fault.split('\n')[0]?.replace(/^\S+\.sql\.ts\S* /, ''))
  assert.deepEqual(texts, [
    'does not declare the column "id"',
    'declares "colour", which the statement does not return',
    'declares "rate" as number, and it is string',
    'declares "at" as string, and it is Date',
    'declares "seq" as "x" | 1, and it is number',
    'declares "tags" as (number)[], and it is string[]',
    'declares "seo" as object, and it is JSON, which has no dates',
    'declares "parentId" without null, and it may be null',
    'declares "name" without null, and it may be null',
    'has no row type',
    'is refused: error: column "colour" does not exist',
    'is refused: error: column "colour" of relation "product" does not exist',
    'is reached by no sample of the parameters',
    'is reached by no sample of the parameters',
    'failsWithSample failed with a sample: Error: the word is wrong',
    'neverNull does not need "faulty.sql.ts name"',
  ])
})
