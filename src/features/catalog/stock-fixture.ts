import assert from 'node:assert/strict'
import { newStaff } from '../../../test/admin-callers.ts'
import { newStore, type TestService } from '../../../test/harness.ts'

type Level = { sku: string; outletId: string; available: number; low: boolean; lowStockThreshold: number }
type Move = { cause: string; onHandChange: number; onHand: number; reason: string | null; author: unknown; at: string }

const sizes = ['S', 'M']

/** A store with some products in stock, and its owner. */
export const openStockShop = async (service: TestService) => {
  const shop = await newStore(service)
  await shop.add(
    { name: 'Mug', price: 10, stock: 20, sku: 'MUG' },
    { name: 'Lamp', price: 10, stock: 3, sku: 'LAMP' },
    { name: 'Bowl', price: 10, stock: 0, sku: 'BOWL' },
    {
      name: 'Linen shirt',
      options: [{ name: 'Size', values: sizes }],
      variants: sizes.map((size) => ({ options: { Size: size }, sku: `SHIRT-${size}`, price: 10, stock: 50 })),
    },
    { name: 'Poster', price: 1, sku: 'POSTER' },
  )
  const owner = await newStaff(service, shop)
  const list = async (query = ''): Promise<{ data: Level[]; total: number }> => {
    const answer = await owner.inStore('GET', `/stock${query}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.json
  }
  const adjust = (body: object, headers: Record<string, string> = {}) =>
    owner.inStore('POST', '/stock/adjust', { reason: 'Counted', ...body }, headers)
  const moves = async (query: string): Promise<{ data: Move[]; total: number }> =>
    (await owner.inStore('GET', `/stock/moves${query}`)).json
  return { shop, owner, list, adjust, moves }
}

export const skusOf = ({ data }: { data: Level[] }) => data.map(({ sku }) => sku).sort()
