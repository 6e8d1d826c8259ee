import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TSchema } from 'typebox'
import { makeBeside } from './databases.ts'
import { type Answer, databaseUrl, startTestService, type TestService } from './harness.ts'
import {
  assertTaken,
  cheapPasswords,
  describe,
  endpoints,
  fewAtOnce,
  guarded,
  isOpen,
  isTaken,
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
import { type Owned, type Row, rowNamedBy } from './world-names.ts'

/**
 * Wherever a call can name a row, strangers name somebody else's row in it. They learn nothing and change nothing. The
 * places come from the contract, and test/world-names.ts says which row each of them names.
 */
type Place = { endpoint: NamedEndpoint; where: 'params' | 'body'; name: string; row: Row }

const placesOf = (endpoint: NamedEndpoint): Place[] => {
  const params = Object.keys(endpoint.params?.properties ?? {}).map((name) => ({ where: 'params' as const, name }))
  const fields = [...new Set(fieldsOf(endpoint.body))].map((name) => ({ where: 'body' as const, name }))
  return [...params, ...fields].flatMap((place) => {
    const row = rowNamedBy(endpoint, place.where, place.name)
    return row === undefined ? [] : [{ endpoint, ...place, row }]
  })
}

/** The names of all fields of a body, however deep they stand. */
const fieldsOf = (schema: TSchema | undefined): string[] => {
  const { properties = {}, items } = (schema ?? {}) as { properties?: Record<string, TSchema>; items?: TSchema }
  const inner = Object.entries(properties).flatMap(([name, field]) => [name, ...fieldsOf(field)])
  return items === undefined ? inner : [...inner, ...fieldsOf(items)]
}

let service: TestService
let database: Awaited<ReturnType<typeof makeBeside>>
let here: World
let elsewhere: World
type Victim = Person & { has: Record<Owned, string>; secrets: string[] }
let victims: Victim[]
before(async () => {
  // Of its own: jobs of other tests must not change the rows that are compared.
  database = await makeBeside(databaseUrl)
  service = await startTestService({ passwords: cheapPasswords, databaseUrl: database.url })
  here = await openWorld(service)
  elsewhere = await openWorld(service)
  victims = [await makeVictim('customer'), await makeVictim('guest')]
})
after(async () => {
  await service.close()
  await database.drop()
})

/** Somebody who has everything there is to have: a customer also an order that is open, and one on its way. */
const makeVictim = async (kind: Kind): Promise<Victim> => {
  const person = await here.person(kind)
  const { cartId, itemId, wishId, addressId } = person
  const [ordered, bought] = [await here.order(person), await here.buy(person)]
  const shipmentId = kind === 'customer' ? await here.ship(bought.orderId) : 'ship_none'
  const has = {
    ...{ cart: cartId, line: itemId, wish: wishId, address: addressId },
    ...{ order: ordered.orderId, download: bought.downloadId, shipment: shipmentId },
  }
  const secrets = [person.id, person.token, person.street, cartId, itemId, wishId]
  if (kind === 'customer') secrets.push(...Object.values(has), bought.orderId, ordered.paymentId, bought.paymentId)
  return { ...person, has, secrets }
}

const valueFor = (row: Row, { has, token }: Victim): string => {
  if (row === 'product') return here.lamp.id
  if (row === 'variant') return here.lamp.variants[0].id
  return row === 'guest token' ? token : has[row]
}

/** Some rows are open to whoever knows their id: what the store sells, and in the same store the things of a guest. */
const isSecretFrom = ({ endpoint, row }: Place, victim: Victim, isNeighbour: boolean) => {
  // Providers speak for their whole store, and for no other.
  if (isOpen(endpoint)) return victim.kind === 'customer' && !isNeighbour
  if (row === 'product' || row === 'variant') return !isNeighbour
  if (row === 'guest token') return victim.kind === 'guest' && !isNeighbour
  if (row === 'address' || row === 'order' || row === 'download') return victim.kind === 'customer'
  return row !== 'cart' || victim.kind === 'customer' || !isNeighbour
}

/** What strangers hear: that there is nothing, unless they may not ask at all or the field is ignored. */
const statusFor = ({ endpoint, name, row }: Place, intruder: Kind) => {
  // A coupon is held against the own cart, whichever is named.
  const isIgnored = name === 'guestCartId' || endpoint.name === 'validateCoupon'
  if (isIgnored && (intruder === 'customer' || endpoint.access !== 'customer')) return endpoint.okStatus ?? 200
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
const rowsAbout = async ({ secrets }: Victim) =>
  (await rowsOf(here)).filter((row) => secrets.some((secret) => row.includes(secret)))

const assertSilent = (answer: Answer, { secrets }: Pick<Victim, 'secrets'>, what: string) => {
  const told = `${answer.text} ${JSON.stringify([...answer.headers])}`
  for (const secret of secrets) assert.ok(!told.includes(secret), `${what} tells ${secret}: ${told}`)
}

/** A provider may be told which name was wrong, since it sent that name itself. */
const mayEcho = ({ endpoint }: Place) => isOpen(endpoint)
const without = ({ secrets }: Victim, sent: string) => ({ secrets: secrets.filter((secret) => secret !== sent) })

/** A stranger made for each place names there what the victim has. */
const intrude = async (world: World, kind: Kind) => {
  const isNeighbour = world === here
  const all = endpoints.flatMap(placesOf)
  for (const victim of victims) {
    const before = await rowsAbout(victim)
    assert.ok(before.length > 4)
    await fewAtOnce(
      all.filter((place) => isSecretFrom(place, victim, isNeighbour)),
      async (place) => {
        const call = await prepare(world, place.endpoint, await world.person(kind))
        for (const spoilt of trespass(call, place, valueFor(place.row, victim))) {
          const answer = await send(spoilt)
          const what = `${describe(place.endpoint)} with ${place.name} of a ${victim.kind}`
          assert.equal(answer.status, statusFor(place, kind), `${what}: ${answer.text}`)
          assertSilent(answer, mayEcho(place) ? without(victim, valueFor(place.row, victim)) : victim, what)
        }
      },
    )
    assert.deepEqual(await rowsAbout(victim), before)
  }
}

test('another customer of the same store neither sees nor changes data of a shopper', () => intrude(here, 'customer'))

test('a guest of the same store neither sees nor changes data of a shopper', () => intrude(here, 'guest'))

test('a customer of another store neither sees nor changes anything of this one', () => intrude(elsewhere, 'customer'))

test('a guest of another store neither sees nor changes anything of this one', () => intrude(elsewhere, 'guest'))

test('a path with only foreign ids is refused like one with a single foreign id', async () => {
  const deep = guarded.filter(({ params }) => Object.keys(params?.properties ?? {}).length > 1)
  assert.ok(deep.length > 0)
  const [victim] = victims as [Victim]
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

test('no answer contains data of another shopper', async () => {
  for (const victim of victims) {
    const before = await rowsAbout(victim)
    await fewAtOnce(guarded, async (endpoint) => {
      const call = await prepare(here, endpoint)
      const answer = await send(call)
      assertTaken(endpoint, answer)
      assertSilent(answer, victim, describe(endpoint))
    })
    assert.deepEqual(await rowsAbout(victim), before)
  }
})

test('an Idempotency-Key returns the stored answer only to its shopper', async () => {
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
      assert.ok(isTaken(endpoint, stranger), `${describe(endpoint)}: ${stranger.text}`)
      const { id, token, cartId, street } = first.person as Person
      assertSilent(stranger, { secrets: [id, token, cartId, street] }, describe(endpoint))
      assert.notEqual(stranger.text, own.text)
    }
  }
})

test('a cursor works only for the customer who received it', async () => {
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

/** Two of each; of coupons there are two from the start. */
const fillList = async ({ world, person }: Prepared) => {
  const add = endpoints.find(({ name }) => name === 'addAddress')
  assert.ok(add && person)
  for (let i = 0; i < 2; i++) {
    assert.equal((await send(await prepare(world, add, person))).status, 201)
    await world.buy(person)
  }
}
