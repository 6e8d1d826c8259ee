import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  commandRunner,
  findProgram,
  freePort,
  newDatabase,
  newFolder,
  type Running,
  root,
  runJson,
  type Settings,
  startService,
  until,
} from '../src/cli/fixture.ts'
import { commandsIn } from './every-command.ts'
import { callUrl } from './harness.ts'
import { awaitEvents, checkLedger } from './traffic/check.ts'
import { openMarket } from './traffic/market.ts'
import { startTraffic } from './traffic/start.ts'
import { checkOutReleaseBefore, lacksReleaseBefore, programIn } from './upgrade/release-before.ts'

/** Two instances behind haproxy, with the configuration of docs/production.md. */
const skip = findProgram('haproxy') === undefined && 'haproxy is not installed'

for (const workers of ['1', '2']) {
  test(`with ${workers} workers, a rolling restart fails no call at 100 a second`, { skip }, async (t) => {
    const { settings, ports } = await prepare(t)
    const vitrine = commandsIn(settings)
    const market = await openMarket(t, vitrine)
    const start = (PORT: string) => startService(t, { ...settings, PORT, VITRINE_WORKERS: workers })
    const instances = await Promise.all(ports.map(start))
    const { url } = await startBalancer(t, ports)
    const options = { clients: 14, everyMs: 115, choose: () => url, repeats: false, looksAround: true }
    const traffic = await startTraffic(t, market, options)
    const startedAt = performance.now()
    await replaceInTurn(ports, instances, start)
    await traffic.stop()
    tellRate(t, traffic, startedAt)
    await checkLedger(market, traffic.ledger, { url, vitrine })
    await awaitEvents(market, traffic.ledger, 60_000)
  })
}

test('an upgrade from the release before, one instance after the other, fails no call at 100 a second', {
  skip: skip || lacksReleaseBefore,
}, async (t) => {
  const { settings, ports } = await prepare(t, { migrated: false })
  const old = checkOutReleaseBefore(t)
  const run = commandRunner(old)
  const market = await openMarket(t, (args) => runJson(args, settings, run))
  const startOld = (PORT: string) => startService(t, { ...settings, PORT }, programIn(old, 'start'))
  const instances: Running[] = []
  for (const port of ports) instances.push(await startOld(port))
  const { url } = await startBalancer(t, ports)
  const options = { clients: 14, everyMs: 115, choose: () => url, repeats: false, looksAround: true }
  const traffic = await startTraffic(t, market, options)
  const startedAt = performance.now()
  const vitrine = commandsIn(settings)
  const { applied } = await vitrine(['migrate'])
  t.diagnostic(`migrations under traffic: ${applied.join(', ') || 'none'}`)
  await replaceInTurn(ports, instances, (PORT) => startService(t, { ...settings, PORT }))
  await traffic.stop()
  tellRate(t, traffic, startedAt)
  await checkLedger(market, traffic.ledger, { url, vitrine })
  await awaitEvents(market, traffic.ledger, 60_000)
})

test('during an upgrade each version of the admin page gets all its files', { skip }, async (t) => {
  const { settings, ports } = await prepare(t)
  const [port = '', otherPort = ''] = ports
  const own = await startService(t, { ...settings, PORT: port })
  const program = [process.execPath, join(checkoutWithOtherPage(t), 'src/main.ts'), 'start']
  const other = await startService(t, { ...settings, PORT: otherPort }, { program })
  const { url } = await startBalancer(t, ports)
  const [files, otherFiles] = [await filesOfPage(own.url), await filesOfPage(other.url)]
  const differing = files.filter((file) => !otherFiles.includes(file))
  assert.ok(differing.length >= 2, files.join())
  for (const file of differing) {
    const { status, headers } = await callUrl(`${other.url}${file}`)
    assert.deepEqual([status, headers.get('cache-control')], [404, 'no-store'])
  }
  for (const file of [...files, ...otherFiles]) {
    const answers = await Promise.all(Array.from({ length: 6 }, () => callUrl(`${url}${file}`)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]), file)
  }
  assert.equal((await callUrl(`${url}/admin/assets/nothing.js`)).status, 404)
})

type Traffic = Awaited<ReturnType<typeof startTraffic>>

const replaceInTurn = async (
  ports: readonly string[],
  instances: Running[],
  start: (port: string) => Promise<Running>,
) => {
  for (const [i, port] of ports.entries()) {
    await sleep(2_000)
    const { code } = (await instances[i]?.stop()) ?? {}
    assert.equal(code, 0)
    instances[i] = await start(port)
    // As long as haproxy needs to see it.
    await sleep(4_000)
  }
}

const tellRate = (t: TestContext, traffic: Traffic, startedAt: number) => {
  const seconds = (performance.now() - startedAt) / 1000
  const calls = traffic.takeTimes().length
  t.diagnostic(`${calls} calls in ${seconds.toFixed(1)} s, ${Math.round(calls / seconds)} a second; ${traffic.tell()}`)
}

const prepare = async (t: TestContext, { migrated = true } = {}) => {
  const settings = {
    ...{ DATABASE_URL: await newDatabase(t, { migrated }), VITRINE_DATA_DIR: newFolder(t) },
    ...{ VITRINE_SECRET: 's'.repeat(40), VITRINE_STOP_DELAY_SECONDS: '5', VITRINE_TRUST_PROXY: '127.0.0.1' },
  } satisfies Settings
  return { settings, ports: [await freePort(), await freePort()] }
}

/** haproxy as the document configures it, with the ports of this test. */
const startBalancer = async (t: TestContext, [one = '', two = '']: readonly string[]) => {
  const [, written = ''] = readFileSync(join(root, 'docs/production.md'), 'utf8').match(/```haproxy\n([^`]+)```/) ?? []
  const port = await freePort()
  const file = join(newFolder(t), 'haproxy.cfg')
  const ported = written.replaceAll(':3000', `:${one}`).replaceAll(':3001', `:${two}`).replace(':8080', `:${port}`)
  writeFileSync(file, ported)
  const haproxy = spawn(findProgram('haproxy') ?? '', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  haproxy.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const ended = once(haproxy, 'exit')
  t.after(async () => {
    haproxy.kill('SIGTERM')
    await ended
  })
  const url = `http://127.0.0.1:${port}`
  await until(async () => {
    assert.equal(haproxy.exitCode, null, said)
    return (await callUrl(`${url}/health`).catch(() => null))?.status === 200
  })
  return { url }
}

/** A checkout whose page has other files. */
const checkoutWithOtherPage = (t: TestContext) => {
  const folder = newFolder(t, 0o755)
  for (const name of ['src', 'admin', 'ui', 'sdk', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const name of ['main.tsx', 'everyday-screens.ts'])
    appendFileSync(join(folder, 'admin/src', name), "\nconsole.info('another version')\n")
  return folder
}

/** The files that the page names, and those that its scripts load on demand. */
const filesOfPage = async (url: string) => {
  const files = new Set<string>()
  const visit = async (path: string) => {
    const { status, text } = await callUrl(`${url}${path}`)
    assert.equal(status, 200, path)
    for (const [file] of text.matchAll(/\/admin\/assets\/[\w-]+\.(?:js|css)/g)) {
      if (files.has(file)) continue
      files.add(file)
      await visit(file)
    }
  }
  await visit('/admin')
  return [...files]
}
