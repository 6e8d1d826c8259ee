import { newStore, type TestService, type TestStore } from '../../../test/harness.ts'
import { putOnHand } from '../../../test/put-on-hand.ts'

export const shirt = {
  name: 'Shirt',
  options: [{ name: 'Size', values: ['S', 'M'] }],
  variants: [
    { options: { Size: 'S' }, title: 'Small', price: 900, stock: 5 },
    { options: { Size: 'M' }, title: 'Medium', price: 950, stock: 0 },
  ],
}

/** A shop with a mug (price 100, stock 10), a lamp (250, stock 3) and a shirt in two sizes. */
export const openShop = async (service: TestService, ...more: Record<string, unknown>[]) => {
  const shop = await newStore(service)
  await shop.add(
    { name: 'Mug', price: 100, stock: 10, description: 'Holds tea', images: ['https://cdn.example/mug.png'] },
    { name: 'Lamp', price: 250, stock: 3 },
    shirt,
    ...more,
  )
  const find = async (slug: string) => (await shop.get(`/v1/products/${slug}`)).json
  const [mug, lamp, shirts] = [await find('mug'), await find('lamp'), await find('shirt')]
  const [small, medium] = shirts.variants
  const ids: Record<'mug' | 'lamp' | 'shirt' | 'small' | 'medium', string> = {
    mug: mug.id,
    lamp: lamp.id,
    shirt: shirts.id,
    small: small.id,
    medium: medium.id,
  }
  return { shop, ...ids }
}

export const setStock = async ({ db }: TestService, shop: TestStore, productId: string, onHand: number) => {
  const { id } = await shop.load()
  await putOnHand(db, id, onHand, { productId })
}

export const setPrice = async ({ db }: TestService, shop: TestStore, productId: string, minor: number) => {
  const { id } = await shop.load()
  await db.run`update variant set price_minor = ${minor} where store_id = ${id} and product_id = ${productId}`
}

type Line = { productId: string; quantity: number }

/** Product ids and quantities of a cart or of a list of items. */
export const quantities = (cart: { items: Line[] } | Line[]) =>
  (Array.isArray(cart) ? cart : cart.items).map(({ productId, quantity }) => [productId, quantity])
