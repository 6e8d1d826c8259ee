import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  findProgram,
  isAlive,
  newFolder,
  postgresPid,
  root,
  runProcess,
  seededInstallation,
  startService,
  until,
  workersOf,
} from './fixture.ts'

/** The machine's own Node, if it has another version than the one that runs these tests. */
const findOtherNode = () => {
  const file = findProgram('node')
  if (file === undefined) return undefined
  return execFileSync(file, ['--version'], { encoding: 'utf8' }).trim() === process.version ? undefined : file
}

const script = join(root, 'bin/vitrine.js')

/** The only child of a process. */
const childOf = (pid: number) => Number(execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).trim())

test("the command runs under the machine's own Node and passes on output, exit codes and signals", async (t) => {
  const node = findOtherNode()
  if (node === undefined) return t.skip('this machine has no other Node')
  const program = [node, script]
  const settings = { VITRINE_DATA_DIR: newFolder(t) }
  const [version, invalid, refused] = await Promise.all([
    runProcess(['--version'], settings, { program }),
    runProcess(['nope'], settings, { program }),
    runProcess(['migrate'], { ...settings, PORT: 'abc' }, { program }),
  ])
  assert.deepEqual([version.code, version.stderr], [0, ''])
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/)
  assert.equal(invalid.code, 2)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /PORT/)

  const installation = await seededInstallation(t)
  const service = await startService(t, installation, { program: [...program, 'start'] })
  const postgres = postgresPid(installation.VITRINE_DATA_DIR) as number
  assert.equal((await service.stop('SIGTERM')).code, 0)
  assert.equal(isAlive(postgres), false)
})

test('the command ends by the signal that ended the program', async (t) => {
  const node = findOtherNode()
  if (node === undefined) return t.skip('this machine has no other Node')
  const installation = await seededInstallation(t)
  const service = await startService(t, installation, { program: [node, script, 'start'] })
  process.kill(childOf(service.pid), 'SIGKILL')
  assert.equal((await service.ended).signal, 'SIGKILL')
  // The embedded database outlives a killed service; the next command that uses it stops it.
  await runProcess(['migrate'], installation)
  await until(() => postgresPid(installation.VITRINE_DATA_DIR) === undefined)
})

test('with the Node of this package, the command runs a bundle of the source, workers included', async (t) => {
  const installation = await seededInstallation(t)
  const program = [process.execPath, script, 'start', '--workers', '1']
  const one = await startService(t, installation, { program })
  assert.deepEqual(workersOf(one), [], 'one process answers the requests')
  await one.stop()

  const two = await startService(t, installation, { program: [...program.slice(0, -1), '2'] })
  const workers = workersOf(two)
  assert.equal(workers.length, 3)
  for (const pid of workers) {
    const args = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
    assert.match(args, /node_modules\/\.vitrine-compiled\/bundle-\w+\/worker\.js/)
  }
  const page = await fetch(`${two.url}/docs/guide`)
  assert.equal(page.status, 200, 'files beside the source are found')
  await two.stop()
})
