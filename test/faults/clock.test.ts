import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort, newDatabase, newFolder, startService, until } from '../../src/cli/fixture.ts'
import { commandsIn } from '../every-command.ts'
import { callUrl } from '../harness.ts'
import { checkAcknowledged } from './check.ts'
import { startCrowd } from './crowd.ts'
import { openMarket } from './market.ts'
import { newSeed, seededRandom } from './random.ts'

const tenMinutes = 600_000
const preload = fileURLToPath(new URL('shifted-clock.ts', import.meta.url))

test('instances whose clocks are ten minutes fast and slow sell, sign in and agree on the time', async (t) => {
  const shared = {
    ...{ DATABASE_URL: await newDatabase(t, { migrated: true }), VITRINE_DATA_DIR: newFolder(t) },
    ...{ VITRINE_DEMO_PORT: '0', VITRINE_SECRET: 'a secret that both of the instances have' },
  }
  const startShifted = async (shiftMs: number) =>
    startService(t, {
      ...shared,
      PORT: await freePort(),
      TEST_CLOCK_SHIFT_MS: String(shiftMs),
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${preload}`,
    })
  const fast = await startShifted(tenMinutes)
  const slow = await startShifted(-tenMinutes)
  const market = await openMarket(t, commandsIn(shared))
  const random = seededRandom(newSeed())
  const crowds = await Promise.all([fast, slow].map(({ url }) => startCrowd(market, { url, size: 3, random })))
  await until(() => crowds.every(({ acknowledged }) => acknowledged.orders.size > 5))
  for (const crowd of crowds) await crowd.stop()
  for (const [i, { acknowledged }] of crowds.entries()) {
    const { url } = [slow, fast][i] ?? fast
    await checkAcknowledged(market, acknowledged, { url, settings: shared })
    const [id] = [...acknowledged.orders.keys()]
    const { json } = await callUrl(`${url}/admin/v1/stores/${market.storeId}/orders/${id}`, {
      headers: { authorization: `Bearer ${market.token}` },
    })
    assert.ok(Math.abs(Date.parse(json.createdAt) - Date.now()) < tenMinutes / 2, `an order of ${json.createdAt}`)
  }

  const headers = { 'x-store-key': market.key, 'content-type': 'application/json' }
  for (const [asked, checked] of [
    [fast, slow],
    [slow, fast],
  ] as const) {
    const phone = `+9198765${Math.floor(10_000 + random() * 89_999)}`
    const post = (url: string, path: string, body: unknown) =>
      callUrl(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const requested = await post(asked.url, '/v1/auth/otp/request', { phone })
    assert.equal(requested.status, 200, requested.text)
    await until(() => asked.seen.stdout.includes(`OTP for ${phone} is`))
    const otp = new RegExp(`OTP for \\${phone} is (\\d+)`).exec(asked.seen.stdout)?.[1]
    const verified = await post(checked.url, '/v1/auth/otp/verify', { phone, otp })
    assert.equal(verified.status, 200, verified.text)
    const me = await callUrl(`${asked.url}/v1/customer`, {
      headers: { ...headers, authorization: `Bearer ${verified.json.token}` },
    })
    assert.equal(me.status, 200, me.text)
  }
})
