import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { minutes } from '../src/core/clock.ts'
import { deriveSigner, type Purpose } from '../src/core/secrets.ts'
import { makeLink } from '../src/features/downloads/links.ts'
import { makePageToken } from '../src/features/payments/sandbox-token.ts'
import { type Answer, assertError, serviceFor, startTestService, type TestService } from './harness.ts'
import { cheapPasswords, headersOf, openWorld, type Person, prepare, rowsOf, type World, withAccess } from './world.ts'
import type { Bought, Ordered } from './world-orders.ts'

/** Addresses that a browser opens without any key: back from paying, a file that was bought, the page of the sandbox. */
const secrets = ['the secret of this service, which forgers do not know']
const signerFor = (purpose: Purpose) => deriveSigner(secrets, purpose)
const origin = 'https://second.shop.example'

let service: TestService
let here: World
let elsewhere: World
let asha: Person
let ordered: Ordered
let bought: Bought
let theirs: { ordered: Ordered; bought: Bought }
before(async () => {
  service = await startTestService({ passwords: cheapPasswords, secrets })
  here = await openWorld(service, [origin])
  elsewhere = await openWorld(service)
  asha = await here.person('customer')
  ordered = await here.order(asha)
  bought = await here.buy(asha)
  const ravi = await elsewhere.person('customer')
  theirs = { ordered: await elsewhere.order(ravi), bought: await elsewhere.buy(ravi) }
})
after(() => service.close())

/** A forged link changes nothing in either store. */
const assertUnchanged = async (attempts: () => Promise<unknown>) => {
  const before = [await rowsOf(here), await rowsOf(elsewhere)]
  await attempts()
  assert.deepEqual([await rowsOf(here), await rowsOf(elsewhere)], before)
}

// The way back after paying

