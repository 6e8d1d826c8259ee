import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startDouble } from '../../test/doubles/double.ts'
import { startJuspayDouble } from '../../test/doubles/juspay.ts'
import { startShiprocketDouble } from '../../test/doubles/shiprocket.ts'
import { balanceLedgers } from '../../test/put-on-hand.ts'
import { createJuspay } from '../providers/payment/juspay.ts'
import type { PaymentProvider } from '../providers/payment/provider.ts'
import { createRazorpay } from '../providers/payment/razorpay.ts'
import { createStripe } from '../providers/payment/stripe.ts'
import {
  assertSentence,
  freePort,
  newDatabase,
  newFolder,
  productionSettings,
  query,
  runJson,
  runVitrine,
  type Settings,
  undo,
} from './fixture.ts'

type Finding = { check: string; state: string; detail: string }

const examine = async (settings: Settings, ...options: string[]) => {
  const { code, stdout, stderr } = await runVitrine(['doctor', ...options, '--json'], settings)
  assert.equal(stderr, '')
  const { healthy, findings }: { healthy: boolean; findings: Finding[] } = JSON.parse(stdout)
  assert.equal(code, healthy ? 0 : 1)
  return findings
}

const checksIn = (findings: readonly Finding[], state: string) =>
  findings.filter((finding) => finding.state === state).map(({ check }) => check)

/** The only finding of a check. */
const findingOf = (findings: readonly Finding[], check: string): Finding => {
  const [finding, ...more] = findings.filter((each) => each.check === check)
  assert.ok(finding !== undefined && more.length === 0, `${check}: ${JSON.stringify(findings)}`)
  return finding
}

/** Answers like Stripe where one secret key is right. */
const startStripe = async (t: TestContext) => {
  const double = await startDouble({
    api: ({ headers }) =>
      ['Bearer sk_live_right', 'Bearer sk_test_right'].includes(headers.authorization ?? '')
        ? { status: 200, body: { object: 'list', data: [] } }
        : { status: 401, body: { error: { message: 'Invalid API Key provided.' } } },
  })
  undo(t, () => double.close())
  return double.url
}

type NewShop = { currency?: string; provider?: string; credentials?: Record<string, string>; env?: Settings }

/** A production service with one store and one product, as docs/going-live.md sets it up. */
const openShop = async (t: TestContext, { currency = 'EUR', provider = 'stripe', credentials, env }: NewShop = {}) => {
  const folder = newFolder(t)
  const settings: Settings = {
    ...productionSettings,
    VITRINE_SECRET: 's'.repeat(32),
    VITRINE_TRUST_PROXY: '127.0.0.1',
    DATABASE_URL: await newDatabase(t, { migrated: true }),
    VITRINE_DATA_DIR: join(folder, 'data'),
    ...env,
  }
  const vitrine = async (...args: string[]) => {
    const { code, stderr } = await runVitrine(args, settings)
    assert.equal(code, 0, stderr)
  }
  const { storeId }: { storeId: string } = await runJson(
    [
      ...['store', 'create', '--name', 'Blue Door', '--domain', 'bluedoor.example', '--currency', currency],
      ...['--origin', 'https://bluedoor.example', '--payment-provider', provider],
    ],
    settings,
  )
  await vitrine('store', 'set', '--otp-countries', 'IN', '--shipping-flat', '5')
  const setCredentials = (given: Record<string, string>) => {
    const file = join(folder, 'credentials.json')
    writeFileSync(file, JSON.stringify(given))
    return vitrine('store', 'set', '--payment-credentials', file, '--no-check')
  }
  if (credentials !== undefined) await setCredentials(credentials)
  const products = join(folder, 'products.csv')
  const addProduct = (name: string, price: string) => {
    writeFileSync(products, `name,price,stock\n${name},${price},7\n`)
    return vitrine('catalog', 'import', products)
  }
  await addProduct('Mug', '12')
  return { settings, storeId, vitrine, folder, setCredentials, addProduct }
}

const stripeAccount = { secretKey: 'sk_live_right', webhookSecret: 'whsec_1' }

