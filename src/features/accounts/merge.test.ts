import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { noTriggers } from '../../../test/cluster.ts'
import { assertError, newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer, newGuest } from '../../../test/shoppers.ts'
import { days } from '../../core/clock.ts'
import { openShop as openPlainShop, quantities, setStock } from '../cart/fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const openShop = async () => {
  const { shop, mug, lamp } = await openPlainShop(service)
  await setStock(service, shop, mug, 100)
  const guest = await newGuest(service, shop)
  const asha = await newCustomer(service, shop)
  const merge = (guestToken = guest.token, headers: Record<string, string> = {}) =>
    asha.call('POST', '/v1/auth/merge-guest-data', {
      headers: { 'x-customer-id': asha.id, ...headers },
      body: { guestToken },
    })
  return { shop, mug, lamp, guest, asha, merge }
}

test('a merge moves cart and wishlist, counts what moved, and ends the guest', async () => {
  const { mug, lamp, guest, asha, merge } = await openShop()
  await asha.call('POST', '/v1/cart', { body: { productId: mug, quantity: 2 } })
  await guest.call('POST', '/v1/cart', { body: { items: [{ productId: mug, quantity: 3 }, { productId: lamp }] } })
  await guest.call('POST', '/v1/wishlist', { body: { productId: lamp } })
  const merged = await merge()
  assert.equal(merged.status, 200, merged.text)
  assert.deepEqual(merged.json, {
    success: true,
    message: 'Guest data merged.',
    merged: { cartItems: 2, wishlistItems: 1 },
  })
  assert.deepEqual(quantities((await asha.call('GET', '/v1/cart')).json), [
    [mug, 5],
    [lamp, 1],
  ])
  assert.equal((await asha.call('GET', '/v1/wishlist')).json.length, 1)
  for (const [method, path, body] of [
    ['GET', '/v1/cart', undefined],
    ['POST', '/v1/cart', { productId: mug }],
    ['GET', '/v1/wishlist', undefined],
    ['POST', '/v1/wishlist', { productId: mug }],
  ] as const) {
    const answer = await guest.call(method, path, { body })
    assertError(answer, 400, 'BAD_REQUEST')
    const fresh = answer.headers.get('x-guest-token') ?? ''
    assert.match(fresh, /^gst_/)
    assert.notEqual(fresh.split('.')[0], guest.token.split('.')[0])
  }
})

test('a guest token cannot be merged twice, and the second attempt returns no new token', async () => {
  const { mug, guest, merge } = await openShop()
  await guest.call('POST', '/v1/cart', { body: { productId: mug } })
  assert.equal((await merge()).json.merged.cartItems, 1)
  const again = await merge()
  assertError(again, 400, 'BAD_REQUEST')
  assert.equal(again.headers.get('x-guest-token'), null)
})

test('a merged guest gets no stored answer', async () => {
  const { mug, guest, merge } = await openShop()
  const add = () => guest.call('POST', '/v1/cart', { headers: { 'idempotency-key': 'a' }, body: { productId: mug } })
  assert.equal((await add()).status, 201)
  assert.equal((await merge()).status, 200)
  assertError(await add(), 400, 'BAD_REQUEST')
})

test('merging a guest without cart and wishlist also invalidates the token', async () => {
  const { guest, merge } = await openShop()
  assert.deepEqual((await merge()).json.merged, { cartItems: 0, wishlistItems: 0 })
  assertError(await merge(), 400, 'BAD_REQUEST')
  assertError(await guest.call('GET', '/v1/cart'), 400, 'BAD_REQUEST')
})

test('a token that is forged, expired or of another store cannot be merged', async (t) => {
  const { merge, guest } = await openShop()
  const { guest: foreign } = await openShop()
  const forged = guest.token.replace(/\.([^.]+)$/, (_, signature) => `.${[...signature].reverse().join('')}`)
  for (const token of [foreign.token, forged, 'gst_x', 'nonsense', guest.token.toUpperCase()]) {
    assertError(await merge(token), 400, 'BAD_REQUEST')
  }
  const mine = await startTestService()
  t.after(() => mine.close())
  const shop = await newStore(mine)
  const late = await newGuest(mine, shop)
  mine.clock.advance(days(30) + 1000)
  const asha = await newCustomer(mine, shop)
  const answer = await asha.call('POST', '/v1/auth/merge-guest-data', {
    headers: { 'x-customer-id': asha.id },
    body: { guestToken: late.token },
  })
  assertError(answer, 400, 'BAD_REQUEST')
})

