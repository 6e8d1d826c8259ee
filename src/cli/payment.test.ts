import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { callUrl } from '../../test/harness.ts'
import {
  assertSentence,
  demoInstallation,
  newDatabase,
  newFolder,
  productionSettings,
  query,
  readDemoKeys,
  runJson,
  runProcess,
  runVitrine,
  startService,
} from './fixture.ts'

/** The running demo store with a customer who orders there. */
const openDemo = async (t: TestContext) => {
  const installation = await demoInstallation(t)
  const { url } = await startService(t, installation)
  const { browserKey } = readDemoKeys(installation.VITRINE_DATA_DIR)
  let token = ''
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = {
      ...{ 'x-store-key': browserKey, 'content-type': 'application/json' },
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    }
    const answer = await callUrl(`${url}${path}`, {
      ...{ method, headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    assert.ok(answer.status < 300, answer.text)
    return answer.json
  }
  const account = { name: 'Asha', email: 'asha@example.com', password: 'a long password' }
  token = (await call('POST', '/v1/signup', account)).token
  const shippingAddress = {
    ...{ name: 'Asha', phone: '+919876543210', line1: '12 Temple Road', city: 'Bengaluru' },
    ...{ postalCode: '560001', country: 'IN' },
  }
  return {
    installation,
    vitrine: (...args: string[]) => runJson(args, installation),
    stateOf: async (id: string) => {
      const { status, paymentStatus } = await call('GET', `/v1/customer/orders/${id}`)
      return [status, paymentStatus]
    },
    order: async (): Promise<string> => {
      const { id, variants } = await call('GET', '/v1/products/masala-chai-blend')
      await call('POST', '/v1/cart', { productId: id, variantId: variants[0].id, quantity: 1 })
      return (await call('POST', '/v1/checkout', { shippingAddress })).order.id
    },
  }
}

test('an operator simulates payment events, lists the inbox, replays an event and refunds', async (t) => {
  const { installation, vitrine, order, stateOf } = await openDemo(t)
  const id = await order()
  for (const [status, ...state] of [
    ['pending', 'pending', 'pending'],
    ['failed', 'pending', 'failed'],
    ['success', 'paid', 'paid'],
  ] as const) {
    const answered = await vitrine('simulate', 'payment', id, '--status', status)
    assert.deepEqual(
      [answered.received, answered.duplicate, answered.status, answered.orderId],
      [true, false, status, id],
    )
    assert.deepEqual(await stateOf(id), state)
  }

  const events = await vitrine('inbox', 'list', '--order', id)
  assert.deepEqual(
    events.map((event: { outcome: string; body: { status: string } }) => [event.body.status, event.outcome]),
    [
      ['success', 'applied'],
      ['failed', 'applied'],
      ['pending', 'no_effect'],
    ],
  )
  assert.deepEqual(await vitrine('inbox', 'list', '--outcome', 'mismatch'), [])
  const replayed = await vitrine('inbox', 'replay', String(events[0].id))
  assert.deepEqual([replayed.id, replayed.outcome], [events[0].id, 'no_effect'])
  assert.deepEqual(await stateOf(id), ['paid', 'paid'])

  const refund = await vitrine('order', 'refund', id)
  assert.deepEqual([refund.orderId, refund.refunded, refund.paymentStatus], [id, true, 'refunded'])
  assert.deepEqual(await stateOf(id), ['refunded', 'refunded'])

  await t.test('without --json each command prints text', async () => {
    const other = await order()
    const answered = await runVitrine(['simulate', 'payment', other, '--status', 'success'], installation)
    assert.equal(
      answered.stdout,
      `Sent to http://127.0.0.1:${installation.PORT}: the payment of ${other} is success.\n`,
    )
    const list = await runVitrine(['inbox', 'list', '--limit', '1'], installation)
    assert.match(
      list.stdout,
      /^number +received +source +event +order +outcome +detail\n\d+ .*applied +The order is paid\.\n$/,
    )
    const again = await runVitrine(['inbox', 'replay', String(events[0].id)], installation)
    assert.equal(again.stdout, 'no_effect: The payment is already settled.\n')
    assert.match(
      (await runVitrine(['order', 'refund', other], installation)).stdout,
      /^Refunded \S+ INR of order \d+\.\n$/,
    )
  })

  await t.test('errors are one sentence', async () => {
    const faults: [string[], string][] = [
      [['order', 'refund', id], 'is not paid'],
      [['order', 'refund', 'ord_nobody'], 'There is no order ord_nobody'],
      [['simulate', 'payment', 'ord_nobody', '--status', 'success'], 'There is no order ord_nobody'],
      [['inbox', 'replay', '999999'], 'There is no event 999999'],
      [['inbox', 'replay', 'x'], 'must be a whole number'],
    ]
    for (const [args, words] of faults) assertSentence(await runVitrine(args, installation), words)
    const production = { ...installation, ...productionSettings, VITRINE_SECRET: 's'.repeat(32) }
    assertSentence(await runVitrine(['simulate', 'payment', id, '--status', 'success'], production), 'in production')
    assert.equal((await runVitrine(['simulate', 'payment', id, '--status', 'paid'], installation)).code, 2)
  })
})

test('in production a new store needs a real payment provider', async (t) => {
  const installation = {
    DATABASE_URL: await newDatabase(t, { migrated: true }),
    VITRINE_DATA_DIR: newFolder(t),
    VITRINE_SECRET: 's'.repeat(32),
  }
  const settings = { ...installation, ...productionSettings }
  const create = ['store', 'create', '--name', 'Blue Door', '--domain', 'bluedoor.example', '--currency', 'EUR']
  assertSentence(await runVitrine(create, settings), 'Choose a payment provider with --payment-provider')
  const sandbox = ['--payment-provider', 'sandbox']
  assertSentence(
    await runVitrine([...create, ...sandbox], settings),
    'cannot be used in production',
    'Valid providers: cod, juspay, razorpay, stripe.',
  )
  assert.equal((await runVitrine([...create, '--payment-provider', 'cod'], settings)).code, 0)
  assertSentence(await runVitrine(['store', 'set', ...sandbox], settings), 'sandbox is for testing')
  const shown = await runJson(['store', 'show'], settings)
  assert.deepEqual([shown.paymentProvider, shown.paymentMethods], ['cod', ['cod']])
})

test('a store offers the payment methods that are set, and doctor names one without any', async (t) => {
  const installation = {
    DATABASE_URL: await newDatabase(t, { migrated: true }),
    VITRINE_DATA_DIR: newFolder(t),
    VITRINE_SECRET: 's'.repeat(32),
  }
  const create = ['store', 'create', '--name', 'Blue Door', '--domain', 'bluedoor.example', '--currency', 'EUR']
  const { storeId } = await runJson(create, installation)
  const shell = (args: readonly string[]) => runJson(args, installation)
  const set = (...args: string[]) => shell(['store', 'set', ...args])
  assert.deepEqual((await shell(['store', 'show'])).paymentMethods, ['online'])
  assert.deepEqual((await set('--payment-provider', 'cod')).paymentMethods, ['cod'])
  const none = ['--payment-provider', 'cod', '--cash-on-delivery', 'no']
  assert.deepEqual((await set(...none)).paymentMethods, [])
  const warned = await runVitrine(['doctor'], installation)
  assert.match(
    warned.stdout,
    new RegExp(`^warning {2}stores {8}customers cannot check out in ${storeId} \\(Blue Door\\)`, 'm'),
  )
  assert.equal(warned.code, 0)
  assert.deepEqual((await set('--payment-provider', 'sandbox')).paymentMethods, ['online'])
  const production = await runVitrine(['doctor'], { ...installation, ...productionSettings })
  assert.match(production.stdout, /^warning {2}stores {8}customers cannot check out in .*payments through sandbox/m)
})

test('two stores cannot have the same domain, even when they are created at once', async (t) => {
  const installation = { DATABASE_URL: await newDatabase(t, { migrated: true }), VITRINE_DATA_DIR: newFolder(t) }
  await runVitrine(['migrate'], installation)
  const create = (domain: string) =>
    runVitrine(['store', 'create', '--name', 'Shop', '--domain', domain, '--currency', 'EUR', '--json'], installation)
  const made = await Promise.all([create('bluedoor.example'), create('https://BLUEDOOR.example'), create('b.example')])
  assert.deepEqual(made.map(({ code }) => code).sort(), [0, 0, 1])
  const refused = made.find(({ code }) => code === 1)
  assert.ok(refused)
  assertSentence(refused, 'Another store already uses the domain https://bluedoor.example')
  const { storeId } = JSON.parse(made[2]?.stdout ?? '')
  const move = (domain: string) => runVitrine(['store', 'set', '--store', storeId, '--domain', domain], installation)
  assertSentence(await move('bluedoor.example'), 'Another store already uses the domain https://bluedoor.example')
  assert.equal((await move('b.example')).code, 0, 'its own domain again is no change')
  assert.equal((await query(installation.DATABASE_URL, 'select from store')).length, 2)
})

test('stores that shared a domain before the upgrade work on, and doctor names them', async (t) => {
  const installation = { DATABASE_URL: await newDatabase(t, { migrated: true }), VITRINE_DATA_DIR: newFolder(t) }
  const create = ['store', 'create', '--name', 'Blue Door', '--currency', 'EUR', '--domain']
  const first = await runJson([...create, 'bluedoor.example'], installation)
  const second = await runJson([...create, 'second.example'], installation)
  // As 0.1.0 left it.
  await query(
    installation.DATABASE_URL,
    `update store set domain = 'https://bluedoor.example', domain_is_duplicate = true where public_id = '${second.storeId}'`,
  )
  const { stdout, code } = await runVitrine(['doctor'], installation)
  assert.equal(code, 0)
  assert.match(
    stdout,
    new RegExp(`^warning {2}stores {8}${second.storeId} has the same domain as ${first.storeId}`, 'm'),
  )
  const set = (...args: string[]) => runVitrine(['store', 'set', '--store', second.storeId, ...args], installation)
  assert.equal((await set('--name', 'Green Door')).code, 0)
  assertSentence(await set('--domain', 'bluedoor.example'), 'Another store already uses the domain')
  assert.equal((await set('--domain', 'greendoor.example')).code, 0)
  assert.doesNotMatch((await runVitrine(['doctor'], installation)).stdout, /^warning {2}stores/m)
})

test('in production a credential on the command line prints a warning, and one in a file does not', async (t) => {
  const installation = {
    DATABASE_URL: await newDatabase(t, { migrated: true }),
    VITRINE_DATA_DIR: newFolder(t),
    VITRINE_SECRET: 's'.repeat(32),
  }
  const create = ['store', 'create', '--name', 'Blue Door', '--domain', 'bluedoor.example', '--currency', 'EUR']
  const settings = { ...installation, ...productionSettings }
  assert.equal((await runVitrine([...create, '--payment-provider', 'cod'], settings)).code, 0)
  const named = await runVitrine(['store', 'set', '--payment-credential', 'keyId=s3cret'], settings)
  assert.match(named.stderr, /^Other users of this machine can see --payment-credential in the process list\./)
  assert.doesNotMatch(named.stderr, /s3cret/)
  const file = join(newFolder(t), 'credentials.json')
  writeFileSync(file, '{}')
  const kept = await runVitrine(['store', 'set', '--payment-credentials', file], settings)
  assert.deepEqual([kept.code, kept.stderr], [0, ''])
})

test('an unknown payment provider and invalid credentials are rejected', async (t) => {
  const settings = { DATABASE_URL: await newDatabase(t, { migrated: true }), VITRINE_DATA_DIR: newFolder(t) }
  const create = ['store', 'create', '--name', 'Blue Door', '--domain', 'bluedoor.example', '--currency', 'EUR']
  assertSentence(
    await runVitrine([...create, '--payment-provider', 'stripes'], settings),
    'There is no payment provider',
  )
  const { storeId } = await runJson([...create, '--payment-provider', 'cod'], settings)
  const shell = (args: readonly string[]) => runJson(args, settings)
  assert.equal((await shell(['store', 'show'])).paymentProvider, 'cod')
  assert.equal((await shell(['store', 'set', '--payment-provider', 'sandbox'])).paymentProvider, 'sandbox')
  const refused: [string[], string][] = [
    [
      ['--payment-provider', 'stripes', '--name', 'Green Door'],
      'Valid providers: sandbox, cod, juspay, razorpay, stripe.',
    ],
    [['--payment-credential', 'keyId=abc'], 'has no credential "keyId"'],
    [['--payment-credential', 'abc'], 'must be a name and a value'],
  ]
  for (const [args, words] of refused) assertSentence(await runVitrine(['store', 'set', ...args], settings), words)
  const folder = newFolder(t)
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const files: [string, string][] = [
    [file('good.json', '{"keyId": "s3cret"}'), 'has no credential "keyId"'],
    [file('broken.json', '{"keyId": s3cret'), 'is not valid JSON'],
    [file('list.json', '["s3cret"]'), 'must contain a JSON object'],
    [file('number.json', '{"keyId": 7}'), 'The credential keyId in'],
    [file('long.json', `{"keyId": "${'s3cret'.repeat(20_000)}"}`), 'is longer than 100000 bytes'],
    [join(folder, 'none.json'), 'cannot be read: ENOENT'],
  ]
  for (const [path, words] of files) {
    const ended = await runVitrine(['store', 'set', '--payment-credentials', path], settings)
    assertSentence(ended, words)
    assert.doesNotMatch(ended.stderr, /s3cret/)
  }
  const piped = (text: string) => runProcess(['store', 'set', '--payment-credentials', '-'], settings, { input: text })
  assertSentence(await piped('{"keyId": "s3cret"}'), 'has no credential "keyId"')
  assertSentence(await piped('s3cret'), 'Standard input is not valid JSON')
  assert.equal((await piped('{}')).code, 0)
  const { id, name, paymentProvider } = await shell(['store', 'show'])
  assert.deepEqual([id, name, paymentProvider], [storeId, 'Blue Door', 'sandbox'])
  assert.deepEqual(await query(settings.DATABASE_URL, 'select from payment_account'), [])
})
