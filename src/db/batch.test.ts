import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { databaseUrl } from '../../test/harness.ts'
import { Sending, type SentStatement, StatementBatch } from './batch.ts'
import { sqlState } from './errors.ts'

const connect = async (t: TestContext, options: pg.ClientConfig = {}) => {
  // Directly, because a pooler may not support named statements.
  const client = new pg.Client({ connectionString: databaseUrl, pipeline: true, ...options })
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  return client
}

type Sent = { rows?: object[]; count?: number | null; state?: string }

/** What each statement of one batch is answered. */
const send = (client: pg.Client, statements: readonly SentStatement[]): Promise<Sent[]> => {
  const sendings = statements.map((statement) => new Sending(statement))
  client.query(new StatementBatch(sendings))
  return Promise.all(
    sendings.map(({ answered }) =>
      answered.then(
        ({ rows, rowCount }): Sent => ({ rows, count: rowCount }),
        (error): Sent => ({ state: sqlState(error) || error.message }),
      ),
    ),
  )
}

const one = { name: 'one', text: 'select $1::integer as one, null::text as nothing' }
const two = { name: 'two', text: `select $1::jsonb as two, '2026-11-18T12:00:00Z'::timestamptz as at` }

test('the statements of a batch have their own rows, counts and types, also when they are prepared already', async (t) => {
  const client = await connect(t)
  for (const _ of [1, 2, 3]) {
    const [first, second, third, fourth] = await send(client, [
      { text: 'begin' },
      { ...one, values: [7] },
      { ...two, values: [{ a: [1, 'x'] }] },
      { ...one, values: [null] },
    ])
    assert.deepEqual(first, { rows: [], count: null })
    assert.deepEqual(second, { rows: [{ one: 7, nothing: null }], count: 1 })
    const at = new Date('2026-11-18T12:00:00Z')
    assert.deepEqual(third, { rows: [{ two: { a: [1, 'x'] }, at }], count: 1 })
    assert.deepEqual(fourth, { rows: [{ one: null, nothing: null }], count: 1 })
    await send(client, [{ text: 'rollback' }])
  }
})

test('after a failure the rest of a batch is skipped, and prepared when it is sent again', async (t) => {
  const client = await connect(t)
  const failed = await send(client, [
    { text: 'begin' },
    { ...one, values: [1] },
    { name: 'no', text: 'select 1 / $1::integer as quotient', values: [0] },
    { ...two, values: [2] },
    { name: 'end', text: 'commit' },
  ])
  assert.deepEqual(failed.slice(2), [{ state: '22012' }, { state: '25P02' }, { state: '25P02' }])
  assert.deepEqual(failed[1]?.rows, [{ one: 1, nothing: null }])
  assert.deepEqual(await send(client, [{ name: 'undo', text: 'rollback' }]), [{ rows: [], count: null }])
  const again = await send(client, [
    { text: 'begin' },
    { name: 'no', text: 'select 1 / $1::integer as quotient', values: [1] },
    { ...two, values: [2] },
    { name: 'end', text: 'commit' },
  ])
  assert.deepEqual(
    again.map(({ count }) => count),
    [null, 1, 1, null],
  )
})

test('a statement that cannot be prepared fails each time with its own error', async (t) => {
  const client = await connect(t)
  const missing = { name: 'missing', text: 'select from no_such_table' }
  for (const _ of [1, 2]) assert.deepEqual(await send(client, [missing]), [{ state: '42P01' }])
  assert.deepEqual((await send(client, [{ ...one, values: [3] }]))[0]?.rows, [{ one: 3, nothing: null }])
})

test('batches that are sent one after another are answered in order, whatever fails', async (t) => {
  const client = await connect(t)
  const answers = await Promise.all([
    send(client, [{ ...one, values: [1] }]),
    send(client, [{ text: 'select 1 / 0 as quotient' }]),
    send(client, [{ text: '' }]),
    send(client, [{ ...one, values: [2] }]),
  ])
  assert.deepEqual(answers, [
    [{ rows: [{ one: 1, nothing: null }], count: 1 }],
    [{ state: '22012' }],
    [{ rows: [], count: null }],
    [{ rows: [{ one: 2, nothing: null }], count: 1 }],
  ])
})

test('a statement whose commit fails has failed', async (t) => {
  const client = await connect(t)
  await send(client, [{ text: 'create temporary table held (id integer unique deferrable initially deferred)' }])
  const insert = { name: 'insert', text: 'insert into held values ($1), ($1)' }
  assert.deepEqual(await send(client, [{ ...insert, values: [1] }]), [{ state: '23505' }])
  assert.deepEqual((await send(client, [{ text: 'select count(*)::integer as n from held' }]))[0]?.rows, [{ n: 0 }])
})

test('a lost connection fails every statement of its batches with the loss', async (t) => {
  const client = await connect(t)
  const answers = await Promise.all([
    send(client, [{ ...one, values: [1] }, { text: 'select pg_sleep(30)' }]),
    send(client, [{ ...one, values: [2] }]),
    Promise.resolve().then(() => void client.connection.stream.destroy()),
  ])
  const states = answers.flatMap((sent) => sent ?? []).map(({ state }) => state)
  assert.equal(states.length, 3)
  for (const state of states) assert.match(state ?? '', /terminated unexpectedly/)
})

test('a value that cannot be sent is refused before anything is sent', () => {
  const loop: { self?: object } = {}
  loop.self = loop
  assert.throws(() => new Sending({ ...one, values: [loop] }), TypeError)
})

test('a time limit for answers that pg was given ends with the answer', async (t) => {
  const client = await connect(t, { query_timeout: 200 })
  await send(client, [{ text: 'select 1' }])
  const failed = await send(client, [{ text: 'select 1 / 0' }])
  assert.deepEqual(failed, [{ state: '22012' }])
  await sleep(400)
  const [answer] = await send(client, [{ text: 'select 2 as two' }])
  assert.deepEqual(answer?.rows, [{ two: 2 }])
  const late = await send(client, [{ text: 'select pg_sleep(5)' }])
  assert.deepEqual(late, [{ state: 'Query read timeout' }])
})
