import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { adminOperations } from '../sdk/generate/admin-endpoints.ts'
import {
  type AdminClient,
  type AdminClientOptions,
  createAdminClient,
  createStaffClient,
  isVitrineError,
} from '../sdk/src/admin.ts'
import { adminTable, staffTable } from '../sdk/src/admin-operations.ts'
import { adminContracts } from '../src/contract.ts'
import type { AdminEndpoint } from '../src/features/access/admin.contract.ts'
import { newDataDir, newPicture } from '../src/features/media/fixture.ts'
import { openOrderShop, placeOrder } from '../src/features/orders/fixture.ts'
import { newProgram } from './admin-callers.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { newStore, startTestService, type TestService, type TestStore } from './harness.ts'
import { newCustomer } from './shoppers.ts'
import { cheapPasswords } from './world.ts'

let service: TestService
const dataDir = newDataDir()
before(async () => {
  service = await startTestService({ passwords: cheapPasswords, dataDir: dataDir.folder })
})
after(async () => {
  await service.close()
  dataDir.remove()
})

/** A client of the store, behind a proxy that can fail. */
const openAdmin = async (t: TestContext, given?: TestStore, options: Partial<AdminClientOptions> = {}) => {
  const shop = given ?? (await newStore(service))
  const { token } = await newProgram(service, shop)
  const proxy = await startFaultyProxy(t, service.url)
  const reach = { url: proxy.url, storeId: shop.storeId, token, sleep: async () => {} }
  return { shop, proxy, token, admin: createAdminClient({ ...reach, ...options }) }
}

const failsWith = (code: Parameters<typeof isVitrineError>[1], status: number) => (error: unknown) =>
  isVitrineError(error, code) && error.status === status && error.message.length > 0 && error.requestId !== null

const codeOf = (call: PromiseLike<unknown>) =>
  call.then(
    () => 'no error',
    (error) => (isVitrineError(error) ? error.code : String(error)),
  )

// Every operation

type Sent = { method: string; url: URL; headers: Headers; body: unknown }

const sampleOf = (schema: { type?: string | string[]; enum?: unknown[] }): unknown => {
  if (schema.enum !== undefined) return schema.enum[0]
  const type = [schema.type].flat()[0]
  return { integer: 3, number: 2.5, boolean: true, array: [], object: {} }[String(type)] ?? 'a/b c'
}

const samplesOf = (schema: object | undefined): Record<string, unknown> => {
  const { properties = {} }: { properties?: Record<string, object> } = schema ?? {}
  const fields = Object.entries(properties).filter(([name]) => name !== 'storeId')
  return Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(field)]))
}

const callWith = async (methodName: string, endpoint: AdminEndpoint, input: Record<string, unknown>) => {
  const all: Sent[] = []
  const { ok, okStatus = 200, contentType, example } = endpoint
  const text = ok === null ? null : contentType === undefined ? JSON.stringify(example) : '<p>'
  const admin = createAdminClient({
    ...{ url: 'http://service.test/base/', storeId: 'store_1', token: 'vat_test' },
    fetch: async (address, init) => {
      const { body } = init ?? {}
      const url = new URL(String(address))
      const sent = body instanceof FormData ? Object.fromEntries(body) : body && JSON.parse(String(body))
      all.push({ method: init?.method ?? '', url, headers: new Headers(init?.headers), body: sent })
      return new Response(text, { status: okStatus, headers: { etag: '"tag"' } })
    },
  })
  const method = admin[methodName as keyof AdminClient] as (...args: unknown[]) => Promise<unknown>
  const answer = await (Object.keys(input).length === 0 ? method() : method(input))
  return { sent: all[0] as Sent, answer }
}

