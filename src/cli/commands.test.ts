import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { onCluster } from '../../test/cluster.ts'
import { commandsIn, doNotLook, lookAt, useEveryCommand } from '../../test/every-command.ts'
import { describeVitrine } from '../contract.ts'
import { newDatabase, newFolder, runJson, runProcess, runVitrine, seededInstallation, startService } from './fixture.ts'

/** Each kind of database once, with a service and without; test/commands.long.ts has the other two pairs. */
suite('every command does its work and answers in JSON', () => {
  test('on the embedded database while the service runs, which shows each change within a second', async (t) => {
    const installation = await seededInstallation(t)
    const { url } = await startService(t, installation)
    await useEveryCommand(t, commandsIn(installation), lookAt(url), url)
  })

  test('on DATABASE_URL while nothing runs, leaving only a secret, unsent mail and pictures behind', async (t) => {
    const DATABASE_URL = await newDatabase(t, { migrated: onCluster })
    const installation = { DATABASE_URL, VITRINE_DATA_DIR: join(newFolder(t), 'data') }
    await useEveryCommand(t, commandsIn(installation), doNotLook)
    assert.deepEqual(readdirSync(installation.VITRINE_DATA_DIR).sort(), ['mail', 'media', 'secret'])
  })
})

test('openapi prints the description of this version and needs no database', async () => {
  const { code, stdout } = await runProcess(['openapi'], { DATABASE_URL: 'postgres://127.0.0.1:1/none' })
  assert.equal(code, 0)
  const printed = JSON.parse(stdout)
  assert.deepEqual(printed, JSON.parse(JSON.stringify(describeVitrine(printed.info.version))))
})

test('with several stores a command uses the demo store and says so', async (t) => {
  const installation = await seededInstallation(t)
  const quiet = await runVitrine(['store', 'show', '--json'], installation)
  assert.equal(quiet.stderr, '', 'there is only one')
  const demo = JSON.parse(quiet.stdout)
  const made = await runJson(
    ['store', 'create', '--name', 'Blue Door', '--domain', 'bluedoor.example', '--currency', 'EUR'],
    installation,
  )
  const defaulted = await runVitrine(['store', 'show', '--json'], installation)
  assert.equal(defaulted.stderr, `Using the demo store, ${demo.name}. Choose another with --store.\n`)
  assert.equal(JSON.parse(defaulted.stdout).id, demo.id)
  const named = await runVitrine(['store', 'show', '--json', '--store', made.storeId], installation)
  assert.deepEqual([named.stderr, JSON.parse(named.stdout).id], ['', made.storeId])
  const list = await runJson(['store', 'list'], installation)
  assert.deepEqual(
    list.map(({ id, name, currency }: Record<string, string>) => [id, name, currency]),
    [
      [demo.id, demo.name, 'INR'],
      [made.storeId, 'Blue Door', 'EUR'],
    ],
  )
})
