import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newProgram } from '../../../../test/admin-callers.ts'
import { assertError, newStore, type TestService, type TestStore } from '../../../../test/harness.ts'
import { cheapPasswords } from '../../../../test/world.ts'
import { newRunner, serviceAlone } from '../../../jobs/fixture.ts'
import { checkInvariants } from '../../doctor/invariants.ts'

const programOf = async (service: TestService, shop: TestStore) => {
  const program = await newProgram(service, shop)
  const { inStore } = program
  return {
    inStore,
    upload: (bytes: string | Uint8Array, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
      program.upload('/jobs', { bytes, name: 'products.csv', fields: { type: 'import', ...fields }, headers }),
    jobOf: async (id: string) => (await inStore('GET', `/jobs/${id}`)).json,
    fileOf: (id: string) => inStore('GET', `/jobs/${id}/file`),
  }
}

const open = async (t: TestContext) => {
  const { service } = await serviceAlone(t, { passwords: cheapPasswords })
  const shop = await newStore(service)
  const { failures, runDue } = newRunner(service)
  const files = async () =>
    (await service.db.one<{ parts: number }>`select count(*)::integer as parts from job_file`).parts
  return { service, shop, ...(await programOf(service, shop)), failures, runDue, files }
}

const csv = (count: number, stock = 5) =>
  ['name,price,stock', ...Array.from({ length: count }, (_, i) => `Thing ${i + 1},10,${stock}`)].join('\n')

test('a file is imported, and the job tells what it did', async (t) => {
  const { inStore, upload, jobOf, runDue, failures, files, shop } = await open(t)
  const queued = await upload(csv(60))
  assert.equal(queued.status, 201, queued.text)
  const { id, ...rest } = queued.json
  assert.deepEqual(
    [rest.type, rest.status, rest.done, rest.total, rest.percent, rest.faults],
    ['import', 'queued', 0, 0, 0, []],
  )
  await runDue()
  assert.deepEqual(failures, [])
  const job = await jobOf(id)
  assert.deepEqual([job.status, job.done, job.total, job.percent], ['done', 60, 60, 100])
  assert.deepEqual(
    [job.result.created, job.result.updated, job.result.unchanged, job.result.skipped, job.result.format],
    [60, 0, 0, 0, 'csv'],
  )
  assert.equal((await inStore('GET', '/products?limit=1')).json.total, 60)
  assert.equal((await shop.get('/v1/products/thing-60')).json.price, 10)
  assert.equal(await files(), 0, 'the file is gone when the import has ended')
  const audit = (await inStore('GET', '/audit?action=catalog.imported')).json
  assert.equal(audit.data[0].changes.file.after, 'products.csv')
  assert.equal(audit.data[0].actorKind, 'token')
})

test('faults name their line and field; nothing is written, or only the valid products', async (t) => {
  const { inStore, upload, jobOf, runDue } = await open(t)
  const content = 'name,price\nMug,10\nCup,abc\n,5\n'
  const { id } = (await upload(content)).json
  await runDue()
  const refused = await jobOf(id)
  assert.deepEqual([refused.status, refused.done, refused.total], ['failed', 0, 3])
  assert.deepEqual(
    refused.faults.map(({ line, field }: { line: number; field: string }) => [line, field]),
    [
      [3, 'price'],
      [4, 'name'],
    ],
  )
  assert.equal((await inStore('GET', '/products')).json.total, 0)
  const dry = (await upload(content, { skipBad: 'true', dryRun: 'true' })).json
  const second = (await upload(content, { skipBad: 'true' })).json
  await runDue()
  const checked = await jobOf(dry.id)
  assert.deepEqual([checked.status, checked.result.outcome, checked.result.created], ['done', 'checked', 1])
  const done = await jobOf(second.id)
  assert.deepEqual([done.status, done.result.created, done.result.skipped, done.faults.length], ['done', 1, 2, 2])
  assert.equal((await inStore('GET', '/products')).json.total, 1)
})

test('what is not a file of products fails with a reason', async (t) => {
  const { upload, jobOf, runDue, inStore } = await open(t)
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0x0a, 0x00])
  const ids: string[] = []
  for (const content of [png, '', '[{"name":', 'just a line', '{"name": 1}']) ids.push((await upload(content)).json.id)
  await runDue()
  await runDue()
  for (const id of ids.slice(0, 3)) {
    const job = await jobOf(id)
    assert.equal(job.status, 'failed', JSON.stringify(job))
    assert.ok(job.faults.length > 0)
  }
  assertError(await upload('x', { type: 'export' }), 400, 'BAD_REQUEST')
  assertError(await upload('x', { format: 'xml' }), 400, 'BAD_REQUEST')
  assertError(await upload('x', { replace: 'perhaps' }), 400, 'BAD_REQUEST')
  assertError(await inStore('POST', '/jobs', { type: 'import' }), 415, 'UNSUPPORTED_MEDIA_TYPE')
})

