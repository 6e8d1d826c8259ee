import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { onlyOnCluster } from '../../test/cluster.ts'
import { joinServers } from '../../test/databases.ts'
import { directoryTables, tenantTables } from '../db/tenancy.ts'
import { assertSentence, newDatabase, newFolder, runJson, runVitrine } from './fixture.ts'

const newInstallation = async (t: TestContext) => ({
  DATABASE_URL: await newDatabase(t),
  VITRINE_DATA_DIR: newFolder(t),
})

test('migrate --distribute needs Citus, and says so', async (t) => {
  const refused = await runVitrine(['migrate', '--distribute'], await newInstallation(t))
  assertSentence(refused, 'does not have the extension citus')
})

test('migrate --distribute moves the stores, and does nothing the second time', onlyOnCluster, async (t) => {
  const settings = await newInstallation(t)
  await joinServers(settings.DATABASE_URL)
  const { distributed } = await runJson(['migrate', '--distribute'], settings)
  assert.deepEqual(distributed.tables, [...directoryTables, ...tenantTables])
  const again = await runVitrine(['migrate', '--distribute'], settings)
  assert.equal(again.code, 0, again.stderr)
  assert.match(again.stdout, /^The database is up to date\.\nThe database is distributed\.\n/)
})
