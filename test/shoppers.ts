import assert from 'node:assert/strict'
import { newId } from '../src/core/ids.ts'
import { insertCustomer } from '../src/features/accounts/customers.sql.ts'
import { openSession } from '../src/features/accounts/sessions.ts'
import type { TestService, TestStore } from './harness.ts'

/** Shoppers of a test. Each call sends the key of the store and the credentials of the shopper. */
export type TestShopper = Awaited<ReturnType<typeof newCustomer>> | Awaited<ReturnType<typeof newGuest>>

type Extra = { headers?: Record<string, string>; body?: unknown }

const caller =
  (service: TestService, shop: Pick<TestStore, 'key'>, identity: () => Record<string, string>) =>
  async (method: string, path: string, { headers = {}, body }: Extra = {}) =>
    service.call(path, {
      method,
      headers: {
        'x-store-key': shop.key,
        ...identity(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

/** A guest with a token from the service. */
export const newGuest = async (service: TestService, shop: TestStore) => {
  const first = await service.call('/v1/cart', { headers: { 'x-store-key': shop.key } })
  const token = first.headers.get('x-guest-token')
  assert.ok(token, first.text)
  return { token, call: caller(service, shop, () => ({ 'x-guest-token': token })) }
}

/** A signed-in customer, created without a code or a password. */
export const newCustomer = async (
  service: TestService,
  shop: Pick<TestStore, 'key' | 'load'>,
  fields: { name?: string } = {},
) => {
  const store = await shop.load()
  const id = newId('cus')
  const contact = { email: null, phone: null, contactPhone: '', passwordHash: null }
  const { token } = await service.db.tx(async (tx) => {
    await insertCustomer(tx, store.id, { id, name: fields.name ?? 'Asha', ...contact })
    return openSession(tx, { ...service.app.services, store }, id)
  })
  return { id, token, call: caller(service, shop, () => ({ authorization: `Bearer ${token}` })) }
}