/** Values that try to redirect to a foreign page. */
const hostileTargets = [
  ...['https://evil.example', '//evil.example', '/\\evil.example', '\\\\evil.example', 'https:evil.example'],
  ...['https://shop.example.evil.example', 'https://shop.example@evil.example', 'https://evil.example#shop.example'],
  ...['https://evil.example?shop.example', 'https://evil.example/https://shop.example', 'HTTPS://EVIL.EXAMPLE'],
  ...['http://shop.example', 'https://shop.example:8443', 'https://shop.example.', 'https://SHOP.example'],
  ...['https://shop.example/', 'https://shop.example/path', 'https://shop.example?x=1', 'https://shop.example#x'],
  ...['https://user:pass@shop.example', 'https://shop.example\\@evil.example', 'https://shop.example%2eevil.example'],
  ...[
    'https://evil.example\\.shop.example',
    'https://evil%E3%80%82example',
    'https://shop。example',
    'https://shоp.example',
  ],
  ...['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'java\nscript:alert(1)', 'data:text/html,<script>1</script>'],
  ...['vbscript:x', 'file:///etc/passwd', 'ftp://shop.example', 'blob:https://shop.example/x', 'about:blank'],
  ...['https://shop.example\r\nlocation: https://evil.example', 'https://shop.example\nset-cookie: a=b', '\r\n\r\n<b>'],
  ...['%0d%0alocation:%20https://evil.example', '%2f%2fevil.example', '%5c%5cevil.example', '%68ttps://evil.example'],
  ...[' https://evil.example', '\thttps://evil.example', '\u202ehttps://evil.example', 'https://evil.example\u0000'],
  ...['http://127.0.0.1', 'http://[::1]', 'http://169.254.169.254', 'http://0x7f000001', 'https://localhost'],
  ...['null', 'undefined', '[object Object]', '__proto__', '*', 'https://*', 'https://', '://', '.', '..', '', ' '],
  ...['success', 'https://second.shop.example.evil.example', 'https://xsecond.shop.example'],
]
const targetNames = ['storefrontUrl', 'storefront_url', 'redirect', 'returnUrl', 'next', 'url', 'status', 'origin']

const comeBack = (orderId: string, more = '', headers: Record<string, string> = {}) =>
  service.call(`/payment/callback?orderId=${encodeURIComponent(orderId)}${more}`, { headers })

test('the callback always redirects to the store of the order', async () => {
  assert.ok(hostileTargets.length >= 60)
  const way = (orderId: string, status: string) =>
    `${here.shop.domain}/payment/callback?orderId=${orderId}&status=${status}`
  await assertUnchanged(async () => {
    for (const [i, target] of here.shop.aim(hostileTargets).entries()) {
      const [name, other] = [targetNames[i % targetNames.length], targetNames[(i + 1) % targetNames.length]]
      const value = encodeURIComponent(target)
      const answers = [
        await comeBack(bought.orderId, `&${name}=${value}&${other}=${value}`),
        await comeBack(bought.orderId, `&${name}=${value}`, {
          'x-forwarded-host': 'evil.example',
          referer: 'https://evil.example',
        }),
      ]
      for (const { status, headers, text } of answers) {
        if (status === 400) continue
        assert.deepEqual([status, headers.get('location')], [302, way(bought.orderId, 'success')], `${target} ${text}`)
        assert.deepEqual([text, headers.get('set-cookie')], ['', null])
      }
    }
  })
  for (const lie of ['&status=success', '&paymentStatus=paid', '&status=success&status=paid', '&amount=0']) {
    const { headers } = await comeBack(ordered.orderId, lie)
    assert.equal(headers.get('location'), way(ordered.orderId, 'pending'))
  }
  const order = await showOrder()
  assert.deepEqual([order.status, order.paymentStatus], ['pending', 'pending'])
})

const showOrder = async () => {
  const headers = { authorization: `Bearer ${asha.token}` }
  return (await here.shop.get(`/v1/customer/orders/${ordered.orderId}`, headers)).json
}

test('an unknown order redirects nowhere', async () => {
  await assertUnchanged(async () => {
    for (const target of [
      ...hostileTargets,
      `${bought.orderId} `,
      `${bought.orderId}\u0000`,
      `${bought.orderId}&status=success`,
    ]) {
      const answer = await comeBack(target)
      assert.ok(answer.status === 404 || answer.status === 400, `${target}: ${answer.status} ${answer.text}`)
      assert.equal(answer.headers.get('location'), null)
    }
    assertError(await service.call('/payment/callback'), 400, 'BAD_REQUEST')
    assertError(await comeBack(bought.orderId, `&orderId=${bought.orderId}`), 400, 'BAD_REQUEST')
  })
})

test('a checkout refuses return addresses that the store does not allow', async () => {
  const endpoint = withAccess('customer').find(({ name }) => name === 'checkOut')
  assert.ok(endpoint)
  const call = await prepare(here, endpoint)
  const checkOut = (storefrontUrl: string) =>
    service.call('/v1/checkout', {
      ...{ method: 'POST', headers: headersOf(call) },
      body: JSON.stringify({ ...call.bodies[1], storefrontUrl }),
    })
  await assertUnchanged(async () => {
    for (const target of here.shop.aim(hostileTargets)) assertError(await checkOut(target), 400, 'BAD_REQUEST')
  })
  for (const listed of [origin, here.shop.domain]) {
    const { json, status } = await checkOut(listed)
    assert.equal(status, 201)
    const { headers } = await comeBack(json.order.id)
    assert.ok(headers.get('location')?.startsWith(`${listed}/payment/callback?orderId=`), `${headers.get('location')}`)
  }
})

// Signed addresses

/** A text with one thing changed, for each of its letters and parts. */
const spoilEach = (text: string) => [
  ...Array.from(text, (letter, i) => `${text.slice(0, i)}${letter === 'a' ? 'b' : 'a'}${text.slice(i + 1)}`),
  ...Array.from({ length: 8 }, (_, i) => text.slice(0, -1 - i)),
  ...text.split('.').map((_, i, parts) => parts.toSpliced(i, 1).join('.')),
  ...text.split('.').map((_, i, parts) => parts.with(i, '').join('.')),
  ...[
    `${text}x`,
    `${text}.`,
    `.${text}`,
    `${text}=`,
    `${text}%00`,
    `${text}%20`,
    text.toUpperCase(),
    `${text}.${text}`,
  ],
]
const nonsense = [
  ...['x', '.', '..', '...', '.....', 'null', '__proto__', 'constructor', '%00', '%ff', '%2e%2e%2fstore.json', '*'],
  ...['dlk_', 'dlk_...', 'dlk_store_x.dl_x.1.', 'dlk_store_x.dl_x.99999999999999.AAAA', '..%2f..%2fetc%2fpasswd'],
  ...[
    "' or '1'='1",
    '{}',
    '🫖',
    'x'.repeat(5_000),
    'a.'.repeat(2_000),
    '%F0%9F%AB%96',
    '<script>',
    randomBytes(99).toString('hex'),
  ],
].map((text) => (text.includes('%') ? text : encodeURIComponent(text)))

/** It is refused in our form, and nothing of what it would open is in the answer. */
const assertNoWayIn = (answer: Answer, what: string) => {
  assert.ok(answer.status === 404 || answer.status === 400, `${what}: ${answer.status} ${answer.text.slice(0, 200)}`)
  assert.deepEqual(Object.keys(answer.json).sort(), ['code', 'error'], what)
  assert.equal(answer.headers.get('location'), null, what)
}

const linkOf = async (world: World, person: Person, { downloadId }: Bought) => {
  const headers = { authorization: `Bearer ${person.token}` }
  const answer = await world.shop.get(`/v1/downloads/${downloadId}`, headers)
  assert.equal(answer.status, 302, answer.text)
  return new URL(answer.headers.get('location') ?? '').pathname.split('/').at(-1) as string
}

test('a link opens one file of one store, and forged links open nothing', async () => {
  const link = await linkOf(here, asha, bought)
  const good = await service.call(`/downloads/${link}`)
  assert.deepEqual([good.status, good.headers.get('content-type')], [200, 'application/octet-stream'])
  const now = service.clock.now()
  const { storeId } = here.shop
  const own = { storeId, downloadId: bought.downloadId }
  const [head, endsMs, signature] = [link.split('.').slice(0, 2).join('.'), ...link.split('.').slice(2)]
  const forged = [
    ...spoilEach(link),
    ...nonsense,
    makeLink(deriveSigner(['another secret that is long enough to be one'], 'download'), own, now).link,
    ...(['guest', 'cursor', 'sandbox', 'sandbox-webhook', 'simulate', 'otp'] as const).map(
      (purpose) => makeLink(signerFor(purpose), own, now).link,
    ),
    `${head}.${Number(endsMs) + 1}.${signature}`,
    `${head}.${endsMs}0.${signature}`,
    link.replace(bought.downloadId, theirs.bought.downloadId),
    link.replace(storeId, elsewhere.shop.storeId),
    // Signed with the right key, but for objects that the store does not have.
    makeLink(signerFor('download'), { storeId: elsewhere.shop.storeId, downloadId: bought.downloadId }, now).link,
    makeLink(signerFor('download'), { storeId, downloadId: theirs.bought.downloadId }, now).link,
    makeLink(signerFor('download'), { storeId, downloadId: 'dl_nobody' }, now).link,
    makeLink(signerFor('download'), { storeId: 'store_nobody', downloadId: bought.downloadId }, now).link,
  ]
  await assertUnchanged(async () => {
    for (const bad of forged) assertNoWayIn(await service.call(`/downloads/${bad}`), bad)
    for (const method of ['POST', 'PUT', 'DELETE'])
      assertNoWayIn(await service.call(`/downloads/${link}`, { method }), method)
  })
})

test('a link expires after ten minutes, and the account provides a new one', async (t) => {
  const later = await serviceFor(t, { passwords: cheapPasswords, secrets })
  const world = await openWorld(later)
  const person = await world.person('customer')
  const goods = await world.buy(person)
  const link = await linkOf(world, person, goods)
  later.clock.advance(minutes(10))
  const before = await rowsOf(world)
  assertError(await later.call(`/downloads/${link}`), 410, 'GONE')
  assert.deepEqual(await rowsOf(world), before)
  assert.equal((await later.call(`/downloads/${await linkOf(world, person, goods)}`)).status, 200)
})

const choose = (token: string, body = 'choice=success', type = 'application/x-www-form-urlencoded') =>
  service.call(`/sandbox/pay/${token}`, { method: 'POST', headers: { 'content-type': type }, body })

test('a sandbox page opens one payment of one store, and forged addresses open none', async () => {
  const { pageToken, paymentId } = ordered
  const page = await service.call(`/sandbox/pay/${pageToken}`)
  assert.deepEqual([page.status, page.text.includes('value="success"')], [200, true])
  const { storeId } = here.shop
  const forged = [
    ...spoilEach(pageToken),
    ...nonsense,
    makePageToken(deriveSigner(['another secret that is long enough to be one'], 'sandbox'), storeId, paymentId),
    ...(['guest', 'cursor', 'download', 'sandbox-webhook', 'simulate', 'otp'] as const).map((purpose) =>
      makePageToken(signerFor(purpose), storeId, paymentId),
    ),
    pageToken.replace(paymentId, theirs.ordered.paymentId),
    pageToken.replace(storeId, elsewhere.shop.storeId),
    makePageToken(signerFor('sandbox'), elsewhere.shop.storeId, paymentId),
    makePageToken(signerFor('sandbox'), storeId, theirs.ordered.paymentId),
    makePageToken(signerFor('sandbox'), storeId, 'pay_nobody'),
    makePageToken(signerFor('sandbox'), 'store_nobody', paymentId),
  ]
  await assertUnchanged(async () => {
    for (const bad of forged) {
      assertNoWayIn(await service.call(`/sandbox/pay/${bad}`), bad)
      assertNoWayIn(await choose(bad), bad)
    }
  })
})

test('a sandbox page accepts one of its three answers and nothing else', async () => {
  const forms = ['', 'choice', 'choice=', 'choice=paid', 'choice=SUCCESS', 'choice=success%00', 'choice[]=success', '%']
  forms.push('choice=later&choice=paid', '__proto__=success', 'choice.success', 'a=success', ' choice=success', '&&&=')
  const others: [string, string, number][] = [
    ['{"choice":["success"]}', 'application/json', 400],
    ['{"choice":{"toString":"success"}}', 'application/json', 400],
    ['null', 'application/json', 400],
    ['{', 'application/json', 400],
    ['choice=success', 'text/plain', 415],
    ['--x\r\n\r\nchoice=success', 'multipart/form-data; boundary=x', 415],
    [`choice=success&x=${'x'.repeat(2_000)}`, 'application/x-www-form-urlencoded', 413],
  ]
  await assertUnchanged(async () => {
    for (const form of forms) assertError(await choose(ordered.pageToken, form), 400, 'BAD_REQUEST')
    for (const [body, type, status] of others) {
      const answer = await choose(ordered.pageToken, body, type)
      assert.equal(answer.status, status, `${type} ${body.slice(0, 50)}: ${answer.text}`)
    }
  })
})

test('a sandbox page that has expired or runs in production changes nothing', async (t) => {
  const production = await serviceFor(t, { production: true, secrets })
  const path = `/sandbox/pay/${ordered.pageToken}`
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const press = (at: TestService) => at.call(path, { method: 'POST', headers, body: 'choice=success' })
  await assertUnchanged(async () => {
    assertNoWayIn(await production.call(path), 'the page in production')
    // Nothing in production reads forms, so it does not matter which of the two is said first.
    assert.ok([404, 415].includes((await press(production)).status))
  })
  const later = await serviceFor(t, { secrets })
  later.clock.advance(minutes(26))
  await assertUnchanged(async () => {
    const page = await later.call(path)
    assert.deepEqual([page.status, page.text.includes('value="success"')], [200, false])
    assert.equal((await press(later)).status, 303)
  })
})

test('no request of this file caused a server error', () => {
  assert.deepEqual(
    service.logLines.filter((line) => JSON.parse(line).level >= 50),
    [],
  )
})
