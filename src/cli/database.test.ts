import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseUrl } from '../../test/harness.ts'
import { loadConfig } from '../config.ts'
import { openDatabase } from './database.ts'

test('a database that has a direct address too is behind a pooler', async () => {
  const open = (databaseDirectUrl: string | null) =>
    openDatabase({ ...loadConfig({ NODE_ENV: 'test' }), databaseUrl, databaseDirectUrl }, { role: 'service' })
  for (const direct of [null, databaseUrl]) {
    const { connection, directConnection } = await open(direct)
    assert.deepEqual([connection.isPooler, directConnection], [false, connection])
  }
  const direct = `${databaseUrl}?application_name=direct`
  const { connection, directConnection } = await open(direct)
  assert.deepEqual([connection.isPooler, directConnection], [true, { connectionString: direct }])
})