test('a store that is ready passes every check of doctor --live', async (t) => {
  const env = { VITRINE_STRIPE_URL: await startStripe(t) }
  const { settings, storeId, setCredentials } = await openShop(t, { env, credentials: stripeAccount })
  const address = `https://api.shop.example/webhook/stripe/${storeId}`
  const waiting = findingOf(await examine(settings, '--live'), 'webhook')
  assert.equal(waiting.state, 'warning')
  assert.ok(waiting.detail.includes(`enter ${address} at stripe`), waiting.detail)

  const [store] = await query(settings.DATABASE_URL ?? '', 'select id from store')
  const received = `insert into payment_event (store_id, provider, event_id, body, received_at, outcome)
    values (${store?.id}, '%', 'evt_1', '{}', now(), 'ignored')`
  await query(settings.DATABASE_URL ?? '', received.replace('%', 'stripe asked'))
  assert.equal(findingOf(await examine(settings, '--live'), 'webhook').state, 'warning', 'nothing was sent')
  await query(settings.DATABASE_URL ?? '', received.replace('%', 'stripe'))

  const findings = await examine(settings, '--live', '--store', storeId)
  // Only the test double of Stripe is not real.
  assert.deepEqual(checksIn(findings, 'fault'), ['provider url'])
  assert.match(findingOf(findings, 'provider url').detail, /unset VITRINE_STRIPE_URL$/)
  assert.deepEqual(checksIn(findings, 'warning'), ['rate limit', 'mail', 'pictures'])
  const passed = checksIn(findings, 'ok')
  for (const check of [
    ...['production', 'secret', 'public url', 'sms', 'migrations', 'keys', 'origins', 'products', 'otp'],
    ...['payment', 'amounts', 'webhook'],
  ]) {
    assert.ok(passed.includes(check), check)
  }
  assert.equal(findingOf(findings, 'payment').detail, `${storeId}: Stripe accepted the secret key (live mode).`)
  const shown = await runVitrine(['doctor', '--live'], settings)
  assert.match(shown.stdout, /^ok {7}public url {4}https:\/\/api\.shop\.example$/m)
  assert.doesNotMatch(shown.stdout, /sk_live|whsec/)

  await setCredentials({ webhookSecret: 'whsec_2' })
  const changed = findingOf(await examine(settings, '--live'), 'webhook')
  assert.equal(changed.state, 'warning')
  assert.match(changed.detail, /has received none since its credentials changed; enter https/)
})

test('doctor --live names the address and the header of a webhook that has no store in its path', async (t) => {
  const double = await startJuspayDouble()
  undo(t, () => double.close())
  const credentials = double.openAccount('http://127.0.0.1:1', 'store_1')
  const shop = { provider: 'juspay', currency: 'INR', credentials, env: { VITRINE_JUSPAY_URL: double.url } }
  const { settings, storeId } = await openShop(t, shop)
  const findings = await examine(settings, '--live')
  assert.deepEqual(checksIn(findings, 'fault'), ['provider url'])
  const address = `https://api.shop.example/webhook/juspay with the header X-Store-Id: ${storeId}`
  assert.ok(findingOf(findings, 'webhook').detail.includes(`enter ${address} at juspay`))
})

test('doctor --live names the settings of development, and creates no secret', async (t) => {
  const settings = { DATABASE_URL: await newDatabase(t, { migrated: true }), VITRINE_DATA_DIR: newFolder(t) }
  const empty = await examine(settings, '--live')
  assert.deepEqual(checksIn(empty, 'fault'), ['production', 'secret', 'public url', 'sms', 'stores'])
  assert.deepEqual(checksIn(empty, 'warning'), ['proxy', 'pictures'])
  const { storeId } = await runJson(['seed', 'demo'], settings)
  const secret = join(settings.VITRINE_DATA_DIR, 'secret')
  assert.equal(existsSync(secret), false)
  await examine(settings, '--live')
  assert.equal(existsSync(secret), false)

  writeFileSync(secret, 's'.repeat(32))
  const findings = await examine(settings, '--live')
  assert.equal(findingOf(findings, 'secret').state, 'warning')
  const { state, detail } = findingOf(findings, 'payment')
  assert.equal(state, 'fault')
  assert.match(
    detail,
    new RegExp(
      `^${storeId} takes payments through sandbox, which moves no money; .*"vitrine store set --store ${storeId} --payment`,
    ),
  )
  const [origin] = findings.filter(({ check }) => check === 'origins')
  assert.match(
    origin?.detail ?? '',
    /http:\/\/localhost:\d+, which is not https; remove it with "vitrine origin remove/,
  )
})

