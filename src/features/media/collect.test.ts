import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newProgram } from '../../../test/admin-callers.ts'
import { startBucketDouble } from '../../../test/doubles/bucket.ts'
import type { ServiceOptions, TestStore } from '../../../test/harness.ts'
import { sessionOf, waitsOrEnds } from '../../../test/lock-waits.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { hours, minutes } from '../../core/clock.ts'
import { newRunner, serviceAlone } from '../../jobs/fixture.ts'
import { commandLine } from '../audit/record.ts'
import { changeProduct } from '../catalog/edit-products.ts'
import { openOrderShop, placeOrder, showOrder } from '../orders/fixture.ts'
import { dataDirFor, newPicture, uploadPicture } from './fixture.ts'

/** A shop with products, in a service of its own. */
const open = async (t: TestContext, options: ServiceOptions = {}) => {
  const { service } = await serviceAlone(t, { dataDir: dataDirFor(t), ...options })
  const shop = await openOrderShop(service, {
    ...{ name: 'Shirt', category: 'Clothes', options: [{ name: 'Size', values: ['S', 'M'] }] },
    variants: [
      { price: 1, options: { Size: 'S' } },
      { price: 1, options: { Size: 'M' } },
    ],
  })
  const program = await newProgram(service, shop)
  const upload = async (fields: Record<string, string> = {}, bytes?: Uint8Array) => {
    const { status, json } = await uploadPicture(program, { bytes: bytes ?? (await newPicture()), fields })
    assert.ok(status < 300, JSON.stringify(json))
    return json as { id: string; url: string; sizes: { url: string }[] }
  }
  const isServed = async ({ url, sizes }: Awaited<ReturnType<typeof upload>>) => {
    const answers = await Promise.all(
      [url, ...sizes.map((size) => size.url)].map(async (one) => {
        const answer = await fetch(one.replace('http://vitrine.test', service.url))
        await answer.arrayBuffer()
        return answer.status
      }),
    )
    const [status, ...others] = new Set(answers)
    assert.deepEqual(others, [], 'the picture and its sizes stay or go together')
    return status === 200
  }
  const runner = newRunner(service)
  return { service, shop, program, upload, isServed, runDue: runner.runDue, failures: runner.failures }
}

const productOf = async (shop: TestStore, slug: string) =>
  (await shop.get(`/v1/products/${slug}?x=${Math.random()}`)).json

test('a picture that nothing uses for a day is removed with its files; one that is used stays', async (t) => {
  const { service, shop, upload, isServed, runDue, program } = await open(t)
  const store = await shop.load()
  const shirt = await productOf(shop, 'shirt')
  const [unused, ofProduct] = [await upload(), await upload({ productId: shirt.id })]
  const [ofVariant, ofCategory, logo] = [await upload(), await upload(), await upload()]
  const [{ id: categoryId }] = (await shop.get('/v1/categories')).json.data
  for (const [path, mediaId] of [
    [`/products/${shirt.id}/variants/${shirt.variants[1].id}`, ofVariant.id],
    [`/categories/${categoryId}`, ofCategory.id],
  ] as const)
    assert.equal((await program.inStore('PATCH', path, { mediaId })).json.mediaId, mediaId)
  assert.equal((await program.inStore('PATCH', '/settings', { logo: logo.url })).status, 200)
  service.clock.advance(hours(23))
  await runDue()
  assert.equal(await isServed(unused), true)
  service.clock.advance(hours(2))
  await runDue()
  assert.equal(await isServed(unused), false)
  for (const one of [ofProduct, ofVariant, ofCategory, logo]) assert.equal(await isServed(one), true)
  const { json } = await program.inStore('GET', '/media')
  assert.deepEqual(
    json.data.map(({ id }: { id: string }) => id).sort(),
    [ofProduct.id, ofVariant.id, ofCategory.id, logo.id].sort(),
  )
  const { json: medium } = await program.inStore('GET', `/media/${ofVariant.id}`)
  assert.deepEqual(medium.uses, [{ kind: 'variant', id: shirt.variants[1].id, name: 'Shirt M' }])
  const [category] = (await shop.get('/v1/categories?limit=5')).json.data
  assert.deepEqual([category.image, category.imageSizes.length], [ofCategory.url, 2])
  assert.equal((await productOf(shop, 'shirt')).variants[1].image, ofVariant.url)
  const [total] = await service.db.many<{ isRight: boolean }>`
    select (select bytes from media_total where store_id = ${store.id})
      = (select sum(bytes) from media where store_id = ${store.id}) as "isRight"`
  assert.equal(total?.isRight, true)
})

test('a deleted picture goes after an hour, unless an order shows it; an upload brings it back until then', async (t) => {
  const { service, shop, program, upload, isServed, runDue } = await open(t)
  const customer = await newCustomer(service, shop)
  const mug = await productOf(shop, 'mug')
  const bytes = await newPicture()
  const [sold, unsold] = [await upload({ productId: mug.id }), await upload({}, bytes)]
  const orderId = await placeOrder(service, shop, customer, { goods: { mug: 1 } })
  assert.equal((await program.inStore('PATCH', `/products/${mug.id}`, { media: [] })).status, 200)
  for (const { id } of [sold, unsold]) assert.equal((await program.inStore('DELETE', `/media/${id}`)).status, 204)
  const back = await upload({}, bytes)
  assert.equal(back.id, unsold.id)
  assert.equal((await program.inStore('DELETE', `/media/${back.id}`)).status, 204)
  service.clock.advance(minutes(50))
  await runDue()
  assert.equal(await isServed(unsold), true)
  service.clock.advance(minutes(20))
  await runDue()
  assert.deepEqual([await isServed(sold), await isServed(unsold)], [true, false])
  const [line] = (await showOrder(customer, orderId)).items
  assert.deepEqual([line.image, line.imageSizes.length], [sold.url, 2])
  service.clock.advance(hours(24 * 400))
  await runDue()
  assert.equal(await isServed(sold), true)
  const again = await upload({}, bytes)
  assert.notEqual(again.id, unsold.id)
  assert.equal(await isServed(again), true)
})

