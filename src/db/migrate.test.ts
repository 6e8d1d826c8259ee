import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { loadModule, parseSync } from 'libpg-query'
import pg from 'pg'
import { databaseUrl } from '../../test/harness.ts'
import { openLine } from '../../test/outage.ts'
import { sparePort } from '../../test/redis.ts'
import { OperatorError } from '../core/operator-error.ts'
import { examineSchema, migrate } from './migrate.ts'
import { readMigrations, splitStatements } from './migration-files.ts'

const withClient = async <Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

let databases = 0
/** An empty database for the length of a test. */
const newDatabase = async (t: TestContext, encoding = "encoding 'UTF8'") => {
  const name = `migrate_test_${process.pid}_${++databases}`
  await withClient(databaseUrl, (client) => client.query(`create database ${name} template template0 ${encoding}`))
  t.after(() => withClient(databaseUrl, (client) => client.query(`drop database ${name} with (force)`)))
  return databaseUrl.replace(/\/[^/]*$/, `/${name}`)
}

const names = readMigrations().map(({ name }) => name)

const tablesOf = (url: string) =>
  withClient(url, async (client) => {
    const text = `select table_name as name from information_schema.tables where table_schema = 'public'`
    return (await client.query<{ name: string }>(text)).rows.map(({ name }) => name)
  })

/** A short message for the operator that explains the error and never shows the password. */
const isClearError =
  (pattern: RegExp, ...secrets: string[]) =>
  (error: unknown) => {
    assert.ok(error instanceof OperatorError, String(error))
    assert.match(error.message, pattern)
    assert.doesNotMatch(error.message, /\n|undefined|\[object/)
    // A server may ask for no password.
    for (const given of secrets.filter((one) => one !== '')) assert.ok(!error.message.includes(given), error.message)
    return true
  }

test('an empty database gets every migration once, in order, and a second run applies none', async (t) => {
  const url = await newDatabase(t)
  const stateOf = async () => {
    const { isEmpty, pending, newer, isDeclared } = await withClient(url, examineSchema)
    return { isEmpty, pending, newer, isDeclared }
  }
  assert.deepEqual(await stateOf(), { isEmpty: true, pending: names, newer: [], isDeclared: true })
  assert.deepEqual(await migrate({ connectionString: url }), names)
  assert.deepEqual(await stateOf(), { isEmpty: false, pending: [], newer: [], isDeclared: true })
  assert.deepEqual(await migrate({ connectionString: url }), [])
  assert.ok((await tablesOf(url)).includes('store'))
})

test('instances that start together migrate once', async (t) => {
  const url = await newDatabase(t)
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrate({ connectionString: url })))
  assert.deepEqual(applied.flat(), names)
  assert.equal(applied.filter((list) => list.length > 0).length, 1, 'one instance applied all of them')
})

test('a migration that was changed after it was applied is refused by name', async (t) => {
  const url = await newDatabase(t)
  await migrate({ connectionString: url })
  await withClient(url, (client) => client.query(`update vitrine_migration set checksum = 'other' where number = 1`))
  await assert.rejects(migrate({ connectionString: url }), isClearError(/0001_stores\.sql was changed/))
})

test('a database of a newer version is refused and left alone', async (t) => {
  const url = await newDatabase(t)
  await migrate({ connectionString: url })
  await withClient(url, (client) =>
    client.query(`insert into vitrine_migration (number, name, checksum) values (9999, '9999_future.sql', 'x')`),
  )
  await assert.rejects(migrate({ connectionString: url }), isClearError(/newer Vitrine: it has 9999_future\.sql/))
  await assert.rejects(withClient(url, examineSchema), isClearError(/newer Vitrine/))
})

test('a database of a newer version is used if that version says it works beside this one', async (t) => {
  const url = await newDatabase(t)
  await migrate({ connectionString: url })
  await withClient(url, (client) =>
    client.query(`insert into vitrine_migration (number, name, checksum, oldest_version)
      values (9998, '9998_column.sql', 'x', '0.2.0'), (9999, '9999_rename.sql', 'y', '0.3.0')`),
  )
  assert.deepEqual(await migrate({ connectionString: url }, { version: '0.3.0' }), [])
  const { newer } = await withClient(url, (client) => examineSchema(client, { version: '0.3.1' }))
  assert.deepEqual(newer, ['9998_column.sql', '9999_rename.sql'])
  await assert.rejects(
    migrate({ connectionString: url }, { version: '0.2.4' }),
    isClearError(/newer Vitrine: 9999_rename\.sql needs version 0\.3\.0 or newer, and this is 0\.2\.4\./),
  )
})

