import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSentence, openDemoShop, runVitrine } from './fixture.ts'

test('an operator finds, notes, exports and erases a customer', async (t) => {
  const { installation, vitrine, asha } = await openDemoShop(t)
  const order = await asha.order('online', 'masala-chai-blend')
  const [found] = await vitrine('customer', 'list', '--query', 'asha@exam')
  assert.deepEqual([found.name, found.orderCount, found.email], ['Asha', 0, 'asha@example.com'])
  assert.deepEqual(await vitrine('customer', 'list', '--query', 'nobody'), [])
  const note = await vitrine('customer', 'note', found.id, 'Prefers a call.')
  assert.equal(note.author, 'Command line')
  const shown = await vitrine('customer', 'show', found.id)
  assert.deepEqual([shown.id, shown.notes], [found.id, [note]])
  const exported = await vitrine('customer', 'export', found.id)
  assert.deepEqual([exported.profile.email, exported.orders[0].id], ['asha@example.com', order.id])
  assertSentence(await runVitrine(['customer', 'erase', found.id], installation), order.number)
  await vitrine('simulate', 'payment', order.id, '--status', 'success')
  await vitrine('order', 'deliver', order.id)
  assert.deepEqual(await vitrine('customer', 'erase', found.id), { id: found.id, status: 'erased' })
  assert.deepEqual(await vitrine('customer', 'list'), [])
  const [erased] = await vitrine('customer', 'list', '--erased')
  assert.deepEqual([erased.name, erased.email, erased.orderCount], ['[erased]', '', 1])
  assert.deepEqual((await vitrine('customer', 'export', found.id)).notes, [])
  assertSentence(await runVitrine(['customer', 'note', found.id, 'x'], installation), 'erased')
  assertSentence(await runVitrine(['customer', 'show', 'cus_unknown'], installation), 'vitrine customer list')
})
