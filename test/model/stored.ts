import assert from 'node:assert/strict'
import { days } from '../../src/core/clock.ts'
import { newRunner } from '../../src/jobs/fixture.ts'
import type { TestService } from '../harness.ts'
import { advance, type Floor, type Stranger } from './floor.ts'
import { cartLifeMs, type Guest, isAlive, isCustomer, type World } from './world.ts'

/** All rows of the shoppers of a store. */
export const readRows = async ({ db }: TestService, storeId: number) => ({
  carts: await db.many<{ id: string; customer: string | null; version: number; lines: [string, number][] }>`
    select c.id, c.customer_id as customer, c.version, (
      select coalesce(json_agg(json_build_array(i.id, i.quantity) order by i.id collate "C"), '[]') from cart_item i
      where i.store_id = c.store_id and i.cart_id = c.id) as lines
    from cart c where c.store_id = ${storeId} order by c.id`,
  wishes: await db.many<{ id: string; product: string; customer: string | null }>`
    select id, product_id as product, customer_id as customer from wishlist_item
    where store_id = ${storeId} order by id`,
})

export type StoredRows = Awaited<ReturnType<typeof readRows>>

const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)

/** After every command: each shopper has exactly the expected rows, whichever shopper acted. */
export const assertStored = async (world: World, { service, storeId }: Floor) => {
  const rows = await readRows(service, storeId)
  const dead = new Set(world.carts.filter((cart) => !cart.isGone && !isAlive(world, cart)).map(({ id }) => id))
  assert.deepEqual(
    rows.carts.filter(({ id }) => !dead.has(id)),
    storedCarts(world),
  )
  const guests = world.browsers.flatMap(({ guest }) => guest ?? [])
  const known = [...guests, ...world.customers.values()].flatMap(({ wishes }) => wishes)
  const missing = known.filter(({ id }) => !rows.wishes.some((row) => row.id === id))
  assert.deepEqual(
    missing.map(({ product }) => product.name),
    [],
    'wishes that are lost',
  )
}

const storedCarts = (world: World) =>
  world.carts
    .filter((cart) => cart.owner !== 'a stranger' && isAlive(world, cart))
    .map(({ id, owner, version, lines }) => ({
      id,
      customer: isCustomer(owner) ? owner.id : null,
      version,
      lines: lines.toSorted(byId).map((line) => [line.id, line.quantity]),
    }))
    .sort(byId)

/** Carts and wishes of guests may be deleted once they are a month old, in this store and in others. */
export const cleanUp = async (world: World, { service, stranger }: Floor) => {
  await assertUntouched(service, stranger)
  const runner = newRunner(service)
  await runner.runDue()
  assert.deepEqual(runner.failures, [])
  if (world.nowMs >= cartLifeMs) stranger.rows = await readRows(service, stranger.storeId)
  await assertUntouched(service, stranger)
}

const assertUntouched = async (service: TestService, { storeId, rows }: Stranger) =>
  assert.deepEqual(await readRows(service, storeId), rows, "another store's rows")

/** At the end: the stranger has what the stranger had, and when all guests are over, only customers have something. */
export const assertLeftovers = async (world: World, floor: Floor) => {
  const { service, storeId } = floor
  advance(world, floor, days(33))
  await cleanUp(world, floor)
  const rows = await readRows(service, storeId)
  assert.deepEqual(rows.carts, storedCarts(world))
  const wishes = [...world.customers.values()].flatMap(({ id: customer, wishes }) =>
    wishes.map(({ id, product }) => ({ id, product: product.id, customer })),
  )
  assert.deepEqual(rows.wishes, wishes.sort(byId))
  const [{ lines, guests } = { lines: -1, guests: -1 }] = await service.db.many<{ lines: number; guests: number }>`
    select (select count(*) from cart_item where store_id = ${storeId}) as lines,
      (select count(*) from guest where store_id = ${storeId}) as guests`
  assert.equal(
    lines,
    rows.carts.reduce((sum, cart) => sum + cart.lines.length, 0),
    'lines without a cart',
  )
  assert.equal(guests, 0, 'guests who are over')
}

/** A cleanup may delete the wishes of a guest who has written nothing for a month, and never a part of them. */
export const learnDeleted = async (world: World, { service, storeId }: Floor) => {
  const { wishes } = await readRows(service, storeId)
  const isOld = (guest: Guest) => world.nowMs - guest.wroteMs >= cartLifeMs
  for (const { guest } of world.browsers) {
    if (guest !== null && isOld(guest) && !guest.wishes.some(({ id }) => wishes.some((row) => row.id === id)))
      guest.wishes = []
  }
}
