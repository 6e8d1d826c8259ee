import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import sharp from 'sharp'
import { newProgram } from '../../../test/admin-callers.ts'
import { newStore, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { listAudit } from '../audit/audit.sql.ts'
import { newDataDir, newPicture, uploadPicture } from './fixture.ts'

let service: TestService
const dataDir = newDataDir()
before(async () => {
  service = await startTestService({ dataDir: dataDir.folder })
})
after(async () => {
  await service.close()
  dataDir.remove()
})

const newShop = async () => {
  const shop = await newStore(service)
  const program = await newProgram(service, shop)
  return {
    shop,
    program,
    upload: (bytes: Uint8Array, more: Partial<Parameters<typeof uploadPicture>[1]> = {}) =>
      uploadPicture(program, { bytes, ...more }),
  }
}

const filesOf = (shop: TestStore) => {
  try {
    return readdirSync(join(dataDir.folder, 'media', shop.storeId)).sort()
  } catch {
    return []
  }
}

const get = (url: string, init?: RequestInit) => fetch(url.replace('http://vitrine.test', service.url), init)

const auditOf = async (shop: TestStore) => {
  const none = { actor: null, resource: null, resourceId: null, action: null, from: null, to: null }
  return listAudit(service.db, (await shop.load()).id, none, { before: null, limit: 50 })
}

const productIdOf = async (shop: TestStore, slug: string) => (await shop.get(`/v1/products/${slug}`)).json.id

test('a picture is stored with sizes, listed, read, changed and deleted', async () => {
  const { shop, program, upload } = await newShop()
  const { status, json } = await upload(await newPicture({ width: 1000, height: 500, format: 'jpeg' }), {
    ...{ name: 'teapot.jpg', fields: { alt: 'A teapot' } },
  })
  assert.equal(status, 201, JSON.stringify(json))
  assert.deepEqual(
    [json.name, json.alt, json.type, json.width, json.height, json.animated],
    ['teapot.jpg', 'A teapot', 'image/jpeg', 1000, 500, false],
  )
  assert.deepEqual(
    json.sizes.map(({ width, height }: { width: number; height: number }) => [width, height]),
    [
      [160, 80],
      [480, 240],
      [960, 480],
      [1000, 500],
    ],
  )
  assert.equal(filesOf(shop).length, 5)
  for (const { url, width } of json.sizes) {
    const bytes = Buffer.from(await (await get(url)).arrayBuffer())
    const found = await sharp(bytes).metadata()
    assert.deepEqual([found.format, found.width], ['webp', width])
  }

  const list = await program.inStore('GET', '/media?q=TEAPOT')
  assert.deepEqual(list.json, { data: [json], nextCursor: null, hasMore: false, total: 1, totalIsExact: true })
  assert.deepEqual((await program.inStore('GET', '/media?q=kettle')).json.data, [])
  const read = await program.inStore('GET', `/media/${json.id}`)
  assert.deepEqual(read.json, { ...json, uses: [] })

  const etag = read.headers.get('etag') ?? ''
  const changed = await program.inStore('PATCH', `/media/${json.id}`, { alt: 'A green teapot' }, { 'if-match': etag })
  assert.deepEqual(changed.json, { ...json, alt: 'A green teapot' })
  const late = await program.inStore('PATCH', `/media/${json.id}`, { alt: 'Late' }, { 'if-match': etag })
  assert.equal(late.status, 412)

  assert.equal((await program.inStore('DELETE', `/media/${json.id}`)).status, 204)
  assert.equal((await program.inStore('GET', `/media/${json.id}`)).status, 404)
  assert.equal((await program.inStore('DELETE', `/media/${json.id}`)).status, 404)
  const actions = (await auditOf(shop)).map(({ action }) => action)
  assert.deepEqual(
    actions.filter((action) => action.startsWith('media.')),
    ['media.deleted', 'media.updated', 'media.created'],
  )
})

test('pages of the list continue where the last one ended', async () => {
  const { program, upload } = await newShop()
  const ids: string[] = []
  for (let n = 0; n < 3; n++) ids.push((await upload(await newPicture())).json.id)
  const first = await program.inStore('GET', '/media?limit=2')
  const second = await program.inStore('GET', `/media?limit=2&cursor=${first.json.nextCursor}`)
  const seen = [...first.json.data, ...second.json.data].map(({ id }) => id)
  assert.deepEqual([...seen].sort(), [...ids].sort())
  assert.deepEqual([first.json.total, second.json.hasMore], [3, false])
})

test('files are served for a year, with their type, and a name that comes from the content', async () => {
  const { upload } = await newShop()
  const { json } = await upload(await newPicture({ width: 300, format: 'avif' }))
  const answer = await get(json.url)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'image/avif')
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(answer.headers.get('cross-origin-resource-policy'), 'cross-origin')
  const length = (await answer.arrayBuffer()).byteLength
  const head = await get(json.url, { method: 'HEAD' })
  assert.deepEqual([head.status, Number(head.headers.get('content-length'))], [200, length])
  const known = await get(json.url, { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } })
  assert.equal(known.status, 304)
  assert.match(json.url, /\/media\/store_\w+\/[0-9a-f]{32}-300x100\.avif$/)
  const other = json.url.replace(/[0-9a-f]{32}/, '0'.repeat(32))
  for (const missing of [other, json.url.replace('.avif', '.html'), json.url.replace(/store_\w+/, 'store_x%2f..')]) {
    const refused = await get(missing)
    assert.equal(refused.status, 404, missing)
    assert.doesNotMatch(refused.headers.get('cache-control') ?? '', /max-age/)
  }
})

