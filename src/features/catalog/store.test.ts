import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { replaceMenu } from '../stores/menu.ts'
import { changeStore } from '../stores/stores.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const address = { line1: '4 Fort Street', city: 'Mumbai', state: 'MH', postalCode: '400001', country: 'IN' }

test('a new store has all fields that a storefront needs', async () => {
  const shop = await newStore(service)
  const { status, json } = await shop.get('/v1/store')
  assert.equal(status, 200)
  assert.deepEqual(json, {
    id: shop.storeId,
    name: 'Test shop',
    domain: shop.domain,
    currency: 'INR',
    locale: 'en-IN',
    timezone: 'Asia/Kolkata',
    logo: '',
    contact: { email: '', phone: '' },
    address: null,
    outlets: [{ id: shop.outletId, name: 'Main' }],
    defaultOutletId: shop.outletId,
    paymentMethods: ['online'],
    shipping: { flat: 0, freeAbove: null },
    taxIncluded: true,
    signIn: ['phone', 'email', 'password'],
  })
})

test('amounts in the settings have the decimals of the currency', async () => {
  const shop = await newStore(service, { currency: 'KWD' })
  const store = await shop.load()
  await service.db.tx((tx) =>
    changeStore(tx, store, {
      name: 'Kavya',
      domain: `http://${shop.storeId.replace('_', '-')}.localhost:5173`,
      locale: 'ar-KW',
      timezone: 'Asia/Kuwait',
      logo: '/demo/images/logo.svg',
      contact: { email: 'hello@kavya.example' },
      address,
      taxIncluded: false,
      shippingFlatMinor: 1250,
      shippingFreeAboveMinor: 20_000,
      cashOnDelivery: true,
    }),
  )
  const { json } = await shop.get('/v1/store')
  assert.deepEqual(
    [json.name, json.domain, json.locale],
    ['Kavya', `http://${shop.storeId.replace('_', '-')}.localhost:5173`, 'ar-KW'],
  )
  assert.equal(json.logo, 'http://vitrine.test/demo/images/logo.svg')
  assert.deepEqual(json.contact, { email: 'hello@kavya.example', phone: '' })
  assert.deepEqual(json.address, address)
  assert.deepEqual(json.shipping, { flat: 1.25, freeAbove: 20 })
  assert.deepEqual(json.paymentMethods, ['online', 'cod'])
  assert.equal(json.taxIncluded, false)
})

test('a store shows its own outlets and no secrets', async () => {
  const [shop, other] = [await newStore(service), await newStore(service)]
  const pune = await shop.newOutlet('Pune')
  const { json, text } = await shop.get('/v1/store', { 'x-outlet-id': pune })
  assert.deepEqual(json.outlets, [
    { id: shop.outletId, name: 'Main' },
    { id: pune, name: 'Pune' },
  ])
  assert.equal(json.defaultOutletId, shop.outletId)
  for (const secret of [shop.key, shop.serverKey, shop.logisticsKey, shop.paymentWebhook.password, other.storeId]) {
    assert.ok(!text.includes(secret))
  }
})

const leaf = (label: string) => ({ label, type: 'category', target: label.toLowerCase() })

test('a menu has up to three levels, in order, with ids', async () => {
  const shop = await newStore(service)
  const file = {
    items: [
      { ...leaf('Home'), children: [{ ...leaf('Kitchen'), children: [leaf('Mugs'), leaf('Plates')] }, leaf('Bath')] },
      { label: 'About us', type: 'page', target: 'about' },
      { label: 'Blog', type: 'link', target: 'https://blog.example/?a=1&b=2' },
      { label: 'Bestseller', type: 'product', target: 'mug' },
    ],
  }
  await service.db.tx(async (tx) => replaceMenu(tx, await shop.load(), file))
  const { json } = await shop.get('/v1/menu')
  const ids = [...JSON.stringify(json).matchAll(/"id":"(menu_[^"]+)"/g)].map(([, id]) => id)
  assert.equal(new Set(ids).size, 8)
  type Entry = { id: string; label: string; type: string; target: string; children: Entry[] }
  const plain = ({ label, type, target, children }: Entry): object => ({
    ...{ label, type, target },
    ...(children.length > 0 ? { children: children.map(plain) } : {}),
  })
  assert.deepEqual({ items: json.items.map(plain) }, file)
})

test('a menu with any invalid entry is refused', async () => {
  const shop = await newStore(service)
  const store = await shop.load()
  const set = (menu: unknown) => service.db.tx((tx) => replaceMenu(tx, store, menu))
  await set([leaf('Home')])
  const tooDeep = { ...leaf('1'), children: [{ ...leaf('2'), children: [{ ...leaf('3'), children: [leaf('4')] }] }] }
  for (const menu of [
    null,
    'menu',
    {},
    [null],
    [leaf('a'), { label: 'b' }],
    [{ ...leaf('a'), type: 'x' }],
    [tooDeep],
  ]) {
    await assert.rejects(set(menu), { name: 'DomainError' })
  }
  assert.deepEqual(
    (await shop.get('/v1/menu')).json.items.map((item: { label: string }) => item.label),
    ['Home'],
  )
})