test('a picture that begins to be used while it is collected or deleted is either kept or refused', async (t) => {
  const { service, shop, program, upload, isServed, runDue } = await open(t)
  const store = await shop.load()
  const mug = await productOf(shop, 'mug')
  const { publicUrl, mediaUrl } = service.app.services
  const ctx = { store, publicUrl, mediaUrl, by: commandLine, ifMatch: null }
  for (let n = 0; n < 8; n++) {
    const picture = await upload()
    const isDeletion = n % 2 === 0
    if (!isDeletion) service.clock.advance(hours(25))
    const remove = () => (isDeletion ? program.inStore('DELETE', `/media/${picture.id}`) : runDue())
    let removed: Promise<unknown> | undefined
    const use = service.db.tx(async (tx) => {
      if (n >= 4) removed = remove()
      await changeProduct(tx, ctx, mug.id, { media: [{ id: picture.id }] })
      removed ??= remove()
      // Not before the removal has ended or waits for this transaction.
      await waitsOrEnds(service.db, await sessionOf(tx), removed)
    })
    const [used] = await Promise.allSettled([use])
    await removed
    service.clock.advance(hours(2))
    await runDue()
    if (used?.status === 'fulfilled') {
      assert.deepEqual((await productOf(shop, 'mug')).images, [picture.url])
      assert.equal(await isServed(picture), true)
    } else {
      assert.match(String(used?.reason), /has no picture/)
      assert.equal(await isServed(picture), false)
    }
  }
})

test('a removal that is interrupted is completed, and the same file can be uploaded after it', async (t) => {
  const { service, program, upload, isServed, runDue, failures } = await open(t)
  const bytes = await newPicture({ width: 700 })
  const picture = await upload({}, bytes)
  const { storage } = service.app.services.media
  const { remove } = storage
  let removed = 0
  storage.remove = async (key) => {
    if (removed++ === 2) throw new Error('killed')
    await remove(key)
  }
  service.clock.advance(hours(25))
  await runDue()
  assert.deepEqual(failures, ['media-cleanup: killed'])
  assert.equal((await program.inStore('GET', '/media')).json.total, 0)
  const early = await uploadPicture(program, { bytes })
  assert.deepEqual([early.status, early.json.code], [503, 'SERVICE_UNAVAILABLE'])
  service.clock.advance(minutes(6))
  await runDue()
  assert.equal(await isServed(picture), false)
  assert.equal(await isServed(await upload({}, bytes)), true)
})

test('an upload whose files could not be stored is not shown, works again, and leaves nothing', async (t) => {
  const bucket = await startBucketDouble()
  t.after(() => bucket.close())
  const { service, shop, program, isServed, upload, runDue } = await open(t, {
    media: { publicUrl: null, storeLimitBytes: 1_000_000, bucket: bucket.settings },
  })
  const [bytes, lost] = [await newPicture(), await newPicture()]
  bucket.faults.fail = 3
  const failed = await uploadPicture(program, { bytes })
  assert.deepEqual([failed.status, failed.json.code], [503, 'SERVICE_UNAVAILABLE'])
  assert.equal((await program.inStore('GET', '/media')).json.total, 0)
  const picture = await upload({}, bytes)
  assert.equal(await isServed(picture), true)
  assert.equal(bucket.objects.size, 3)

  bucket.faults.fail = 3
  assert.equal((await uploadPicture(program, { bytes: lost })).status, 503)
  service.clock.advance(minutes(61))
  await runDue()
  const { id: storeId } = await shop.load()
  const rows = await service.db.many<{ id: string }>`select id from media where store_id = ${storeId}`
  assert.deepEqual(
    rows.map(({ id }) => id),
    [picture.id],
  )
  bucket.faults.fail = 3
  const answer = await fetch(picture.url.replace('http://vitrine.test', service.url))
  assert.equal(answer.status, 503)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
})

test('with a CDN in front of the bucket, pages get its URLs', async (t) => {
  const bucket = await startBucketDouble()
  t.after(() => bucket.close())
  const { shop, program, upload } = await open(t, {
    media: { publicUrl: 'https://cdn.example', storeLimitBytes: 1_000_000, bucket: bucket.settings },
  })
  const mug = await productOf(shop, 'mug')
  const picture = await upload({ productId: mug.id })
  assert.match(picture.url, /^https:\/\/cdn\.example\/media\/store_\w+\/[0-9a-f]{32}-200x100\.png$/)
  assert.ok(bucket.objects.has(new URL(picture.url).pathname.slice(1)))
  const { images, media, imageSizes } = await productOf(shop, 'mug')
  assert.deepEqual([images, media[0].sizes, imageSizes], [[picture.url], picture.sizes, picture.sizes])
  const shown = (await program.inStore('GET', `/products/${mug.id}`)).json
  assert.deepEqual([shown.images, shown.media[0].id], [[picture.url], picture.id])
  const again = (await program.inStore('PATCH', `/products/${mug.id}`, { images: [picture.url], name: 'Mug 2' })).json
  assert.deepEqual([again.images, again.media], [shown.images, shown.media])
})