test('every operation that a token may call has a method, which sends every field as the contract says', async () => {
  const declared = adminContracts.flatMap((contract) => Object.entries(contract as Record<string, AdminEndpoint>))
  const forTokens = declared.filter(([, { access }]) => access === 'store')
  assert.equal(Object.keys(adminTable).length, forTokens.length)
  for (const [name, endpoint] of forTokens) {
    const methodName = name.replace(/^admin(.)/, (_, first: string) => first.toLowerCase())
    const { params, query, body, maxFileBytes } = endpoint
    const [inPath, inQuery, inBody] = [samplesOf(params), samplesOf(query), samplesOf(body)]
    const file = maxFileBytes === undefined ? {} : { file: new File(['bytes'], 'teapot.jpg') }
    const { sent, answer } = await callWith(methodName, endpoint, { ...inPath, ...inQuery, ...inBody, ...file })
    const fields: Record<string, unknown> = { ...inPath, storeId: 'store_1' }
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, field) => encodeURIComponent(String(fields[field])))
    assert.deepEqual([sent.method, sent.url.pathname], [endpoint.method, `/base${path}`], name)
    const toText = ([field, value]: [string, unknown]) => [field, String(value)]
    const texts = Object.entries(inQuery).map(toText)
    assert.deepEqual([...sent.url.searchParams], texts, name)
    const hasBody = body !== undefined || maxFileBytes !== undefined
    // The fields of a form are text.
    const asSent = maxFileBytes === undefined ? inBody : Object.fromEntries(Object.entries(inBody).map(toText))
    assert.deepEqual(sent.body, hasBody ? { ...asSent, ...file } : undefined, name)
    assert.equal(sent.headers.get('authorization'), 'Bearer vat_test')
    assert.equal(sent.headers.has('idempotency-key'), endpoint.once === true, name)
    assert.equal(answer === undefined, endpoint.ok === null, name)
    const { etag }: { etag?: unknown } = Object(answer)
    assert.equal(etag, endpoint.headers?.includes('etag') ? '"tag"' : undefined, name)
  }
})

test('people who sign in by a cookie have a client too, with the calls of their stores', async () => {
  const sent: string[] = []
  const person = createStaffClient({
    url: 'http://service.test',
    fetch: async (address, init) => {
      sent.push(`${init?.method} ${address} ${new Headers(init?.headers).has('authorization')}`)
      return Response.json({ data: [], nextCursor: null, total: 0, totalIsExact: true })
    },
  })
  const ofStaff = adminContracts.flatMap((contract) => Object.values(contract as Record<string, AdminEndpoint>))
  assert.equal(Object.keys(staffTable).length, ofStaff.filter(({ access }) => access !== 'store').length)
  await person.signIn({ email: 'meera@example.com', password: 'a good password' })
  await person.getSession()
  await person.inStore('store/1').listOrders({ status: 'paid' })
  assert.deepEqual(sent, [
    'POST http://service.test/admin/v1/session false',
    'GET http://service.test/admin/v1/session false',
    'GET http://service.test/admin/v1/stores/store%2F1/orders?status=paid false',
  ])
})

test('an answer with a field named etag, and an optional body with a required field, are refused', () => {
  const [[name, endpoint] = []] = Object.entries(adminContracts[1] as Record<string, AdminEndpoint>)
  assert.ok(name !== undefined && endpoint !== undefined)
  const spoil = (change: object) => () => adminOperations([{ [name]: { ...endpoint, ...change } }])
  assert.throws(spoil({ headers: ['etag'], ok: { properties: { etag: {} } } }), /a field "etag"/)
  const body = { properties: { a: {} }, required: ['a'] }
  assert.throws(spoil({ query: undefined, method: 'POST', isBodyOptional: true, body }), /may have no body/)
  assert.throws(() => adminOperations([{ listThings: endpoint }]), /must begin with "admin"/)
})

test('a client without a store or a token is refused, and so is a file that is none', async (t) => {
  const options = { url: 'http://service.test', storeId: 'store_1', token: 'vat_1' }
  assert.throws(() => createAdminClient({ ...options, storeId: '' }), /storeId is required/)
  assert.throws(() => createAdminClient({ ...options, token: '' }), /token is required/)
  assert.throws(() => createAdminClient({ ...options, url: 'service.test' }), /url must start with/)
  const { admin, proxy } = await openAdmin(t)
  await assert.rejects(admin.uploadMedia({ file: '/tmp/teapot.jpg' as never }), /file must be a Blob/)
  assert.equal(proxy.seen.length, 0)
})

// Against the service

test('orders are listed by page with their number, and iterated to the end', async (t) => {
  const shop = await openOrderShop(service)
  const asha = await newCustomer(service, shop)
  const placed: string[] = []
  for (let i = 0; i < 5; i++) placed.push(await placeOrder(service, shop, asha, {}))
  const { admin, proxy } = await openAdmin(t, shop)
  const page = await admin.listOrders({ limit: 2, sort: 'createdAt' })
  assert.deepEqual([page.items.map(({ id }) => id), page.total, page.totalIsExact], [placed.slice(0, 2), 5, true])
  assert.equal(typeof page.nextCursor, 'string')
  const met: string[] = []
  for await (const { id } of admin.listOrders({ limit: 2 })) met.push(id)
  assert.deepEqual([met, proxy.seen.length], [placed.toReversed(), 4])
  assert.equal((await admin.getOrder({ id: placed[0] as string })).id, placed[0])
})

