import assert from 'node:assert/strict'
import { type Answer, callUrl } from './harness.ts'

type PlacedLine = { id: string; sku: string; price: number }
type PlacedOrder = {
  id: string
  number: string
  total: number
  items: [PlacedLine, ...PlacedLine[]]
}

/** A customer of a running store who orders through its API. */
export const newBuyer = async (url: string, browserKey: string, name = 'Asha') => {
  let token = ''
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> =>
    callUrl(`${url}${path}`, {
      method,
      headers: {
        'x-store-key': browserKey,
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const must = async (...request: Parameters<typeof call>) => {
    const { status, json, text } = await call(...request)
    assert.ok(status < 300, text)
    return json
  }
  token = (await must('POST', '/v1/signup', { name, email: 'asha@example.com', password: 'a long password' })).token
  const addToCart = async (slug: string, quantity = 1) => {
    const product = await must('GET', `/v1/products/${slug}`)
    await must('POST', '/v1/cart', { productId: product.id, variantId: product.variants[0].id, quantity })
  }
  const order = async (paymentMethod: 'online' | 'cod', ...slugs: string[]): Promise<PlacedOrder> => {
    for (const slug of slugs) await addToCart(slug)
    const shippingAddress = {
      ...{ name: 'Asha', phone: '+919876543210', line1: '12 Temple Road', city: 'Bengaluru' },
      ...{ postalCode: '560001', country: 'IN' },
    }
    return (await must('POST', '/v1/checkout', { paymentMethod, shippingAddress, note: 'Ring twice' })).order
  }
  return { call: must, addToCart, order, show: (id: string) => must('GET', `/v1/customer/orders/${id}`) }
}
