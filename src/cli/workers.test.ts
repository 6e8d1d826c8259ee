import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newBuyer } from '../../test/buyer.ts'
import { callUrl } from '../../test/harness.ts'
import {
  assertSentence,
  isAlive,
  postgresPid,
  type Running,
  readDemoKeys,
  runJson,
  runProcess,
  seededInstallation,
  startService,
  until,
  workersOf,
} from './fixture.ts'

const openWorkers = async (t: Parameters<typeof seededInstallation>[0]) => {
  const installation = { ...(await seededInstallation(t)), VITRINE_WORKERS: '2' }
  const service = await startService(t, installation)
  const { browserKey, serverKey } = readDemoKeys(installation.VITRINE_DATA_DIR)
  /** On a connection of its own, so that the workers take turns. */
  const get = (path: string, key: string = browserKey) =>
    callUrl(`${service.url}${path}`, { headers: { 'x-store-key': key, connection: 'close' } })
  return { installation, service, browserKey, serverKey, get }
}

test('workers share limits, one-time passwords, announcements and metrics', async (t) => {
  const { installation, service, serverKey, browserKey, get } = await openWorkers(t)
  assert.match(service.seen.stdout, /Workers +2, and one for background work/)

  // In the next minute if this one is nearly over.
  await until(() => new Date().getSeconds() < 50)
  const calls = await Promise.all(Array.from({ length: 80 }, () => get('/v1/products?limit=1', serverKey)))
  assert.equal(calls.filter(({ status }) => status === 200).length, 60, 'the limit of the key is exact')
  const left = calls.filter(({ status }) => status === 200).map(({ headers }) => headers.get('ratelimit-remaining'))
  assert.equal(new Set(left).size, 60, 'each call was counted once')

  const [, shopUrl] = service.seen.stdout.match(/Demo shop +(\S+)/) ?? []
  const phone = '+919876543210'
  const asked = await callUrl(`${service.url}/v1/auth/otp/request`, {
    method: 'POST',
    headers: { 'x-store-key': browserKey, 'content-type': 'application/json' },
    body: JSON.stringify({ phone }),
  })
  assert.equal(asked.status, 200, asked.text)
  await until(async () => (await callUrl(`${shopUrl}/dev/code?phone=${encodeURIComponent(phone)}`)).status === 200)

  const asha = await newBuyer(service.url, browserKey)
  await asha.order('cod', 'cafe-au-lait-mug')
  await until(async () => /order/i.test((await callUrl(`${shopUrl}/dev/mail`)).text))

  const before = await Promise.all(Array.from({ length: 8 }, () => get('/v1/products/cafe-au-lait-mug')))
  assert.ok(before.every(({ status }) => status === 200))
  await runJson(['product', 'set', 'cafe-au-lait-mug', '--name', 'Renamed mug'], installation)
  await until(async () => {
    const now = await Promise.all(Array.from({ length: 8 }, () => get('/v1/products/cafe-au-lait-mug')))
    return now.every(({ json }) => json.name === 'Renamed mug')
  })

  const metrics = (await callUrl(`${service.url}/metrics`)).text
  const counted = /vitrine_http_requests_total\{method="GET",route="\/v1\/products",status="(200|429)"\} (\d+)/g
  const sum = [...metrics.matchAll(counted)].reduce((all, [, , count]) => all + Number(count), 0)
  assert.equal(sum, 80, 'of both workers')
})

test('a worker that is killed is replaced; workers end when the main process is killed', async (t) => {
  const { service, get } = await openWorkers(t)
  const first = workersOf(service)
  assert.equal(first.length, 3)
  for (const [killed, pid] of first.entries()) {
    process.kill(pid, 'SIGKILL')
    // A connection that is handed to a worker at the moment of its death has no answer: Node does not hand it to another.
    await until(() => service.seen.stdout.match(/ended unexpectedly/g)?.length === killed + 1)
    await until(() => workersOf(service).length === 3)
    await until(async () => {
      const calls = await Promise.all(Array.from({ length: 8 }, () => get('/v1/products?limit=1').catch(() => null)))
      return calls.every((call) => call?.status === 200)
    })
  }
  const second = workersOf(service)
  assert.equal(second.filter((pid) => first.includes(pid)).length, 0)
  await service.stop('SIGKILL')
  await until(() => !second.some(isAlive))
})

test('SIGTERM to all processes, as service managers send it, ends them and the database', async (t) => {
  const installation = { ...(await seededInstallation(t)), VITRINE_WORKERS: '2' }
  const service = await startService(t, installation, { detached: true })
  await assertEnds(service, installation.VITRINE_DATA_DIR, -service.pid)
})

test('a port in use and a wrong number are explained in one sentence; SIGTERM ends all processes', async (t) => {
  const { installation, service } = await openWorkers(t)
  const other = { ...(await seededInstallation(t)), PORT: installation.PORT }
  const refused = await runProcess(['start', '--workers', '2'], other)
  assertSentence(refused, `Port ${installation.PORT} is in use`)
  assert.equal(postgresPid(other.VITRINE_DATA_DIR), undefined)
  assertSentence(await runProcess(['start', '--workers', 'many'], other), 'VITRINE_WORKERS', 'auto')
  await assertEnds(service, installation.VITRINE_DATA_DIR, service.pid)
})

const assertEnds = async (service: Running, dataDir: string, target: number) => {
  const processes = [...workersOf(service), postgresPid(dataDir) as number]
  process.kill(target, 'SIGTERM')
  const { code, stderr } = await service.ended
  assert.deepEqual([code, stderr], [0, ''])
  // One that got the signal itself may end a moment later.
  await until(() => !processes.some(isAlive))
}
