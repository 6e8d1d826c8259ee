import assert from 'node:assert/strict'
import { useDouble } from '../../../test/doubles/use-double.ts'
import type { TestService } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { openShop as openPlainShop } from '../cart/fixture.ts'

export const address = {
  name: 'Asha Rao',
  phone: '+919876543210',
  line1: '12 Temple Road',
  city: 'Bengaluru',
  postalCode: '560001',
  country: 'IN',
}

/** The shop of the cart tests, and customers who buy there. */
export const openShop = async (service: TestService, ...more: Record<string, unknown>[]) => {
  const shop = await openPlainShop(service, ...more)
  if (service.double !== undefined) await useDouble(service, shop.shop, service.double)
  /** A customer with these lines in the cart. */
  const newBuyer = async (...items: { productId: string; variantId?: string; quantity?: number }[]) => {
    const customer = await newCustomer(service, shop.shop)
    const cart = items.length === 0 ? undefined : await customer.call('POST', '/v1/cart', { body: { items } })
    if (cart !== undefined) assert.equal(cart.status, 201, cart.text)
    return {
      ...customer,
      cart: cart?.json,
      checkOut: (body: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
        customer.call('POST', '/v1/checkout', { headers, body: { shippingAddress: address, ...body } }),
    }
  }
  const stockOf = async (productId: string) => {
    const { id } = await shop.shop.load()
    return service.db.one<{ onHand: number; reserved: number }>`
      select sum(on_hand)::integer as "onHand", sum(reserved)::integer as reserved from stock
      where store_id = ${id} and product_id = ${productId}`
  }
  return { ...shop, newBuyer, stockOf }
}
