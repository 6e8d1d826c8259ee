import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSentence, openDemoShop, runVitrine } from './fixture.ts'

test('an operator refunds an order whole, by amount and by line', async (t) => {
  const { installation, vitrine, asha } = await openDemoShop(t)
  const tea = 'masala-chai-blend'
  const stock = async () => (await asha.call('GET', `/v1/products/${tea}?fresh=${Math.random()}`)).stock
  const order = async (quantity = 3) => {
    await asha.addToCart(tea, quantity)
    const placed = await asha.order('online')
    await vitrine('simulate', 'payment', placed.id, '--status', 'success')
    return placed
  }
  const { show } = asha

  await t.test('--amount refunds a part, --item a line by id or SKU, and neither the rest', async () => {
    const placed = await order()
    const [line] = placed.items
    const before = await stock()
    const part = await vitrine('order', 'refund', placed.number, '--amount', '10.50', '--reason', 'late delivery')
    const { refundId, ...answer } = part
    assert.match(refundId, /^ref_/)
    assert.deepEqual(answer, {
      ...{ orderId: placed.id, refunded: true, amount: 10.5, status: 'succeeded' },
      paymentStatus: 'partially_refunded',
    })
    const { stdout } = await runVitrine(['order', 'show', placed.number], installation)
    assert.match(stdout, new RegExp(`${refundId} +succeeded +10.5 INR +late delivery`))
    assert.equal((await show(placed.id)).refunds[0].reason, 'late delivery')
    assert.equal(await stock(), before)
    const byLine = await vitrine('order', 'refund', placed.id, '--item', `${line.id}=1`)
    assert.equal(byLine.amount, line.price)
    assert.equal(await stock(), before + 1)
    await vitrine('order', 'refund', placed.id, '--item', `${line.sku}=1`, '--no-restock')
    assert.equal(await stock(), before + 1)
    const rest = await vitrine('order', 'refund', placed.id)
    assert.equal(rest.paymentStatus, 'refunded')
    assert.equal(await stock(), before + 2)
    const { refundedTotal, total } = await show(placed.id)
    assert.equal(refundedTotal, total)
  })

  await t.test('shipped units go back to stock with --restock only', async () => {
    const placed = await order()
    const before = await stock()
    await vitrine('order', 'ship', placed.id, '--tracking', 'T1', '--partner', 'Bluedart')
    const item = `${placed.items[0].id}=1`
    await vitrine('order', 'refund', placed.id, '--item', item)
    assert.equal(await stock(), before)
    await vitrine('order', 'refund', placed.id, '--item', item, '--restock')
    assert.equal(await stock(), before + 1)
  })

  await t.test('without --json it prints a sentence', async () => {
    const { number } = await order(1)
    const { stdout } = await runVitrine(['order', 'refund', number, '--amount', '1'], installation)
    assert.equal(stdout, `Refunded 1 INR of order ${number}.\n`)
  })

  await t.test('--help shows the flags and examples', async () => {
    const { stdout, code } = await runVitrine(['order', 'refund', '--help'], installation)
    assert.equal(code, 0)
    for (const word of ['--amount', '--item', '--restock', '--no-restock', '--reason', '--json', 'Examples:']) {
      assert.ok(stdout.includes(word), word)
    }
  })

  await t.test('errors are one sentence and change nothing', async () => {
    const { id, number, total, items } = await order(2)
    const [line] = items
    const faults: [string[], string][] = [
      [['--amount', String(total + 1)], `Only ${total} INR of order`],
      [['--amount', '0'], 'must be a positive amount in INR'],
      [['--amount', '1.005'], 'must be a positive amount in INR'],
      [['--amount', 'ten'], '--amount must be a number such as 99.50'],
      [['--amount=-5'], '--amount must be a number'],
      [['--amount', '5', '--item', `${line.id}=1`], 'Use --amount or --item, not both'],
      [['--amount', '5', '--restock'], '--restock cannot be used with --amount'],
      [['--item', line.id], '--item must be a line and a quantity'],
      [['--item', `${line.id}=3`], 'must be between 1 and 2'],
      [['--item', `${line.id}=0`], '--item'],
      [['--item', 'nothing=1'], 'has no line "nothing"'],
      [['--reason', 'x'.repeat(501)], '--reason is limited to 500 characters'],
    ]
    for (const [flags, words] of faults) {
      assertSentence(await runVitrine(['order', 'refund', number, ...flags], installation), words)
    }
    assert.deepEqual((await show(id)).refunds, [])
    assertSentence(await runVitrine(['order', 'refund', '999999'], installation), '999999')
    assert.equal((await runVitrine(['order', 'refund', number, '--all'], installation)).code, 2)
  })
})
