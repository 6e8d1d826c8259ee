import { suite, test } from 'node:test'
import { freePort, newDatabase, newFolder, newInstallation, startService } from '../src/cli/fixture.ts'
import { commandsIn, doNotLook, lookAt, useEveryCommand } from './every-command.ts'

suite('every command does its work and answers in JSON', () => {
  test('on the embedded database while nothing runs', async (t) => {
    await useEveryCommand(t, commandsIn(await newInstallation(t)), doNotLook)
  })

  test('on DATABASE_URL while the service runs, which shows each change within a second', async (t) => {
    const installation = { DATABASE_URL: await newDatabase(t), VITRINE_DATA_DIR: newFolder(t), PORT: await freePort() }
    const { url } = await startService(t, installation)
    await useEveryCommand(t, commandsIn(installation), lookAt(url), url)
  })
})