test('doctor --live says what is wrong with the payment credentials', async (t) => {
  const env = { VITRINE_STRIPE_URL: await startStripe(t) }
  const { settings, storeId, setCredentials } = await openShop(t, { env })
  const payment = async (changed: Settings = {}) => {
    const { state, detail } = findingOf(await examine({ ...settings, ...changed }, '--live'), 'payment')
    assert.equal(state, 'fault')
    return detail
  }
  const advice = `set them with "vitrine store set --store ${storeId} --payment-credentials FILE"`
  assert.equal(await payment(), `${storeId} lacks credentials at stripe: secretKey, webhookSecret; ${advice}`)
  await setCredentials({ ...stripeAccount, secretKey: 'sk_live_wrong' })
  assert.match(await payment(), /^stripe refused the credentials of store_\w+: Stripe: Invalid API Key provided\./)
  await setCredentials({ ...stripeAccount, secretKey: 'sk_test_right' })
  assert.match(await payment(), /uses test mode, where test cards pay for real goods/)
  assert.match(await payment({ VITRINE_SECRET: 't'.repeat(32) }), /need another VITRINE_SECRET/)
  const nowhere = `http://127.0.0.1:${await freePort()}`
  assert.match(await payment({ VITRINE_STRIPE_URL: nowhere }), /^stripe did not answer for store_\w+: Stripe cannot be/)
})

test('each provider recognises credentials that move no money', () => {
  const isTest = (provider: PaymentProvider, credentials: Record<string, string> = {}) =>
    provider.isTestAccount?.({ storeId: 'store_1', credentials })
  for (const secretKey of ['sk_test_1', 'rk_test_1']) assert.equal(isTest(createStripe(''), { secretKey }), true)
  assert.equal(isTest(createStripe(''), { secretKey: 'sk_live_1' }), false)
  assert.equal(isTest(createRazorpay(''), { keyId: 'rzp_test_1' }), true)
  assert.equal(isTest(createRazorpay(''), { keyId: 'rzp_live_1' }), false)
  assert.equal(isTest(createJuspay('https://sandbox.juspay.in')), true)
  assert.equal(isTest(createJuspay('https://smartgateway.hdfcuat.bank.in')), true)
  assert.equal(isTest(createJuspay('https://api.juspay.in')), false)
})

test('doctor names prices, shipping costs and currencies that the provider cannot charge', async (t) => {
  const { settings, storeId, vitrine, addProduct } = await openShop(t, { currency: 'KWD' })
  assert.equal(findingOf(await examine(settings, '--live'), 'amounts').state, 'ok')
  assert.equal(checksIn(await examine(settings), 'warning').includes('amounts'), false)
  await addProduct('Spoon', '1.235')
  const reason = 'Stripe cannot charge a total in KWD whose last decimal is not 0.'
  const prices = `${storeId} has prices that stripe cannot charge: spoon (1.235 KWD). ${reason}`
  for (const options of [[], ['--live']]) {
    const { state, detail } = findingOf(await examine(settings, ...options), 'amounts')
    assert.deepEqual([state, detail], ['warning', prices])
  }
  await vitrine('store', 'set', '--shipping-flat', '0.005')
  const both = (await examine(settings)).filter(({ check }) => check === 'amounts')
  assert.deepEqual(
    both.map(({ detail }) => detail),
    [`${storeId} has a shipping cost that stripe cannot charge, 0.005 KWD: ${reason}`, prices],
  )

  const rupees = await openShop(t, { currency: 'INR', provider: 'razorpay' })
  await rupees.addProduct('Sticker', '0.5')
  await rupees.vitrine('store', 'set', '--shipping-flat', '0.5')
  const { detail } = findingOf(await examine(rupees.settings), 'amounts')
  assert.match(detail, /cannot charge: sticker \(0\.50 INR\)\. Razorpay takes payments from/)

  const crowns = await openShop(t, { currency: 'ISK' })
  assert.equal(findingOf(await examine(crowns.settings), 'amounts').state, 'warning')
  const unsupported = findingOf(await examine(crowns.settings, '--live'), 'amounts')
  assert.equal(unsupported.state, 'fault')
  assert.match(unsupported.detail, /cannot charge ISK: Stripe payments are not supported in ISK\./)
})

