import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort, newDatabase, newFolder, startService, until } from '../../src/cli/fixture.ts'
import { commandsIn } from '../every-command.ts'
import { callUrl } from '../harness.ts'
import { checkLedger } from '../traffic/check.ts'
import { openMarket } from '../traffic/market.ts'
import { randomFor } from '../traffic/random.ts'
import { merchantOf } from '../traffic/shopping.ts'
import { startTraffic } from '../traffic/start.ts'

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
  const vitrine = commandsIn(shared)
  const market = await openMarket(t, vitrine)
  const random = randomFor(t)
  let turn = 0
  const choose = () => (turn++ % 2 === 0 ? fast : slow).url
  const traffic = await startTraffic(t, market, { clients: 4, choose, repeats: true, random })
  await traffic.awaitOrders(10)
  await traffic.stop()
  for (const { url } of [fast, slow]) {
    await checkLedger(market, traffic.ledger, { url, vitrine })
    const { json } = await callUrl(`${url}/admin/v1/stores/${market.storeId}/orders?limit=100`, {
      headers: merchantOf(market),
    })
    for (const { createdAt } of json.data)
      assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < tenMinutes / 2, `an order of ${createdAt}`)
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
