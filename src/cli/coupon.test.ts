import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSentence, newDatabase, newFolder, runJson, runVitrine } from './fixture.ts'

const couponFields = [
  ...['id', 'code', 'kind', 'description', 'startsAt', 'endsAt', 'usageLimit', 'customerLimit', 'used', 'createdAt'],
  ...['stoppedAt', 'categories', 'products', 'value', 'minSubtotal', 'listed'],
]

test('an operator creates and lists coupons', async (t) => {
  const settings = { DATABASE_URL: await newDatabase(t, { migrated: true }), VITRINE_DATA_DIR: newFolder(t) }
  await runJson(['seed', 'demo'], settings)
  const vitrine = (...args: string[]) => runJson(['coupon', ...args], settings)

  const made = await vitrine(
    ...['create', '--code', 'tea-7_5', '--percent', '7.5', '--min-subtotal', '499.50'],
    ...['--starts', '2027-01-01', '--ends', '2027-01-31', '--limit', '100', '--per-customer', '1'],
    ...['--category', 'Home > Kitchen', '--category', 'tea-and-coffee', '--product', 'masala-dabba'],
    ...['--description', 'For tea'],
  )
  assert.deepEqual(Object.keys(made).sort(), couponFields.toSorted())
  assert.match(made.id, /^cpn_/)
  assert.deepEqual([made.code, made.kind, made.value, made.minSubtotal], ['TEA-7_5', 'percent', 7.5, 499.5])
  assert.deepEqual([made.usageLimit, made.customerLimit, made.used, made.description], [100, 1, 0, 'For tea'])
  assert.deepEqual([made.categories, made.products], [['kitchen', 'tea-and-coffee'], ['masala-dabba']])

  await t.test("days are in the store's time zone, and the last day is included", () => {
    assert.deepEqual([made.startsAt, made.endsAt], ['2026-12-31T18:30:00.000Z', '2027-01-31T18:30:00.000Z'])
  })

  await t.test('times are used unchanged', async () => {
    const timed = await vitrine(
      ...['create', '--code', 'TIMED', '--fixed', '200'],
      ...['--starts', '2026-03-01T10:00:00+05:30', '--ends', '2026-03-01T10:00:00.001+05:30'],
    )
    assert.deepEqual([timed.startsAt, timed.endsAt], ['2026-03-01T04:30:00.000Z', '2026-03-01T04:30:00.001Z'])
    assert.deepEqual([timed.kind, timed.value, timed.minSubtotal], ['fixed', 200, 0])
    assert.deepEqual([timed.usageLimit, timed.customerLimit, timed.categories], [null, null, []])
  })

  await t.test('the list has the coupons of the demo store and the new ones', async () => {
    const listed: Record<string, unknown>[] = await vitrine('list')
    assert.deepEqual(listed.at(-2), made)
    const codes = listed.map(({ code }) => code)
    assert.deepEqual(codes, ['CHAI15', 'FESTIVE500', 'FLAT200', 'WELCOME10', 'TEA-7_5', 'TIMED'])
  })

  await t.test('without --json the list is a table', async () => {
    const { code, stdout, stderr } = await runVitrine(['coupon', 'list'], settings)
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^code +discount +min subtotal +starts +ends +used +per customer +listed +for\n/)
    assert.match(stdout, /^CHAI15 +15 % +2035-12-31T18:29:59\.000Z +0 +yes +tea-and-coffee$/m)
    assert.match(stdout, /^FESTIVE500 +500 INR +4999 INR +2035-\S+ +0 of 250 +2 +yes$/m)
    const made = await runVitrine(['coupon', 'create', '--code', 'new', '--percent', '5'], settings)
    assert.match(made.stdout, /^NEW +5 % +0$/m)
    const listed = await runVitrine(['coupon', 'create', '--code', 'shown', '--percent', '5', '--listed'], settings)
    assert.match(listed.stdout, /^SHOWN +5 % +0 +yes$/m)
  })

  await t.test('the list shows when a coupon was stopped', async () => {
    const stopped = await vitrine('stop', 'chai15')
    assert.ok(Date.parse(stopped.stoppedAt) > 0)
    const { stdout } = await runVitrine(['coupon', 'list'], settings)
    assert.match(stdout, /^CHAI15 +15 % +stopped 20\S+Z +0 +yes +tea-and-coffee$/m)
    assert.equal((await runVitrine(['coupon', 'stop', 'flat200'], settings)).stdout, 'The coupon FLAT200 is stopped.\n')
    assert.equal((await vitrine('set', 'new', '--listed', 'yes')).listed, true)
    assert.equal((await vitrine('set', 'new', '--listed', 'no')).listed, false)
  })

  await t.test('a code that exists is rejected with one sentence', async () => {
    const again = await runVitrine(['coupon', 'create', '--code', 'welcome10', '--percent', '5'], settings)
    assertSentence(again, 'The store already has a coupon WELCOME10.')
  })
})