test('doctor --live checks origins, keys, stock and limits of a store', async (t) => {
  const { settings, storeId, vitrine } = await openShop(t, { provider: 'cod' })
  const before = await examine(settings, '--live')
  assert.deepEqual(checksIn(before, 'fault'), [])
  assert.deepEqual(checksIn(before, 'warning'), ['rate limit', 'mail', 'pictures', 'payment'])
  assert.match(findingOf(before, 'cash').detail, /orders up to 500\.00 EUR$/)
  for (const args of [
    ['origin', 'remove', 'https://bluedoor.example'],
    ['store', 'set', '--cod-max-value', 'none', '--otp-countries', 'all'],
  ]) {
    await vitrine(...args)
  }
  await query(settings.DATABASE_URL ?? '', 'update store_key set revoked_at = now()')
  await query(settings.DATABASE_URL ?? '', 'update stock set on_hand = 0')
  await query(settings.DATABASE_URL ?? '', balanceLedgers)
  await query(settings.DATABASE_URL ?? '', 'update listing set in_stock = false')
  const after = await examine(settings, '--live')
  assert.deepEqual(checksIn(after, 'fault'), ['keys'])
  assert.deepEqual(checksIn(after, 'warning'), [
    'rate limit',
    'mail',
    'pictures',
    'origins',
    'products',
    'otp',
    'cash',
    'payment',
  ])
  for (const check of ['keys', 'origins', 'products', 'otp', 'cash']) {
    assert.match(findingOf(after, check).detail, new RegExp(`^${storeId} .*"vitrine `), check)
  }
  await vitrine('origin', 'add', 'http://localhost:5173')
  assert.equal(findingOf(await examine(settings, '--live'), 'origins').state, 'fault')
  await vitrine('store', 'close')
  assert.match(findingOf(await examine(settings, '--live'), 'stores').detail, /^no store is open/)
})

test('doctor --live tries the account at the carrier', async (t) => {
  const double = await startShiprocketDouble()
  undo(t, () => double.close())
  const env = { VITRINE_SHIPROCKET_URL: double.url }
  const { settings, storeId, vitrine, folder } = await openShop(t, { provider: 'cod', env })
  assert.equal(checksIn(await examine(settings, '--live'), 'ok').includes('carrier'), false)
  const account = double.openAccount('http://127.0.0.1:1', 'key')
  const set = (credentials: Record<string, string>) => {
    const file = join(folder, 'shiprocket.json')
    writeFileSync(file, JSON.stringify(credentials))
    return vitrine('store', 'set', '--carrier', 'shiprocket', '--carrier-credentials', file, '--no-check')
  }
  await set(account)
  const findings = await examine(settings, '--live')
  assert.equal(findingOf(findings, 'carrier').state, 'ok')
  assert.deepEqual(checksIn(findings, 'fault'), ['provider url'])
  await set({ ...account, password: 'wrong' })
  const refused = findingOf(await examine(settings, '--live'), 'carrier')
  assert.equal(refused.state, 'fault')
  assert.ok(refused.detail.startsWith(`${storeId}: `), refused.detail)
})

test('doctor --live stops at pending migrations, and --store needs --live', async (t) => {
  const settings = { DATABASE_URL: await newDatabase(t), VITRINE_DATA_DIR: newFolder(t) }
  const findings = await examine(settings, '--live')
  assert.equal(findings.at(-1)?.check, 'migrations')
  assertSentence(await runVitrine(['doctor', '--store', 'store_1'], settings), '--store needs --live.')
  const migrated = { ...settings, DATABASE_URL: await newDatabase(t, { migrated: true }) }
  await runJson(['seed', 'demo'], migrated)
  const unknown = await examine(migrated, '--live', '--store', 'store_unknown')
  assert.match(findingOf(unknown, 'stores').detail, /store_unknown/)
})