test('the same file again is the same picture, also at the same time', async () => {
  const { shop, upload, program } = await newShop()
  const bytes = await newPicture({ width: 500 })
  const answers = await Promise.all(Array.from({ length: 6 }, () => upload(bytes)))
  assert.deepEqual(new Set(answers.map(({ json }) => json.id)).size, 1, JSON.stringify(answers))
  const statuses = answers.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 201])
  assert.equal((await program.inStore('GET', '/media')).json.total, 1)
  assert.equal(filesOf(shop).length, 4)
  const { id: storeId } = await shop.load()
  const [total] = await service.db.many<{ bytes: number }>`select bytes from media_total where store_id = ${storeId}`
  assert.equal(total?.bytes, answers[0]?.json.bytes)
  const again = await upload(bytes, { fields: { alt: 'With a text now' } })
  assert.deepEqual([again.status, again.json.alt], [200, 'With a text now'])
})

test('another store has the same file for itself', async () => {
  const [one, two] = [await newShop(), await newShop()]
  const bytes = await newPicture()
  const [first, second] = [await one.upload(bytes), await two.upload(bytes)]
  assert.equal(second.status, 201)
  assert.notEqual(first.json.url, second.json.url)
  for (const [method, body] of [['GET'], ['PATCH', { alt: 'x' }], ['DELETE']] as const) {
    assert.equal((await two.program.inStore(method, `/media/${first.json.id}`, body)).status, 404)
  }
  assert.equal((await two.program.inStore('GET', '/media')).json.total, 1)
})

test('an upload with a product becomes its last picture, once', async () => {
  const { shop, program, upload } = await newShop()
  await shop.add({ name: 'Teapot', price: 1, images: ['https://elsewhere.example/a.jpg'] })
  const productId = await productIdOf(shop, 'teapot')
  const pictures = await Promise.all([newPicture(), newPicture(), newPicture()])
  const answers = await Promise.all(
    pictures.flatMap((bytes, n) => [
      upload(bytes, { fields: { productId, alt: `Side ${n}` } }),
      upload(bytes, { fields: { productId, alt: `Side ${n}` } }),
    ]),
  )
  for (const { status, json } of answers) assert.ok(status < 300, JSON.stringify(json))
  const { json: product } = await shop.get('/v1/products/teapot')
  assert.equal(product.images.length, 4, JSON.stringify(product.images))
  assert.equal(product.images[0], 'https://elsewhere.example/a.jpg')
  assert.deepEqual(new Set(product.images.slice(1)), new Set(answers.map(({ json }) => json.url)))
  const [elsewhere, uploaded] = product.media
  assert.deepEqual(elsewhere, { url: 'https://elsewhere.example/a.jpg', alt: '' })
  assert.match(uploaded.alt, /^Side \d$/)
  assert.deepEqual([uploaded.width, uploaded.height], [200, 100])
  assert.deepEqual(
    uploaded.sizes.map(({ width }: { width: number }) => width),
    [160, 200],
  )
  const { id } = answers[0]?.json ?? {}
  const { json: medium } = await program.inStore('GET', `/media/${id}`)
  assert.deepEqual(medium.uses, [{ kind: 'product', id: productId, name: 'Teapot' }])
  const refused = await program.inStore('DELETE', `/media/${id}`)
  assert.deepEqual([refused.status, refused.json.code], [409, 'CONFLICT'])
  assert.match(refused.json.error, /the product Teapot/)
  const entry = (await auditOf(shop)).find(({ action }) => action === 'product.updated')
  assert.ok(entry)
  assert.equal((await upload(await newPicture(), { fields: { productId: 'prod_unknown' } })).status, 404)
})

