import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newProgram, newStaff } from '../../../test/admin-callers.ts'
import { assertError, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { openRefundScene, type RefundSceneOptions } from '../payments/refund-fixture.ts'
import { seriesOf } from './invoices.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

const open = async (options: RefundSceneOptions = {}) => {
  const scene = await openRefundScene(service, { taxRate: 18, ...options })
  const owner = await newStaff(service, scene.shop)
  const set = async (settings: unknown) => {
    const { status, text } = await owner.inStore('PATCH', '/settings', settings)
    assert.equal(status, 200, text)
  }
  const issue = (id: string, body?: unknown) => owner.inStore('POST', `/orders/${id}/invoice`, body)
  return { ...scene, owner, set, issue }
}

test('invoices that are issued at once get numbers without a gap, and an order gets one', async () => {
  const { order, owner, set, issue, findings } = await open()
  await set({ invoices: { prefix: 'INV-' } })
  const orders = await Promise.all(Array.from({ length: 5 }, () => order({ mug: 1 })))
  const answers = await Promise.all(orders.flatMap(({ id }) => [issue(id), issue(id)]))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(5).fill(200), ...Array(5).fill(201)])
  const numbers = new Set(answers.map(({ json }) => json.number))
  assert.deepEqual([...numbers].sort(), ['INV-1', 'INV-2', 'INV-3', 'INV-4', 'INV-5'])
  // A refused one takes no number.
  const unpaid = await order({ mug: 1 }, { isPaid: false })
  assertError(await issue(unpaid.id), 409, 'CONFLICT')
  assert.equal((await issue((await order()).id)).json.number, 'INV-6')
  assert.deepEqual(await findings(), [])
  const { json } = await owner.inStore('GET', '/audit?action=order.invoiced')
  assert.equal(json.total, 6)
  const shown = (await owner.inStore('GET', `/orders/${orders[0]?.id}`)).json
  assert.deepEqual([shown.invoices.length, shown.invoices[0].kind], [1, 'invoice'])
})

test('an invoice has tax by rate and both tax ids, escapes every value, and never changes', async () => {
  const { order, owner, set, issue } = await open({ prices: { '<b>Mug</b>': 100, Lamp: 250 } })
  await set({
    ...{ name: 'Blue & Door', taxId: '29ABCDE1234F1Z5', locale: 'en-IN' },
    address: { line1: '<script>1</script>', city: 'Pune', state: 'MH', postalCode: '411001', country: 'IN' },
  })
  const { id } = await order({ 'b-mug-b': 2, lamp: 1 })
  assertError(await owner.inStore('GET', `/orders/${id}/invoice`), 404, 'NOT_FOUND')
  const { json } = await issue(id, { taxId: '27AAAPL1234C1ZV' })
  const { headers, text } = await owner.inStore('GET', `/orders/${id}/invoice`)
  assert.match(headers.get('content-type') ?? '', /^text\/html/)
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'none'; frame-ancestors 'none'/)
  assert.doesNotMatch(text, /<script>|<b>/)
  for (const part of [
    'Blue &amp; Door',
    'India',
    '29ABCDE1234F1Z5',
    '27AAAPL1234C1ZV',
    '&lt;b&gt;Mug',
    '₹531.00',
    '₹81.00',
    '18%',
  ]) {
    assert.ok(text.includes(part), `${part} is not in ${text}`)
  }
  assert.match(text, new RegExp(`<title>Invoice ${json.number}</title>`))
  assert.match(text, /<html lang="en">/)
  await set({ name: 'Red Door', taxId: 'changed' })
  assert.equal((await owner.inStore('GET', `/orders/${id}/invoice`)).text, text)
  await set({ locale: 'hi-IN' })
  const hindi = await order({ lamp: 1 })
  await issue(hindi.id)
  const page = (await owner.inStore('GET', `/orders/${hindi.id}/invoice`)).text
  assert.ok(page.includes('<html lang="hi">') && page.includes('<h1>बीजक</h1>'), page)
  assert.ok(page.includes('भारत'), 'the country is written in the language of the store')
})