test('a product is created once, although the answer was lost', async (t) => {
  const { admin, proxy } = await openAdmin(t)
  proxy.fail('lost on the way back')
  const product = await admin.createProduct({ name: 'Teapot', price: 450 })
  const { items, total } = await admin.listProducts()
  assert.deepEqual([items.map(({ id }) => id), total], [[product.id], 1])
  const keys = proxy.seen.slice(0, 2).map(({ headers }) => headers['idempotency-key'])
  assert.ok(keys[0] !== undefined && keys[0] === keys[1])
  assert.match(product.etag, /^".+"$/)
})

test('a change that may not be repeated is sent once', async (t) => {
  const { admin, proxy } = await openAdmin(t)
  const { id } = await admin.createProduct({ name: 'Teapot', price: 450 })
  proxy.fail('lost on the way back')
  await assert.rejects(admin.updateProduct({ productId: id, price: 500 }), (error) => isVitrineError(error, 'NETWORK'))
  assert.equal(proxy.seen.length, 2)
})

test('of two changes with the same etag, the second fails and changes nothing', async (t) => {
  const { admin } = await openAdmin(t)
  const { id: productId } = await admin.createProduct({ name: 'Teapot', price: 450 })
  const read = await admin.getProduct({ productId })
  const changed = await admin.updateProduct({ productId, name: 'Green teapot' }, { ifMatch: read.etag })
  assert.notEqual(changed.etag, read.etag)
  await assert.rejects(
    admin.updateProduct({ productId, name: 'Red teapot' }, { ifMatch: read.etag }),
    failsWith('PRECONDITION_FAILED', 412),
  )
  await assert.rejects(
    admin.updateProduct({ productId, name: 'Red teapot' }, { ifMatch: '' }),
    failsWith('PRECONDITION_FAILED', 412),
  )
  const last = await admin.getProduct({ productId })
  assert.deepEqual([last.name, last.etag], ['Green teapot', changed.etag])
  assert.equal((await admin.updateProduct({ productId, name: 'Red teapot' })).name, 'Red teapot')
})

test('a picture is uploaded as a file, a Buffer or a Blob, and once although the answer was lost', async (t) => {
  let lost = 0
  const losing: typeof fetch = async (...args) => {
    const answer = await fetch(...args)
    if (args[1]?.method !== 'POST' || lost++ > 0) return answer
    await answer.arrayBuffer()
    throw new TypeError('the connection was lost')
  }
  const { admin } = await openAdmin(t, undefined, { url: service.url, fetch: losing })
  const bytes = await newPicture({ width: 300, height: 200, format: 'jpeg' })
  const file = new File([new Uint8Array(bytes)], 'teapot.jpg')
  const medium = await admin.uploadMedia({ file, alt: 'A teapot' })
  assert.deepEqual([medium.name, medium.alt, medium.width, lost], ['teapot.jpg', 'A teapot', 300, 2])
  const second = await admin.uploadMedia({ file: new Uint8Array(await newPicture()) })
  const third = await admin.uploadMedia({ file: new Blob([new Uint8Array(await newPicture())]) })
  const { items } = await admin.listMedia()
  assert.deepEqual(
    items.map(({ id }) => id),
    [third.id, second.id, medium.id],
  )
  const shown = await admin.showMedium({ mediaId: medium.id })
  const changed = await admin.changeMedium({ mediaId: medium.id, alt: 'A pot' }, { ifMatch: shown.etag })
  assert.equal(changed.alt, 'A pot')
  assert.equal(await admin.deleteMedium({ mediaId: medium.id }), undefined)
})

