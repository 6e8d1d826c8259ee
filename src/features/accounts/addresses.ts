import { fail } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { Queries, Tx } from '../../db/database.ts'
import type { Answer } from '../../http/endpoint.ts'
import { holdShopper } from '../access/guests.ts'
import { writeOnce } from '../access/idempotency.ts'
import type { CustomerCtx } from '../context.ts'
import { cursorScope, type Page, readPage } from '../paging.ts'
import * as sql from './addresses.sql.ts'
import { readCountry } from './countries.ts'
import { type Address, type AddressChange, maxAddresses, type NewAddress } from './profile.contract.ts'

export const listAddresses = (ctx: CustomerCtx, query: { limit?: number; cursor?: string }): Promise<Page<Address>> =>
  readPage(ctx, query, cursorScope(ctx, 'addresses', { customer: ctx.shopper.customerId }), {
    read: (position, limit) => sql.listAddresses(ctx.db, customerRefOf(ctx), position, limit),
    positionOf: sql.addressPositionOf,
    show: showAddress,
  })

export const addAddress = (ctx: CustomerCtx, body: NewAddress): Promise<Answer<Address>> =>
  writeOnce(ctx, {
    route: 'POST /v1/customer/addresses',
    request: body,
    write: async (tx) => {
      await holdShopper(tx, ctx)
      const address = { ...emptyFields, ...tidyFields(body) }
      const count = await sql.countAddresses(tx, customerRefOf(ctx))
      if (count >= maxAddresses)
        throw fail('CONFLICT', `A customer can have at most ${maxAddresses} addresses. Remove one first.`)
      const isDefault = address.isDefault || count === 0
      if (isDefault) await sql.clearDefault(tx, customerRefOf(ctx))
      const row = await sql.insertAddress(tx, customerRefOf(ctx), newId('addr', ctx.clock.now()), {
        ...address,
        isDefault,
      })
      return { body: showAddress(row) }
    },
    refer: ({ id }) => id,
    readAgain: async (tx, id) => {
      const row = await sql.findAddress(tx, customerRefOf(ctx), id)
      if (row === undefined) throw noSuchAddress()
      return { body: showAddress(row) }
    },
  })

export const changeAddress = (ctx: CustomerCtx, id: string, change: AddressChange): Promise<Address> =>
  ctx.db.tx(async (tx) => {
    await holdShopper(tx, ctx)
    const before = await sql.findAddress(tx, customerRefOf(ctx), id)
    if (before === undefined) throw noSuchAddress()
    const fields = tidyFields(change)
    const isDefault = before.isDefault || fields.isDefault === true
    const after = { ...before, ...fields, isDefault }
    if (isSame(before, after)) return showAddress(before)
    if (isDefault && !before.isDefault) await sql.clearDefault(tx, customerRefOf(ctx))
    return showAddress(await sql.updateAddress(tx, customerRefOf(ctx), id, after))
  })

export const removeAddress = (ctx: CustomerCtx, id: string): Promise<void> =>
  ctx.db.tx(async (tx: Tx) => {
    await holdShopper(tx, ctx)
    const removed = await sql.deleteAddress(tx, customerRefOf(ctx), id)
    if (removed === undefined) throw noSuchAddress()
    if (removed.wasDefault) await sql.makeNewestDefault(tx, customerRefOf(ctx))
  })

const customerRefOf = (ctx: CustomerCtx): sql.CustomerRef => ({
  storeId: ctx.store.id,
  customerId: ctx.shopper.customerId,
})

const noSuchAddress = () => fail('NOT_FOUND', 'There is no such address.')

const emptyFields = { label: '', line2: '', landmark: '', state: '', isDefault: false }

const requiredFields = ['name', 'phone', 'line1', 'city', 'postalCode', 'country'] as const

/** The known fields of the request, trimmed. */
const tidyFields = <Fields extends AddressChange>(fields: Fields): Fields => {
  const tidy: Record<string, string | boolean> = {}
  for (const name of fieldNames) {
    const value = fields[name]
    if (value !== undefined) tidy[name] = typeof value === 'string' ? value.trim() : value
  }
  for (const name of requiredFields) if (tidy[name] === '') throw fail('BAD_REQUEST', `${name} must not be empty.`)
  if (typeof tidy.country === 'string') {
    const country = readCountry(tidy.country)
    if (country === undefined) throw fail('BAD_REQUEST', 'country must be a two-letter ISO 3166 code, such as IN.')
    tidy.country = country
  }
  if (typeof tidy.phone === 'string' && (tidy.phone.match(/\p{Nd}/gu) ?? []).length < 4)
    throw fail('BAD_REQUEST', 'phone must be a phone number.')
  return tidy as Fields
}

/** An address for a single order: same rules, not saved to the customer. */
export const readPostalAddress = (body: NewAddress) => {
  const { label: _label, isDefault: _isDefault, ...address } = { ...emptyFields, ...tidyFields(body) }
  return address
}

const fieldNames = [...requiredFields, 'label', 'line2', 'landmark', 'state', 'isDefault'] as const

const isSame = (a: sql.AddressFields, b: sql.AddressFields) => fieldNames.every((name) => a[name] === b[name])

const showAddress = ({ position: _position, ...row }: sql.AddressRow): Address => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

/** All addresses of a customer, for staff. */
export const listAllAddresses = async (db: Queries, customer: sql.CustomerRef): Promise<Address[]> =>
  (await sql.listAddresses(db, customer, undefined, maxAddresses)).map(showAddress)
