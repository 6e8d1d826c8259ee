import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TSchema } from 'typebox'
import { type Answer, startTestService, type TestService } from './harness.ts'
import {
  cheapPasswords,
  describe,
  endpoints,
  fewAtOnce,
  guarded,
  type Kind,
  type NamedEndpoint,
  openWorld,
  type Person,
  type Prepared,
  prepare,
  rowsOf,
  send,
  type World,
} from './world.ts'

/**
 * Wherever a call can name a row, strangers name somebody else's row in it. They learn nothing and change nothing. The
 * places come from the contract, and one that is new fails here until it is told what it names.
 */
type Row = 'cart' | 'line' | 'wish' | 'address' | 'guest token' | 'product' | 'variant'

/** What a field names: by its name, or by endpoint and name where the same name means several things. */
const rowNamedBy: Record<string, Row> = {
  idOrSlug: 'product',
  cartId: 'cart',
  itemId: 'line',
  guestCartId: 'cart',
  guestToken: 'guest token',
  productId: 'product',
  variantId: 'variant',
  'changeCart.id': 'line',
  'removeWishlistItem.id': 'wish',
  'changeAddress.id': 'address',
  'removeAddress.id': 'address',
}

type Place = { endpoint: NamedEndpoint; where: 'params' | 'body'; name: string; row: Row }

const placesOf = (endpoint: NamedEndpoint): Place[] => {
  const params = Object.keys(endpoint.params?.properties ?? {}).map((name) => ({ where: 'params' as const, name }))
  const fields = fieldsOf(endpoint.body).filter((name) => /id$|token$|slug$/i.test(name))
  return [...params, ...new Set(fields).values().map((name) => ({ where: 'body' as const, name }))].map((place) => {
    const row = rowNamedBy[`${endpoint.name}.${place.name}`] ?? rowNamedBy[place.name]
    assert.ok(row, `${describe(endpoint)}: say in rowNamedBy of this test what ${place.name} names`)
    return { endpoint, ...place, row }
  })
}

/** The names of all fields of a body, however deep they stand. */
const fieldsOf = (schema: TSchema | undefined): string[] => {
  const { properties = {}, items } = (schema ?? {}) as { properties?: Record<string, TSchema>; items?: TSchema }
  const inner = Object.entries(properties).flatMap(([name, field]) => [name, ...fieldsOf(field)])
  return items === undefined ? inner : [...inner, ...fieldsOf(items)]
}

let service: TestService
let here: World
let elsewhere: World
let victims: Person[]
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
  here = await openWorld(service)
  elsewhere = await openWorld(service)
  victims = [await here.person('customer'), await here.person('guest')]
})
after(() => service.close())

const valueFor = (row: Row, victim: Person): string => {
  if (row === 'product') return here.lamp.id
  if (row === 'variant') return here.lamp.variants[0].id
  const values = { cart: victim.cartId, line: victim.itemId, wish: victim.wishId, address: victim.addressId }
  return row === 'guest token' ? victim.token : values[row]
}

/** Some rows are open to whoever knows their id: what the store sells, and in the same store the things of a guest. */
const isSecretFrom = (row: Row, victim: Person, isNeighbour: boolean) => {
  if (row === 'product' || row === 'variant') return !isNeighbour
  if (row === 'guest token') return victim.kind === 'guest' && !isNeighbour
  if (row === 'address') return victim.kind === 'customer'
  return row !== 'cart' || victim.kind === 'customer' || !isNeighbour
}

/** What strangers hear: that there is nothing, unless they may not ask at all or the field is ignored. */
const statusFor = ({ endpoint, name, row }: Place, intruder: Kind) => {
  if (name === 'guestCartId') return endpoint.okStatus ?? 200
  if (intruder === 'guest' && (endpoint.access === 'customer' || endpoint.access === 'asserted')) return 401
  return row === 'guest token' ? 400 : 404
}

/** The call, with the victim's value in place of every one that stands under this name. */
const trespass = (call: Prepared, { where, name }: Pick<Place, 'where' | 'name'>, value: string): Prepared[] => {
  if (where === 'params') return [{ ...call, params: { ...call.params, [name]: value } }]
  const changed = call.bodies.map((body) => replaceField(body, name, value)).filter((body) => body !== null)
  assert.ok(changed.length > 0, `give ${name} of ${describe(call.endpoint)} a value in test/world-calls.ts`)
  return changed.map((body) => ({ ...call, bodies: [body] }))
}

const replaceField = (body: Record<string, unknown>, name: string, value: string): Record<string, unknown> | null => {
  const text = JSON.stringify(body)
  const replaced = text.replaceAll(new RegExp(`("${name}":)"[^"]*"`, 'g'), `$1${JSON.stringify(value)}`)
  return replaced === text ? null : JSON.parse(replaced)
}

/** The rows that are about the victim, byte for byte. */
const rowsAbout = async (victim: Person) =>
  (await rowsOf(here)).filter((row) => [victim.id, victim.cartId].some((id) => row.includes(id)))

const privateWordsOf = ({ kind, id, token, cartId, itemId, wishId, addressId, street }: Person) => [
  ...[id, token, cartId, itemId, wishId, street],
  ...(kind === 'customer' ? [addressId] : []),
]

