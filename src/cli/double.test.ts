import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { assertShows, blocksOf } from '../../test/documents.ts'
import { choose } from '../../test/doubles/payment-double.ts'
import { callUrl } from '../../test/harness.ts'
import {
  assertSentence,
  isReady,
  launchCommand,
  launchService,
  mainProgram,
  newFolder,
  productionSettings,
  readDemoKeys,
  runProcess,
  runVitrine,
  type Settings,
  seededInstallation,
  until,
} from './fixture.ts'

/** Starts a double and reads the commands that it prints. */
const startDouble = async (t: TestContext, name: string, settings: Settings, ...more: string[]) => {
  const double = launchCommand(t, ['double', 'start', name, '--port', '0', ...more], settings)
  await until(() => isReady(double))
  const { stdout } = double.seen
  const find = (pattern: RegExp) => pattern.exec(stdout)?.[1] ?? assert.fail(`${pattern} in ${stdout}`)
  return {
    ...double,
    address: find(/listens on (http:\S+)\. No money moves\./),
    environment: find(/^ {2}(\w+=\S+) npm start$/m),
    credentials: find(/^ {2}(\{.*\})$/m),
    set: find(/^ {2}(\S+ npm run vitrine -- store set .*)$/m),
    webhookUrl: find(/^Webhooks go to (\S+)\. /m),
  }
}

/** Runs a printed command as a shell does, with the program of this checkout in the place of npm. */
const runPrinted = (command: string, settings: Settings) => {
  const script = command.replace(/\bnpm run vitrine --/, `'${process.execPath}' '${mainProgram}'`)
  return runProcess([], settings, { program: ['bash', '-c', script] })
}

const shippingAddress = {
  ...{ name: 'Asha', phone: '+919876543210', line1: '12 Temple Road', city: 'Bengaluru' },
  ...{ postalCode: '560001', country: 'IN' },
}

/** A customer of the demo store. */
const signUp = async (url: string, installation: { VITRINE_DATA_DIR: string }) => {
  let token = ''
  const { browserKey } = readDemoKeys(installation.VITRINE_DATA_DIR)
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = {
      ...{ 'x-store-key': browserKey, 'content-type': 'application/json' },
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    }
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await callUrl(`${url}${path}`, { method, headers, ...content })
    assert.ok(answer.status < 300, answer.text)
    return answer.json
  }
  token = (await call('POST', '/v1/signup', { name: 'Asha', email: 'asha@example.com', password: 'a long password' }))
    .token
  return {
    checkOut: async () => {
      const { id, variants } = await call('GET', '/v1/products/masala-chai-blend')
      await call('POST', '/v1/cart', { productId: id, variantId: variants[0].id, quantity: 1 })
      return call('POST', '/v1/checkout', { shippingAddress })
    },
    paymentStatusOf: async (id: string) => (await call('GET', `/v1/customer/orders/${id}`)).paymentStatus,
  }
}

test('the demo store is set up for each double by the printed commands, and an order is paid there', async (t) => {
  const installation = await seededInstallation(t)
  const folder = newFolder(t)
  const { storeId } = readDemoKeys(installation.VITRINE_DATA_DIR)
  const names = ['stripe', 'razorpay', 'juspay']
  const started = []
  for (const name of names) {
    const file = join(folder, `${name}.json`)
    writeFileSync(file, '', { mode: 0o644 })
    const double = await startDouble(t, name, installation, '--credentials', file)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), JSON.parse(double.credentials))
    assert.equal(double.environment, `VITRINE_${name.toUpperCase()}_URL=${double.address}`)
    started.push({ name, ...double })
  }
  const addresses = Object.fromEntries(started.map(({ environment }) => environment.split('=')))
  const service = launchService(t, { ...installation, ...addresses })
  await until(() => isReady(service))
  const asha = await signUp(service.url, installation)
  for (const { name, set, address, webhookUrl, seen } of started) {
    const { code, stderr } = await runPrinted(set, installation)
    assert.equal(code, 0, stderr)
    assert.match(stderr, / accepted the /)
    const { order, payment } = await asha.checkOut()
    assert.ok(payment.redirectUrl.startsWith(address), payment.redirectUrl)
    const page = await callUrl(payment.redirectUrl)
    assert.match(page.text, /name="viewport" content="width=device-width, initial-scale=1"/)
    const choices = [...page.text.matchAll(/value="([\w-]+)"/g)].map(([, choice]) => choice)
    const later = name === 'razorpay' ? [] : ['pay-later']
    assert.deepEqual(choices, ['pay', 'pay-by-upi', ...later, 'fail', 'leave'])
    assert.match(page.text, new RegExp(`${order.total.toFixed(2)} INR to pay`))
    await choose(payment.redirectUrl, 'pay-by-upi')
    assert.equal(await asha.paymentStatusOf(order.id), 'paid')
    assert.ok(webhookUrl.includes(`/webhook/${name}`) && (name === 'juspay' || webhookUrl.endsWith(storeId)))
    await until(() => seen.stdout.includes(`Webhook to ${webhookUrl}: 200\n`))
  }
  for (const { stop } of started) {
    const ended = await stop('SIGINT')
    assert.deepEqual([ended.code, ended.stderr], [0, ''])
    assert.ok(ended.stdout.endsWith('Stopped.\n'))
  }
})

test('the guide shows what the command prints', async (t) => {
  const installation = { ...(await seededInstallation(t)), PORT: '3000' }
  const file = join(newFolder(t), 'stripe.json')
  const { address, seen } = await startDouble(t, 'stripe', installation, '--credentials', file)
  const guide = 'docs/payments.md'
  const shown = blocksOf(guide).find(({ text }) => text.startsWith('A test double of Stripe'))
  const printed = seen.stdout.replaceAll(address, 'http://127.0.0.1:4010').replaceAll(file, '.vitrine/stripe.json')
  assertShows(printed, shown?.text ?? '', guide)
})

test('the Shiprocket double takes the logistics key of the demo store, and its credentials pass the check', async (t) => {
  const installation = await seededInstallation(t)
  const file = join(newFolder(t), 'shiprocket.json')
  const double = await startDouble(t, 'shiprocket', installation, '--credentials', file)
  const { code, stderr } = await runPrinted(double.set, installation)
  assert.equal(code, 0, stderr)
  assert.match(stderr, /Shiprocket accepted/)
})

test('a double is refused in production, on a port that is taken, and for a store without a known key', async (t) => {
  const installation = await seededInstallation(t)
  const start = (args: string[], settings: Settings = {}) =>
    runVitrine(['double', 'start', ...args], { ...installation, ...settings })
  assertSentence(await start(['stripe'], { ...productionSettings, VITRINE_SECRET: 's'.repeat(32) }), 'in production')
  const double = await startDouble(t, 'stripe', installation)
  const port = new URL(double.address).port
  assertSentence(await start(['razorpay', '--port', port]), `Port ${port} is in use`)
  assertSentence(await start(['stripe', '--port', '0', '--credentials', '/nowhere/file']), 'cannot be written')
  assertSentence(await start(['stripe', '--port', '70000']), '--port')
  const made = await runVitrine(
    ['store', 'create', '--name', 'Blue', '--domain', 'blue.example', '--currency', 'INR', '--json'],
    installation,
  )
  const { storeId } = JSON.parse(made.stdout)
  assertSentence(await start(['shiprocket', '--store', storeId]), '--logistics-key')
  const unknown = await start(['paypal'])
  assert.equal(unknown.code, 2)
  assert.match(unknown.stderr, /stripe, razorpay, juspay, shiprocket/)
})
