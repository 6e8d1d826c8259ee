import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newProgram } from '../../../test/admin-callers.ts'
import { assertError, newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { cheapPasswords } from '../../../test/world.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

const open = async (body: object) => {
  const { inStore } = await newProgram(service, await newStore(service))
  const made = await inStore('POST', '/products', body)
  assert.equal(made.status, 201, made.text)
  const path = `/products/${made.json.id}`
  return { inStore, made, path, change: (changes: object, headers = {}) => inStore('PATCH', path, changes, headers) }
}

type Shown = { id: string; options: Record<string, string>; price: number; stock: number; active: boolean; sku: string }
const active = (variants: Shown[]) => variants.filter((variant) => variant.active)

test('a product without options gets them with all variants at once, and keeps its own variant with its stock', async () => {
  const { inStore, made, change } = await open({ name: 'Shirt', price: 900, stock: 4, sku: 'SHIRT' })
  const [own] = made.json.variants
  const answer = await change(
    {
      name: 'Linen shirt',
      options: [{ name: 'Size', values: ['S', 'M'] }],
      variants: [
        { id: own.id, options: { Size: 'S' } },
        { options: { Size: 'M' }, price: 950, stock: 2, sku: 'SHIRT' },
      ],
    },
    { 'if-match': made.headers.get('etag') ?? '' },
  )
  assert.equal(answer.status, 200, answer.text)
  const { name, options, variants, hasVariants } = answer.json
  assert.deepEqual([name, options, hasVariants], ['Linen shirt', [{ name: 'Size', values: ['S', 'M'] }], true])
  assert.deepEqual(
    variants.map((one: Shown) => [one.options.Size, one.price, one.stock, one.sku]),
    [
      ['S', 900, 4, 'SHIRT'],
      ['M', 950, 2, 'SHIRT'],
    ],
  )
  assert.equal(variants[0].id, own.id)
  const actions = async (id: string) =>
    (await inStore('GET', `/audit?resource=variant&resourceId=${id}`)).json.data.map(
      (entry: { action: string }) => entry.action,
    )
  assert.deepEqual(await actions(own.id), ['variant.updated'])
  assert.deepEqual(await actions(variants[1].id), ['variant.created'])
})

test('a product whose options are taken away is sold without a choice again', async () => {
  const { made, change } = await open({
    name: 'Shirt',
    variants: ['S', 'M'].map((Size) => ({ options: { Size }, price: 900, stock: 1 })),
  })
  const [small, medium] = made.json.variants
  const saved = await change({
    ...{
      options: [],
      variants: [
        { id: small.id, options: {} },
        { id: medium.id, active: false },
      ],
    },
  })
  assert.equal(saved.status, 200, saved.text)
  const { hasVariants, options, stock, variants } = saved.json
  assert.deepEqual([hasVariants, options, stock, active(variants).length], [false, [], 1, 1])
})

test('all variants are changed or none, and a stale ETag is refused', async () => {
  const { made, path, inStore, change } = await open({
    name: 'Shirt',
    variants: [
      { options: { Size: 'S' }, price: 900 },
      { options: { Size: 'M' }, price: 950 },
    ],
  })
  const [small, medium] = made.json.variants
  const refused = await change({
    variants: [
      { id: small.id, price: 1 },
      { id: medium.id, price: 1.001 },
    ],
  })
  assertError(refused, 400, 'BAD_REQUEST')
  assert.match(refused.json.error, /variants\.1\.price/)
  assertError(await change({ variants: [{ id: small.id, stock: 3 }] }), 400, 'BAD_REQUEST')
  assertError(await change({ variants: [{ id: 'var_other', price: 3 }] }), 404, 'NOT_FOUND')
  assertError(await change({ variants: [{ options: { Size: 'S' }, price: 3 }] }), 400, 'BAD_REQUEST')
  assert.deepEqual((await inStore('GET', path)).json, made.json)
  const etag = { 'if-match': made.headers.get('etag') ?? '' }
  const saved = await change(
    {
      variants: [
        { id: small.id, price: 800 },
        { id: medium.id, active: false },
      ],
    },
    etag,
  )
  assert.equal(saved.status, 200, saved.text)
  assert.deepEqual(
    active(saved.json.variants).map(({ price }) => price),
    [800],
  )
  assertError(await change({ variants: [{ id: small.id, price: 700 }] }, etag), 412, 'PRECONDITION_FAILED')
})

test('a product without options stays one when its variant is changed by id', async () => {
  const { made, change } = await open({ name: 'Mug', price: 449, stock: 4 })
  const [own] = made.json.variants
  const saved = await change({ variants: [{ id: own.id, price: 500, sku: 'MUG', stockTracked: false }] })
  assert.equal(saved.status, 200, saved.text)
  const { hasVariants, price, sku, stockTracked } = saved.json
  assert.deepEqual([hasVariants, price, sku, stockTracked], [false, 500, 'MUG', false])
})

test('an option and its values get other names, and variants keep their stock, SKUs and places in carts', async () => {
  const shop = await newStore(service)
  const { inStore } = await newProgram(service, shop)
  const sizes = ['S', 'M', 'L']
  const made = await inStore('POST', '/products', {
    ...{ name: 'Shoe', options: [{ name: 'Size', values: sizes }] },
    variants: sizes.map((Size, i) => ({ options: { Size }, price: 900, stock: i + 1, sku: `SHOE-${Size}` })),
  })
  assert.equal(made.status, 201, made.text)
  const path = `/products/${made.json.id}`
  const [small, medium, large] = made.json.variants
  assert.equal((await inStore('PATCH', path, { variants: [{ id: large.id, active: false }] })).status, 200)
  const { call } = await newCustomer(service, shop)
  const items = [{ productId: made.json.id, variantId: small.id, quantity: 1 }]
  assert.ok((await call('POST', '/v1/cart', { body: { items } })).status < 300)

  // The names of two values change places, which is refused to each of them alone.
  const rename = (names: readonly string[]) => ({
    options: [{ name: 'Shoe size', values: names.slice(0, 2) }],
    variants: [small, medium, large].map(({ id }, i) => ({
      ...{ id, active: i < 2, options: { 'Shoe size': names[i] } },
    })),
  })
  const etag = { 'if-match': (await inStore('GET', path)).headers.get('etag') ?? '' }
  const answers = await Promise.all([
    inStore('PATCH', path, rename(['M', 'S', 'Large']), etag),
    inStore('PATCH', path, rename(['Small', 'Medium', 'Large']), etag),
  ])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412], 'of two at once the second is told')
  const last = await inStore('PATCH', path, rename(['M', 'Small', 'Large']))
  assert.equal(last.status, 200, last.text)
  assert.deepEqual(last.json.options, [{ name: 'Shoe size', values: ['M', 'Small'] }])
  assert.deepEqual(
    last.json.variants.map((one: Shown & { title: string }) => [
      ...[one.id, one.options['Shoe size'], one.title, one.stock, one.sku, one.active],
    ]),
    [
      [small.id, 'M', 'M', 1, 'SHOE-S', true],
      [medium.id, 'Small', 'Small', 2, 'SHOE-M', true],
      [large.id, 'Large', 'Large', 3, 'SHOE-L', false],
    ],
  )
  const cart = (await call('GET', '/v1/cart/me')).json
  assert.deepEqual([cart.items.length, cart.items[0].variantId, cart.items[0].product.variant], [1, small.id, 'M'])
  const mixed = { variants: [{ id: small.id, options: { Size: 'S' } }] }
  assertError(await inStore('PATCH', path, mixed), 400, 'BAD_REQUEST')
})