test('lists, carts and searches show the sizes of an uploaded picture', async () => {
  const { shop, upload } = await newShop()
  await shop.add({ name: 'Kettle', price: 1 })
  const { json } = await upload(await newPicture({ width: 600 }), {
    ...{ fields: { productId: await productIdOf(shop, 'kettle') } },
  })
  const [listed] = (await shop.get('/v1/products')).json
  assert.deepEqual([listed.images, listed.imageSizes], [[json.url], json.sizes])
  const { products } = (await shop.get('/v1/search/suggest?q=kettle')).json
  assert.deepEqual([products[0].image, products[0].imageSizes], [json.url, json.sizes])
})

test('an Idempotency-Key belongs to one file and one set of fields', async () => {
  const { upload } = await newShop()
  const [bytes, other] = [await newPicture(), await newPicture()]
  const headers = { 'idempotency-key': 'upload-1' }
  const first = await upload(bytes, { headers })
  const again = await upload(bytes, { headers })
  assert.deepEqual([first.status, again.status], [201, 201])
  assert.deepEqual(again.json, first.json)
  assert.equal((await upload(other, { headers })).status, 409)
  assert.equal((await upload(bytes, { headers, fields: { alt: 'Other' } })).status, 409)
})

test('a store stops at its limit, also with parallel uploads, and another store is not affected', async (t) => {
  const small = await startTestService({
    dataDir: dataDir.folder,
    media: { ...service.config.media, storeLimitBytes: 20_000 },
  })
  t.after(() => small.close())
  const shop = await newStore(small)
  const program = await newProgram(small, shop)
  const pictures = await Promise.all(Array.from({ length: 12 }, () => newPicture({ width: 700, height: 700 })))
  const answers = await Promise.all(pictures.map((bytes) => uploadPicture(program, { bytes })))
  const stored = answers.filter(({ status }) => status === 201)
  const refused = answers.filter(({ status }) => status === 409)
  assert.ok(stored.length > 0 && refused.length > 0, JSON.stringify(answers.map(({ status }) => status)))
  assert.equal(stored.length + refused.length, answers.length)
  assert.ok(stored.reduce((sum, { json }) => sum + json.bytes, 0) <= 20_000)
  assert.equal((await program.inStore('GET', '/media')).json.total, stored.length)
  const other = await newStore(small)
  const upload = { bytes: await newPicture({ width: 700, height: 700 }) }
  assert.equal((await uploadPicture(await newProgram(small, other), upload)).status, 201)
})