test('the flags of the command work: replace, and stock only where it is asked for', async (t) => {
  const { inStore, upload, jobOf, runDue } = await open(t)
  await upload('name,price,stock,vendor\nMug,10,5,Acme')
  await runDue()
  await upload('name,price,stock\nMug,12,9')
  await runDue()
  const stockOf = async () => (await inStore('GET', '/products/mug')).json
  assert.deepEqual([(await stockOf()).price, (await stockOf()).stock, (await stockOf()).vendor], [12, 5, 'Acme'])
  const { id } = (await upload('name,price,stock\nMug,12,9', { setStock: 'true', replace: 'true' })).json
  await runDue()
  assert.deepEqual([(await stockOf()).price, (await stockOf()).stock, (await stockOf()).vendor], [12, 9, ''])
  assert.equal((await jobOf(id)).result.updated, 1)
})

test('an interrupted import goes on where it was, sets stock once and counts right', async (t) => {
  const { service, inStore, upload, jobOf, shop } = await open(t)
  await upload(csv(90))
  await newRunner(service).runDue()
  const { id } = (await upload(csv(90, 50), { setStock: 'true' })).json
  let notes = 0
  const stop = service.db.onStatement((text) => {
    if (/update merchant_job set done/.test(text) && ++notes === 3) throw new Error('the instance dies here')
  })
  await newRunner(service).runDue()
  stop()
  const interrupted = await jobOf(id)
  assert.deepEqual([interrupted.status, interrupted.done, interrupted.total], ['running', 25, 90])
  assert.ok(interrupted.percent >= 50 && interrupted.percent < 100)
  // One unit of the first product is sold meanwhile. The rest of the import must not bring it back.
  const stockOfFirst = async () => (await inStore('GET', '/products/thing-1')).json.stock
  const { variants } = (await inStore('GET', '/products/thing-1')).json
  const sold = { variantId: variants[0].id, delta: -1, reason: 'sold at the counter' }
  assert.equal((await inStore('POST', '/stock/adjust', sold)).status, 200)
  assert.equal(await stockOfFirst(), 49)
  await service.clock.advance(120_000)
  await Promise.all([1, 2, 3].map(() => newRunner(service).runDue()))
  const job = await jobOf(id)
  assert.deepEqual([job.status, job.done, job.result.updated], ['done', 90, 90])
  assert.equal(await stockOfFirst(), 49)
  assert.equal((await inStore('GET', '/products/thing-90')).json.stock, 50)
  assert.deepEqual(await checkInvariants(service.db), [])
  assert.equal((await shop.get('/v1/products?limit=1')).status, 200)
})

test('an import that is interrupted while it checks the file finds each fault once', async (t) => {
  const { service, upload, jobOf } = await open(t)
  const lines = Array.from({ length: 200 }, (_, i) => (i % 50 === 0 ? `Thing ${i},bad` : `Thing ${i},10`))
  const { id } = (await upload(['name,price', ...lines, 'Thing 7,10'].join('\n'))).json
  const runner = newRunner(service)
  // It pauses after the first batch, as when an instance stops.
  const stop = service.db.onStatement((text) => {
    if (/from product p/.test(text)) void runner.stop()
  })
  await runner.runDue()
  stop()
  const { checked } = await service.db.one<{ checked: number }>`
    select (state -> 'check' ->> 'products')::integer as checked from merchant_job where id = ${id}`
  assert.ok(checked > 0 && checked < 201, `it was interrupted after ${checked} products`)
  await service.clock.advance(120_000)
  await newRunner(service).runDue()
  const job = await jobOf(id)
  assert.equal(job.status, 'failed', JSON.stringify(job))
  assert.deepEqual(
    job.faults.map(({ line, field }: { line: number; field: string }) => [line, field]),
    [
      [2, 'price'],
      [52, 'price'],
      [102, 'price'],
      [152, 'price'],
      [202, 'slug'],
    ],
  )
  assert.equal(job.result.faultCount, 5)
})