test('CSV is a text, or pieces of it, with every row that the filters match', async (t) => {
  const shop = await newStore(service)
  // More than one batch of the service.
  const names = Array.from({ length: 600 }, (_, i) => `Mug ${i} ☕`)
  await shop.add(...names.map((name) => ({ name, price: 10, stock: 1 })), { name: 'Lamp', price: 5, stock: 1 })
  const { admin, proxy } = await openAdmin(t, shop)
  const text = await admin.listProducts({ q: 'mug', format: 'csv' })
  assert.equal(text.trim().split('\n').length, 601)
  assert.ok(names.every((name) => text.includes(name)) && !text.includes('Lamp'))
  const direct = createAdminClient({
    ...{ url: service.url, storeId: shop.storeId },
    token: (await openAdmin(t, shop)).token,
  })
  const pieces: string[] = []
  for await (const piece of direct.listProducts({ q: 'mug', format: 'csv' })) pieces.push(piece)
  assert.ok(pieces.length > 1)
  assert.equal(pieces.join(''), text)
  for await (const piece of direct.listProducts({ format: 'csv' })) {
    assert.ok(piece.length > 0)
    break
  }
  proxy.fail({ status: 503, headers: { 'retry-after': '0' }, body: '{"error":"Busy.","code":"SERVICE_UNAVAILABLE"}' })
  assert.match(await admin.reportSales({ format: 'csv' }), /^\w+,/)
  proxy.fail({ status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' })
  assert.equal(await codeOf(admin.listProducts({ format: 'csv' })), 'BAD_ANSWER')
  assert.equal(await codeOf(admin.listProducts({ format: 'csv', cursor: 'x'.repeat(1001) })), 'BAD_REQUEST')
})

const answerSlowly = (body: ReadableStream<Uint8Array>) =>
  createAdminClient({
    ...{ url: 'http://service.test', storeId: 'store_1', token: 'vat_1' },
    fetch: async () => new Response(body, { headers: { 'content-type': 'text/csv' } }),
  })

const streamOf = (start: (controller: ReadableStreamDefaultController<Uint8Array>) => void, cancel?: () => void) =>
  new ReadableStream<Uint8Array>({ start, ...(cancel && { cancel }) })

test('CSV that is cut off, hangs or is aborted ends with an error, and no part of it passes for the whole', async () => {
  const begun = new TextEncoder().encode('id,name\n')
  const cut = streamOf((controller) => {
    controller.enqueue(begun)
    queueMicrotask(() => controller.error(new TypeError('terminated')))
  })
  assert.equal(await codeOf(answerSlowly(cut).listProducts({ format: 'csv' })), 'NETWORK')
  let cancelled = 0
  const hang = () =>
    streamOf(
      (controller) => controller.enqueue(begun),
      () => void cancelled++,
    )
  const late = answerSlowly(hang()).listProducts({ format: 'csv' }, { timeoutMs: 20 })
  assert.equal(await codeOf(late), 'TIMEOUT')
  const stop = new AbortController()
  const stopped = answerSlowly(hang()).listProducts({ format: 'csv' }, { signal: stop.signal })
  const pieces: string[] = []
  await assert.rejects(
    async () => {
      for await (const piece of stopped) {
        pieces.push(piece)
        stop.abort()
      }
    },
    (error) => isVitrineError(error, 'ABORTED'),
  )
  assert.deepEqual([pieces, cancelled], [['id,name\n'], 2])
})

test('errors have the code, the status and the id of the request', async (t) => {
  const { admin, shop } = await openAdmin(t)
  await assert.rejects(admin.getProduct({ productId: 'prod_none' }), failsWith('NOT_FOUND', 404))
  await assert.rejects(admin.createProduct({ name: '', price: 1 }), failsWith('BAD_REQUEST', 400))
  const { token } = await newProgram(service, shop, { permissions: ['orders:read'] })
  const reach = { url: service.url, storeId: shop.storeId }
  const reader = createAdminClient({ ...reach, token })
  await assert.rejects(async () => reader.listProducts(), failsWith('FORBIDDEN', 403))
  await assert.rejects(
    async () => {
      for await (const _ of reader.listProducts({ format: 'csv' })) assert.fail('this token may not read products')
    },
    failsWith('FORBIDDEN', 403),
  )
  const stranger = createAdminClient({ ...reach, token: 'vat_wrong' })
  await assert.rejects(async () => stranger.listOrders(), failsWith('UNAUTHORIZED', 401))
  const other = await newStore(service)
  const elsewhere = createAdminClient({ url: service.url, storeId: other.storeId, token })
  await assert.rejects(
    async () => elsewhere.listOrders(),
    (error) => isVitrineError(error) && [403, 404].includes(error.status),
  )
})