test('a merge needs x-customer-id, matching the session or asserted by a server', async () => {
  const { shop, mug, guest, asha } = await openShop()
  const other = await newCustomer(service, shop)
  const { key: browserKey } = await shop.newKey({ kind: 'browser', scopes: ['auth:write', 'cart:write'] })
  await guest.call('POST', '/v1/cart', { body: { productId: mug } })
  const body = JSON.stringify({ guestToken: guest.token })
  const merge = (headers: Record<string, string>) =>
    service.call('/v1/auth/merge-guest-data', {
      ...{ method: 'POST', body },
      headers: { 'content-type': 'application/json', 'x-store-key': shop.key, ...headers },
    })
  const bearer = { authorization: `Bearer ${asha.token}` }
  for (const headers of [
    {},
    bearer,
    { 'x-customer-id': 'cus_none' },
    { ...bearer, 'x-customer-id': other.id },
    { 'x-store-key': browserKey, 'x-customer-id': asha.id },
    { 'x-store-key': browserKey },
    { authorization: 'Bearer ses_dead', 'x-customer-id': asha.id },
  ]) {
    assertError(await merge(headers), 401, 'UNAUTHORIZED')
  }
  const vouched = await merge({ 'x-customer-id': asha.id })
  assert.equal(vouched.status, 200, vouched.text)
  assert.equal(vouched.json.merged.cartItems, 1)
})

test('a body without a token is 400', async () => {
  const { asha } = await openShop()
  for (const body of [{}, { guestToken: 1 }, { guestToken: '' }, []]) {
    const answer = await asha.call('POST', '/v1/auth/merge-guest-data', { headers: { 'x-customer-id': asha.id }, body })
    assertError(answer, 400, 'BAD_REQUEST')
  }
})

test('one of twenty concurrent merges wins, and nothing is added twice', async () => {
  const { mug, lamp, guest, asha, merge } = await openShop()
  await asha.call('POST', '/v1/cart', { body: { productId: mug, quantity: 2 } })
  await guest.call('POST', '/v1/cart', { body: { productId: mug, quantity: 3 } })
  await guest.call('POST', '/v1/wishlist', { body: { productId: lamp } })
  const answers = await Promise.all(Array.from({ length: 20 }, () => merge()))
  const [won, ...more] = answers.filter(({ status }) => status === 200)
  assert.deepEqual(won?.json.merged, { cartItems: 1, wishlistItems: 1 })
  assert.equal(more.length, 0)
  for (const answer of answers) if (answer !== won) assertError(answer, 400, 'BAD_REQUEST')
  assert.deepEqual(quantities((await asha.call('GET', '/v1/cart')).json), [[mug, 5]])
})

test('a guest write that races a merge is merged or refused, never lost', async () => {
  for (let round = 0; round < 8; round++) {
    const { mug, guest, asha, merge } = await openShop()
    // In half of the rounds the guest has no row yet, so there is nothing to lock.
    const before = round % 2
    if (before) await guest.call('POST', '/v1/cart', { body: { productId: mug } })
    const [merged, ...writes] = await Promise.all([
      merge(),
      ...Array.from({ length: 10 }, () => guest.call('POST', '/v1/cart', { body: { productId: mug } })),
    ])
    assert.equal(merged.status, 200, merged.text)
    const accepted = writes.filter(({ status }) => status < 300).length
    for (const write of writes) if (write.status >= 300) assertError(write, 400, 'BAD_REQUEST')
    const [line] = (await asha.call('GET', '/v1/cart')).json
    assert.equal(line?.quantity ?? 0, before + accepted)
  }
})

test('a merge that fails halfway changes nothing and can be retried', noTriggers, async (t) => {
  const { shop, mug, lamp, guest, asha, merge } = await openShop()
  await guest.call('POST', '/v1/cart', { body: { productId: mug, quantity: 3 } })
  await guest.call('POST', '/v1/wishlist', { body: { productId: lamp } })
  const { id } = await shop.load()
  const drop = () => service.db.run`drop trigger if exists break_merge on wishlist_item`
  t.after(drop)
  await service.db.run`
    create or replace function break_merge() returns trigger language plpgsql as
    $$ begin if tg_argv[0] = old.store_id::text then raise exception 'made to fail'; end if; return new; end $$`
  // DDL takes no parameters, so the store id is part of the statement text.
  const trigger = Object.assign(
    [
      `create trigger break_merge before update on wishlist_item for each row execute function break_merge('${Number(id)}')`,
    ],
    { raw: [] as string[] },
  )
  await service.db.run(trigger as unknown as TemplateStringsArray)
  assertError(await merge(), 500, 'INTERNAL')
  assert.deepEqual((await asha.call('GET', '/v1/cart')).json, [])
  assert.deepEqual((await asha.call('GET', '/v1/wishlist')).json, [])
  assert.deepEqual(quantities((await guest.call('GET', '/v1/cart')).json), [[mug, 3]])
  await drop()
  assert.deepEqual((await merge()).json.merged, { cartItems: 1, wishlistItems: 1 })
})