test('a cancelled import writes nothing more, and its file is deleted', async (t) => {
  const { service, inStore, upload, jobOf, files } = await open(t)
  const first = (await upload(csv(5))).json
  assert.equal(await files(), 1)
  assert.equal((await inStore('POST', `/jobs/${first.id}/cancel`)).json.status, 'cancelled')
  assert.equal(await files(), 0)
  const second = (await upload(csv(100))).json
  let cancelling: Promise<unknown> | undefined
  const stop = service.db.onStatement((text) => {
    if (/insert into listing/.test(text)) cancelling ??= inStore('POST', `/jobs/${second.id}/cancel`)
  })
  const { runDue, failures } = newRunner(service)
  await runDue()
  stop()
  await cancelling
  assert.deepEqual(failures, [])
  const job = await jobOf(second.id)
  assert.equal(job.status, 'cancelled')
  const written = (await inStore('GET', '/products?limit=1')).json.total
  assert.equal(written, job.done)
  assert.ok(written < 100)
})

test('an import is queued once for each Idempotency-Key, and three at a time', async (t) => {
  const { upload, files } = await open(t)
  const headers = { 'idempotency-key': 'one' }
  const answers = await Promise.all([1, 2, 3, 4].map(() => upload(csv(3), {}, headers)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
  assert.equal(new Set(answers.map(({ json }) => json.id)).size, 1)
  assert.equal(await files(), 1)
  assertError(await upload(csv(4), {}, headers), 409, 'CONFLICT')
  const more = await Promise.all([1, 2, 3, 4, 5].map(() => upload(csv(3))))
  assert.equal(more.filter(({ status }) => status === 201).length, 2)
  for (const answer of more.filter(({ status }) => status !== 201)) assertError(answer, 409, 'CONFLICT')
  assert.equal(await files(), 3)
})

test('an export can be downloaded and imported again in every format', async (t) => {
  const { service, shop, inStore, upload, jobOf, fileOf, runDue } = await open(t)
  await upload(csv(250))
  await runDue()
  for (const format of ['jsonl', 'json', 'csv', 'shopify']) {
    const queued = await inStore('POST', '/products/export', { format })
    assert.equal(queued.status, 201, queued.text)
    assertError(await fileOf(queued.json.id), 404, 'NOT_FOUND')
    await runDue()
    const job = await jobOf(queued.json.id)
    assert.deepEqual([job.status, job.done, job.total, job.percent], ['done', 250, 250, 100], format)
    const file = await fileOf(job.id)
    assert.equal(file.status, 200)
    assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename="products\.\w+"$/)
    const { id } = (await upload(file.text)).json
    await runDue()
    const { status, result } = await jobOf(id)
    assert.deepEqual([status, result.created, result.updated, result.unchanged], ['done', 0, 0, 250], format)
  }
  // Another store neither sees the job nor its file.
  const other = await newStore(service)
  const stranger = await programOf(service, other)
  const { id } = (await inStore('POST', '/products/export', {})).json
  await runDue()
  assertError(await stranger.fileOf(id), 404, 'NOT_FOUND')
  assert.equal((await shop.get('/v1/products?limit=1')).status, 200)
})

test('a store may export twenty times a day, and files are kept that long', async (t) => {
  const { service, inStore, runDue, fileOf, files } = await open(t)
  const ids: string[] = []
  for (let i = 0; i < 20; i++) {
    ids.push((await inStore('POST', '/products/export', {})).json.id)
    if (i % 10 === 9) await runDue()
  }
  assertError(await inStore('POST', '/products/export', {}), 409, 'CONFLICT')
  assert.equal((await fileOf(ids[0] ?? '')).status, 200)
  await service.clock.advance(23 * 3600_000)
  await runDue()
  assert.equal(await files(), 20)
  await service.clock.advance(2 * 3600_000)
  await runDue()
  assert.equal(await files(), 0)
  assertError(await fileOf(ids[0] ?? ''), 404, 'NOT_FOUND')
  assert.equal((await inStore('POST', '/products/export', {})).status, 201)
})