test('what an older version has applied is declared by the next one', async (t) => {
  const url = await newDatabase(t)
  await migrate({ connectionString: url })
  const columns = 'oldest_version, drop column is_finished, drop column cursor, drop column rows_done'
  await withClient(url, (client) => client.query(`alter table vitrine_migration drop column ${columns}`))
  assert.deepEqual(await migrate({ connectionString: url }), [])
  const declared = await withClient(url, (client) =>
    client.query('select name, oldest_version as version from vitrine_migration order by number'),
  )
  assert.deepEqual(
    declared.rows,
    readMigrations().map(({ name, oldestVersion: version }) => ({ name, version })),
  )
})

test('every migration says beside which versions it works', () => {
  for (const { name, oldestVersion } of readMigrations())
    assert.ok(oldestVersion, `${name} needs a line such as "-- oldest version beside: 0.2.0" (decision 0051)`)
})

test('no migration was changed after others could apply it', () => {
  const file = new URL('../../test/upgrade/checksums.json', import.meta.url)
  const known: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'))
  const now = new Map(readMigrations().map(({ name, checksum }) => [name, checksum]))
  for (const [name, checksum] of Object.entries(known)) assert.equal(now.get(name), checksum, `${name} was changed`)
})

test('a failed migration is rolled back completely, and can be run again once the cause is fixed', async (t) => {
  const url = await newDatabase(t)
  await withClient(url, (client) => client.query('create table outlet (in_the_way integer)'))
  await assert.rejects(migrate({ connectionString: url }), isClearError(/0001_stores\.sql failed and was rolled back/))
  assert.deepEqual((await tablesOf(url)).sort(), ['outlet', 'vitrine_migration'])
  await withClient(url, (client) => client.query('drop table outlet'))
  assert.deepEqual(await migrate({ connectionString: url }), names)
})

test('a database in another encoding is refused before anything is created in it', async (t) => {
  const url = await newDatabase(t, `encoding 'LATIN1' locale_provider libc lc_collate 'C' lc_ctype 'C'`)
  await assert.rejects(migrate({ connectionString: url }), isClearError(/UTF8.*LATIN1/))
  assert.deepEqual(await tablesOf(url), [])
})

test('the statements of migrations are told apart, also those with bodies of functions', async () => {
  await loadModule()
  const count = (text: string) => parseSync(text).stmts?.length
  for (const { name, text } of readMigrations()) {
    const statements = splitStatements(text)
    for (const statement of statements) assert.equal(count(statement), 1, `${name}: ${statement}`)
    assert.equal(statements.length, count(text), name)
  }
})

test('migrations are numbered from 1 without a gap', () => {
  assert.deepEqual(
    readMigrations().map(({ number }) => number),
    names.map((_, i) => i + 1),
  )
})

const secret = 'pa55word-of-the-operator'

test('a wrong password, a wrong user and a wrong database have different messages', async (t) => {
  const line = await openLine(t)
  const url = new URL(line.url)
  const address = `127.0.0.1:${url.port}`
  const withPart = (change: (copy: URL) => void) => {
    const copy = new URL(line.url)
    change(copy)
    return { connectionString: copy.href }
  }
  const absent = withPart((copy) => {
    copy.pathname = '/no_such_database'
  })
  await assert.rejects(migrate(absent), isClearError(/no database "no_such_database"/, url.password))
  const { password: asked } = url
  const wrong = withPart((copy) => {
    copy.password = secret
  })
  if (await acceptsAnyPassword(wrong.connectionString)) return t.diagnostic('this database requires no password')
  await assert.rejects(migrate(wrong), isClearError(new RegExp(`${address} refused`), secret, asked))
  const unknownUser = withPart((copy) => {
    copy.username = 'nobody_at_all'
  })
  await assert.rejects(migrate(unknownUser), isClearError(/refused the user or the password/, asked))
})

const acceptsAnyPassword = (url: string) =>
  withClient(url, async () => true).catch((error) => {
    assert.equal(error.code, '28P01')
    return false
  })

test('a closed port, an unknown host and an invalid address have different messages', async () => {
  const port = await sparePort()
  const at = (rest: string) => ({ connectionString: `postgres://me:${secret}@${rest}` })
  await assert.rejects(migrate(at(`127.0.0.1:${port}/shop`)), isClearError(/not listening at 127\.0\.0\.1/, secret))
  await assert.rejects(migrate(at('no-such-host.invalid/shop')), isClearError(/was not found/, secret))
  await assert.rejects(migrate(at('127.0.0.1:not-a-port/shop')), isClearError(/not a valid URL/, secret))
  await assert.rejects(migrate(at('half#of:it@127.0.0.1/shop')), isClearError(/./, secret))
})

test('a server that is not PostgreSQL has a clear message', async (t) => {
  const server = createServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  const url = `postgres://me:${secret}@127.0.0.1:${port}/shop`
  await assert.rejects(migrate({ connectionString: url }), isClearError(/cannot be reached/, secret))
})