test('a refund of an invoiced order gets a credit note with a number of its own series', async () => {
  const { order, owner, issue, findings } = await open()
  const { id, lines } = await order({ mug: 2 })
  const refund = (body: unknown) => owner.inStore('POST', `/orders/${id}/refunds`, body)
  const first = (await refund({ items: [{ id: lines[0], quantity: 1 }] })).json
  const credit = (refundId: string) => owner.inStore('POST', `/orders/${id}/refunds/${refundId}/credit-note`)
  assertError(await credit(first.id), 409, 'CONFLICT')
  await issue(id)
  const second = (await refund({ amount: 59, reason: 'Late' })).json
  const answers = await Promise.all([credit(first.id), credit(first.id), credit(second.id)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 201, 201])
  assert.deepEqual([...new Set(answers.map(({ json }) => json.number))].sort(), ['CN-1', 'CN-2'])
  const { text } = await owner.inStore('GET', `/orders/${id}/refunds/${second.id}/credit-note`)
  assert.match(text, /Credit note/)
  // 59 of 236, and 9 of the 36 in tax.
  for (const part of ['59.00', '9.00', '50.00', 'Late']) assert.ok(text.includes(part), part)
  assertError(await credit('ref_none'), 404, 'NOT_FOUND')
  assert.deepEqual(await findings(), [])
})

test('a packing slip has the units of the order or of a shipment, and no prices', async () => {
  const { order, owner, shop } = await open({ prices: { Mug: 100, Lamp: 250 } })
  const { id, lines, ship } = await order({ mug: 3, lamp: 1 })
  const packer = await newProgram(service, shop, { role: 'fulfilment' })
  const slip = async (query = '') => (await packer.inStore('GET', `/orders/${id}/packing-slip${query}`)).text
  assert.match(await slip(), /<td class="number">3<\/td><td>Mug<\/td>/)
  assert.match(await slip(), /Lamp/)
  assert.doesNotMatch(await slip(), /100\.00|₹/)
  const { shipmentId } = await ship({ line: lines[0] ?? '', quantity: 2 })
  assert.match(await slip(`?shipmentId=${shipmentId}`), /<td class="number">2<\/td><td>Mug<\/td>/)
  const another = (await order({ mug: 1 })).id
  const both = await packer.inStore('GET', `/packing-slips?orders=${id},${another},${id}`)
  assert.equal(both.text.match(/<section>/g)?.length, 2, both.text)
  assertError(await packer.inStore('GET', `/packing-slips?orders=${id},ord_none`), 404, 'NOT_FOUND')
  assertError(await packer.inStore('GET', '/packing-slips?orders=,'), 400, 'BAD_REQUEST')
  assert.doesNotMatch(await slip(`?shipmentId=${shipmentId}`), /Lamp/)
  assertError(await owner.inStore('GET', `/orders/${id}/packing-slip?shipmentId=ship_none`), 404, 'NOT_FOUND')
  const support = await newProgram(service, shop, { permissions: ['orders:support'] })
  assertError(await support.inStore('GET', `/orders/${id}/packing-slip`), 403, 'FORBIDDEN')
})

test('the series of an invoice is the financial year in the time zone of the store', () => {
  const at = (time: string, invoiceYearStart: number | null) =>
    seriesOf({ invoiceYearStart, timezone: 'Asia/Kolkata' }, Date.parse(time))
  assert.equal(at('2026-03-31T18:29:59Z', 4), '25-26')
  assert.equal(at('2026-03-31T18:30:00Z', 4), '26-27')
  assert.equal(at('2099-12-31T00:00:00Z', 4), '99-00')
  assert.equal(at('2026-03-31T18:30:00Z', 1), '2026')
  assert.equal(at('2026-03-31T18:30:00Z', null), '')
})
