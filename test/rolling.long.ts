import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  findProgram,
  freePort,
  newDatabase,
  newFolder,
  root,
  type Settings,
  startService,
  until,
} from '../src/cli/fixture.ts'
import { commandsIn } from './every-command.ts'
import { callUrl } from './harness.ts'
import { awaitEvents, checkLedger } from './traffic/check.ts'
import { openMarket } from './traffic/market.ts'
import { startTraffic } from './traffic/start.ts'

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
    const options = { clients: 12, everyMs: 115, choose: () => url, repeats: false, looksAround: true }
    const traffic = await startTraffic(t, market, options)
    const startedAt = performance.now()
    for (const [i, port] of ports.entries()) {
      await sleep(2_000)
      const { code } = (await instances[i]?.stop()) ?? {}
      assert.equal(code, 0)
      instances[i] = await start(port)
      // As long as haproxy needs to see it.
      await sleep(4_000)
    }
    await traffic.stop()
    const seconds = (performance.now() - startedAt) / 1000
    const calls = traffic.takeTimes().length
    t.diagnostic(
      `${calls} calls in ${seconds.toFixed(1)} s, ${Math.round(calls / seconds)} a second; ${traffic.tell()}`,
    )
    await checkLedger(market, traffic.ledger, { url, vitrine })
    await awaitEvents(market, traffic.ledger, 60_000)
  })
}

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

const prepare = async (t: TestContext) => {
  const settings = {
    ...{ DATABASE_URL: await newDatabase(t, { migrated: true }), VITRINE_DATA_DIR: newFolder(t) },
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