test('pictures of products, variants and categories are chosen by id, and shown with it', async () => {
  const { shop, program, upload } = await newShop()
  const { inStore } = program
  const pictures = await Promise.all(
    ['Front', 'Back', 'Blue'].map(async (alt) => (await upload(await newPicture(), { fields: { alt } })).json),
  )
  const [front, back, blue] = pictures
  const made = await inStore('POST', '/products', {
    ...{
      name: 'Shirt',
      media: [{ id: front.id }, { id: back.id, alt: 'From behind' }, { id: front.id, alt: 'Twice' }],
    },
    variants: [
      { options: { Colour: 'Blue' }, price: 5, mediaId: blue.id },
      { options: { Colour: 'Red' }, price: 5, image: 'https://a.example/red.jpg' },
    ],
  })
  assert.equal(made.status, 201, made.text)
  const { id, media, images, variants } = made.json
  assert.deepEqual(images, [front.url, back.url])
  assert.deepEqual(
    media.map((one: typeof front) => [one.id, one.alt, one.url, one.sizes]),
    [
      [front.id, 'Front', front.url, front.sizes],
      [back.id, 'From behind', back.url, back.sizes],
    ],
  )
  assert.deepEqual(
    variants.map((one: typeof front) => [one.mediaId, one.image]),
    [
      [blue.id, blue.url],
      [null, 'https://a.example/red.jpg'],
    ],
  )
  const read = await inStore('GET', `/products/${id}`)
  assert.deepEqual(read.json, made.json)
  const etag = read.headers.get('etag') ?? ''
  const changes = [[{ id: back.id }], [{ id: blue.id }], [{ id: back.id, alt: '' }]].map((media) =>
    inStore('PATCH', `/products/${id}`, { media, name: 'Kurta' }, { 'if-match': etag }),
  )
  const answers = await Promise.all(changes)
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412])
  const entries = (await auditOf(shop)).filter(({ action }) => action === 'product.updated')
  assert.equal(entries.length, 1)
  assert.deepEqual(Object.keys(entries[0]?.changes ?? {}).sort(), ['images', 'media', 'name'])
  const counted = await service.db.one<{ events: number }>`select event_count as events from product where id = ${id}`
  assert.equal(counted.events, 2, 'one for the creation, one for the change')
  const red = `/products/${id}/variants/${variants[1].id}`
  assert.deepEqual((await inStore('PATCH', red, { mediaId: front.id })).json.image, front.url)
  assert.deepEqual((await inStore('PATCH', red, { price: 6 })).json.mediaId, front.id)
  assert.deepEqual((await inStore('PATCH', red, { mediaId: null })).json.image, '')
  const category = (await inStore('POST', '/categories', { name: 'Tops', mediaId: blue.id })).json
  assert.deepEqual([category.mediaId, category.image], [blue.id, blue.url])
  assert.equal((await inStore('GET', '/categories')).json.data[0].mediaId, blue.id)
  const moved = (await inStore('PATCH', `/categories/${category.id}`, { image: 'https://a.example/t.jpg' })).json
  assert.deepEqual([moved.mediaId, moved.image], [null, 'https://a.example/t.jpg'])
})

test('a picture that the store does not have, or two ways to name one, are refused and change nothing', async () => {
  const { program, upload } = await newShop()
  const { inStore } = program
  const other = await newShop()
  const [mine, foreign] = [await upload(await newPicture()), await other.upload(await newPicture())]
  const made = (await inStore('POST', '/products', { name: 'Mug', price: 1, media: [{ id: mine.json.id }] })).json
  const category = (await inStore('POST', '/categories', { name: 'Mugs' })).json
  const [product, variant] = [`/products/${made.id}`, `/products/${made.id}/variants/${made.variants[0].id}`]
  const images = ['https://a.example/1.jpg']
  const bad: [string, object][] = [
    ...['med_none', foreign.json.id].flatMap((id): [string, object][] => [
      ...([
        [product, { media: [{ id }] }],
        [variant, { mediaId: id }],
      ] as [string, object][]),
      [`/categories/${category.id}`, { mediaId: id }],
    ]),
    ...([
      [product, { media: [{ id: mine.json.id }], images }],
      [product, { media: [{}] }],
    ] as [string, object][]),
    ...([variant, `/categories/${category.id}`].map((path) => [path, { mediaId: mine.json.id, image: images[0] }]) as [
      ...[string, object][],
    ]),
  ]
  for (const [path, body] of bad) {
    const answer = await inStore('PATCH', path, body)
    assert.deepEqual([answer.status, answer.json.code], [400, 'BAD_REQUEST'], JSON.stringify(body))
  }
  const create = { name: 'Bad', variants: [{ options: { Size: 'S' }, price: 1, mediaId: 'med_none' }] }
  assert.equal((await inStore('POST', '/products', create)).status, 400)
  assert.deepEqual((await inStore('GET', product)).json, made)
  assert.equal((await inStore('GET', '/products')).json.total, 1)
})