const assertSilent = (answer: Answer, victim: Person, what: string) => {
  const told = `${answer.text} ${JSON.stringify([...answer.headers])}`
  for (const secret of privateWordsOf(victim)) assert.ok(!told.includes(secret), `${what} tells ${secret}: ${told}`)
}

/** A stranger made for each place names there what the victim has. */
const intrude = async (world: World, kind: Kind) => {
  const isNeighbour = world === here
  const all = endpoints.flatMap(placesOf)
  for (const victim of victims) {
    const before = await rowsAbout(victim)
    assert.ok(before.length > 4)
    await fewAtOnce(
      all.filter(({ row }) => isSecretFrom(row, victim, isNeighbour)),
      async (place) => {
        const call = await prepare(world, place.endpoint, await world.person(kind))
        for (const spoilt of trespass(call, place, valueFor(place.row, victim))) {
          const answer = await send(spoilt)
          const what = `${describe(place.endpoint)} with ${place.name} of a ${victim.kind}`
          assert.equal(answer.status, statusFor(place, kind), `${what}: ${answer.text}`)
          assertSilent(answer, victim, what)
        }
      },
    )
    assert.deepEqual(await rowsAbout(victim), before)
  }
}

test('another customer of the same store neither sees nor changes what somebody has', () => intrude(here, 'customer'))

test('a guest of the same store neither sees nor changes what somebody has', () => intrude(here, 'guest'))

test('a customer of another store neither sees nor changes anything of this one', () => intrude(elsewhere, 'customer'))

test('a guest of another store neither sees nor changes anything of this one', () => intrude(elsewhere, 'guest'))

test('all ids of a path at once open as little as one of them', async () => {
  const deep = guarded.filter(({ params }) => Object.keys(params?.properties ?? {}).length > 1)
  assert.ok(deep.length > 0)
  const [victim] = victims as [Person]
  const before = await rowsAbout(victim)
  for (const endpoint of deep) {
    for (const [world, kind] of [here, elsewhere].flatMap((one) => [
      [one, 'guest'] as const,
      [one, 'customer'] as const,
    ])) {
      const call = await prepare(world, endpoint, await world.person(kind))
      const params = Object.fromEntries(placesOf(endpoint).map(({ name, row }) => [name, valueFor(row, victim)]))
      const answer = await send({ ...call, params: { ...call.params, ...params } })
      assert.equal(answer.status, 404, `${describe(endpoint)}: ${answer.text}`)
      assertSilent(answer, victim, describe(endpoint))
    }
  }
  assert.deepEqual(await rowsAbout(victim), before)
})

test("nobody's answer has anything of somebody else in it, also without asking for it", async () => {
  for (const victim of victims) {
    const before = await rowsAbout(victim)
    await fewAtOnce(guarded, async (endpoint) => {
      const call = await prepare(here, endpoint)
      const answer = await send(call)
      assert.ok(answer.status < 300, answer.text)
      assertSilent(answer, victim, describe(endpoint))
    })
    assert.deepEqual(await rowsAbout(victim), before)
  }
})

test('an Idempotency-Key brings back an answer to its own shopper alone', async () => {
  const repeatable = guarded.filter(({ once }) => once)
  assert.ok(repeatable.length > 0)
  for (const endpoint of repeatable) {
    const headers = { 'idempotency-key': `key-of-${endpoint.name}` }
    const first = await prepare(here, endpoint)
    const own = await send(first, { headers })
    const replayed = await send(first, { headers })
    assert.deepEqual([replayed.status, replayed.text], [own.status, own.text], `${describe(endpoint)} is not kept`)
    for (const world of [here, elsewhere]) {
      const stranger = await send(await prepare(world, endpoint), { headers })
      assert.ok(stranger.status < 300, `${describe(endpoint)}: ${stranger.text}`)
      assertSilent(stranger, first.person as Person, describe(endpoint))
      assert.notEqual(stranger.text, own.text)
    }
  }
})

test("a cursor of one customer's list is of no use to another", async () => {
  const lists = guarded.filter(({ query, access }) => query?.properties.cursor !== undefined && access === 'customer')
  assert.ok(lists.length > 0)
  for (const endpoint of lists) {
    const call = await prepare(here, endpoint)
    await fillList(call)
    const { json } = await send(call, { address: `${endpoint.path}?limit=1` })
    assert.ok(json.nextCursor, `${describe(endpoint)}: let fillList of this test make a second page`)
    const address = `${endpoint.path}?limit=1&cursor=${encodeURIComponent(json.nextCursor)}`
    assert.equal((await send(call, { address })).status, 200)
    for (const world of [here, elsewhere]) {
      const stranger = await prepare(world, endpoint)
      assert.equal((await send(stranger, { address })).status, 400, describe(endpoint))
    }
  }
})

const fillList = async ({ world, person }: Prepared) => {
  const add = endpoints.find(({ name }) => name === 'addAddress')
  assert.ok(add && person)
  for (let i = 0; i < 2; i++) assert.equal((await send(await prepare(world, add, person))).status, 201)
}
