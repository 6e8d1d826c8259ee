import assert from 'node:assert/strict'
import type { NamedEndpoint, Person, World } from './world.ts'

/** Which row a parameter or a field names. From this follow good calls and, in matrix-isolation, bad ones. */
export type Owned = 'cart' | 'line' | 'wish' | 'address' | 'order' | 'download' | 'shipment'
export type Row = Owned | 'guest token' | 'product' | 'variant'
export type Where = 'params' | 'query' | 'body'

const rowsByName: Record<string, Row> = {
  idOrSlug: 'product',
  productId: 'product',
  variantId: 'variant',
  cartId: 'cart',
  guestCartId: 'cart',
  itemId: 'line',
  guestToken: 'guest token',
  addressId: 'address',
  orderId: 'order',
  shipmentId: 'shipment',
}

/** An `id` of a path names what the part of the path before it lists. */
const rowsByPath: Record<string, Row> = {
  wishlist: 'wish',
  addresses: 'address',
  orders: 'order',
  downloads: 'download',
}

/** An `id` in a body, by the endpoint. */
const rowsByBody: Record<string, Row> = { changeCart: 'line', requestReturn: 'order' }

/** These look like names of rows and are none. The token of a link is for whoever has it. */
const namesNoRow = new Set(['provider', 'storeId', 'eventId', 'transactionId', 'upiId', 'requestToken', 'token'])

/** Undefined where a field names no row. One that is new fails until this file says what it names. */
export const rowNamedBy = ({ name: call, path }: NamedEndpoint, where: Where, name: string): Row | undefined => {
  if (namesNoRow.has(name) || (where !== 'params' && !/id$|token$|slug$/i.test(name))) return undefined
  const row = name === 'id' ? rowOfId(call, path, where) : rowsByName[name]
  assert.ok(row, `${call}: say in test/world-names.ts which row "${name}" of ${path} names, or that it names none`)
  return row
}

const rowOfId = (call: string, path: string, where: Where) =>
  where === 'body' ? rowsByBody[call] : rowsByPath[/([^/]+)\/\{id\}/.exec(path)?.[1] ?? '']

/** A row that a good call of this person may name. */
export const findRow = async (row: Row, world: World, person: Person | null): Promise<string> => {
  if (row === 'product') return world.mug.id
  if (row === 'variant') return world.mug.variants[0].id
  if (row === 'guest token') return (await world.person('guest')).token
  assert.ok(person, `${row} needs a call with a shopper`)
  if (row === 'cart') return person.cartId
  if (row === 'line') return person.itemId
  if (row === 'wish') return person.wishId
  if (row === 'address') return person.addressId
  if (row === 'order') return (await world.order(person)).orderId
  const { orderId, downloadId } = await world.buy(person)
  return row === 'download' ? downloadId : world.ship(orderId)
}
