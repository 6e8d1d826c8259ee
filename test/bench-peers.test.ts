import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readPeerArguments } from '../bench/peers/arguments.ts'
import { peerProducts, pickNth, pickRead, wordsToSearch } from '../bench/peers/catalog.ts'
import { contentOf, expectThat, type Journey, quantile, runJourneys } from '../bench/peers/driver.ts'
import { measurePeer } from '../bench/peers/measure.ts'
import { openPeerServer } from '../bench/peers/server.ts'
import { formatPeerTable, keepRows, type PeerRow } from '../bench/peers/table.ts'
import { startVitrine } from '../bench/peers/vitrine.ts'
import { notOnCluster } from './cluster.ts'
import { databaseUrl } from './harness.ts'

test('arguments choose the products to compare, and wrong ones are refused', () => {
  const usual = readPeerArguments([])
  assert.deepEqual(usual.names, ['vitrine', 'vendure', 'medusa'])
  assert.equal(usual.products, 10_000)
  const chosen = readPeerArguments(['--only', 'medusa', '--products', '50', '--seconds', '3', '--keep', 'folder'])
  assert.deepEqual(
    [chosen.names, chosen.products, chosen.seconds, chosen.warmUpSeconds, chosen.keep],
    [['medusa'], 50, 3, 2, 'folder'],
  )
  // CI runs this form, which must install nothing.
  assert.deepEqual(readPeerArguments(['--smoke']).names, ['vitrine'])
  assert.deepEqual(readPeerArguments(['--smoke', '--only', 'medusa']).names, ['vitrine'])
  for (const wrong of [
    ['--only', 'shop'],
    ['--products', '0'],
    ['--seconds', '1.5'],
    ['--connections', 'x'],
    ['--fast'],
  ])
    assert.throws(() => readPeerArguments(wrong), Error, wrong.join(' '))
})

test('the catalog is the same in every run, and each searched word has the matches that it claims', () => {
  const products = peerProducts(2_000)
  assert.deepEqual(peerProducts(2_000), products)
  assert.equal(new Set(products.map(({ slug }) => slug)).size, 2_000)
  const words = wordsToSearch(products)
  assert.equal(words.length, 50)
  for (const { word, matches } of words) {
    const parts = products.filter(({ name, description }) => `${name} ${description}`.includes(word))
    assert.equal(parts.length, matches, word)
    assert.ok(matches >= 2 && matches <= 20, `${word} has ${matches}`)
  }
  assert.equal(new Set(Array.from({ length: 5_000 }, (_, n) => pickRead(products, n).slug)).size, 500)
  assert.equal(new Set(Array.from({ length: 50 }, (_, n) => pickNth(words, n).word)).size, 50)
  assert.throws(() => pickNth([], 1), /nothing to choose/)
})

test('an answer that is not the expected one is a failure, and is not among the journeys', async (t) => {
  const server = createServer(({ url }, response) => {
    response.statusCode = url === '/error' ? 500 : 200
    response.end(JSON.stringify({ paid: url === '/paid' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const outcomeOf = async (first: string, second: string, at = url) => {
    const run: Journey['run'] = async (call) => {
      contentOf(await call('GET', first, {}), 'first')
      const answer = await call('POST', second, {}, { any: 'body' })
      expectThat(JSON.parse(answer.text).paid, 'second', answer)
    }
    const journey: Journey = { name: 'order', row: 'Test', run }
    const { journeys, failures, calls, firstFailure } = await runJourneys({
      url: at,
      journey,
      connections: 2,
      isOver: () => true,
    })
    return [journeys, failures, calls, firstFailure]
  }
  assert.deepEqual(await outcomeOf('/paid', '/paid'), [2, 0, 2, undefined])
  assert.deepEqual(await outcomeOf('/paid', '/unpaid'), [0, 2, 2, 'second: 200 {"paid":false}'])
  assert.deepEqual(await outcomeOf('/paid', '/error'), [0, 2, 2, 'second: 500 {"paid":false}'])
  assert.deepEqual(await outcomeOf('/error', '/paid'), [0, 2, 1, 'first: 500 {"paid":false}'])
  const [, unreachable] = await outcomeOf('/paid', '/paid', 'http://127.0.0.1:1')
  assert.equal(unreachable, 2)
  assert.deepEqual([quantile([1, 2, 3, 4], 0.5), quantile([1, 2, 3, 4], 0.99)], [3, 4])
})

const row = (name: string, figures: Partial<PeerRow> = {}): PeerRow => ({
  ...{ journey: 'list', row: name, journeys: 100, calls: 1, perSecond: 1_000, p50: 1, p99: 2 },
  ...{ failures: 0, firstFailure: undefined, nodeMs: 0.5, databaseMs: 0.5, ...figures },
})

test('the table compares with Vitrine without its cache, and shows failures', () => {
  const order = { journey: 'order', calls: 7, perSecond: 50 } as const
  const table = formatPeerTable([
    row('Vitrine', { perSecond: 9_000 }),
    row('Vitrine, uncached'),
    row('Vitrine', order),
    row('Vendure', { perSecond: 250, nodeMs: 3, databaseMs: 1 }),
    row('Vendure', { ...order, calls: 3, perSecond: 5, failures: 2, databaseMs: undefined }),
  ])
  assert.deepEqual(table.split('\n').slice(2), [
    '| list: Vitrine | 1 | 9,000 | 9.00 | 1.0 | 2.0 | 0.50 | 0.50 | 1.0 |',
    '| list: Vitrine, uncached | 1 | 1,000 | 1.00 | 1.0 | 2.0 | 0.50 | 0.50 | 1.0 |',
    '| list: Vendure | 1 | 250 | 0.25 | 1.0 | 2.0 | 3.00 | 1.00 | 4.0 |',
    '| order: Vitrine | 7 | 50.0 | 1.00 | 1.0 | 2.0 | 0.50 | 0.50 | 1.0 |',
    '| order: Vendure (2 failed) | 3 | 5.0 | 0.10 | 1.0 | 2.0 | 0.50 | – | – |',
  ])
})

test('rows of earlier runs are kept, and replaced when they are measured again', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'rows.json')
  assert.equal(keepRows(file, [row('Vitrine'), row('Vitrine', { journey: 'cart' })]).length, 2)
  assert.equal(keepRows(file, [row('Medusa')]).length, 3)
  assert.deepEqual(
    keepRows(file, [row('Vitrine', { perSecond: 2 })]).map(({ journey, row, perSecond }) => [journey, row, perSecond]),
    [
      ['cart', 'Vitrine', 1_000],
      ['list', 'Medusa', 1_000],
      ['list', 'Vitrine', 2],
    ],
  )
})

test(
  'Vitrine completes the five journeys, and the database has the orders as paid',
  notOnCluster('it needs a plain database'),
  async (t) => {
    const server = await openPeerServer(undefined, databaseUrl)
    let stop = async () => {}
    t.after(() => stop().finally(server.close))
    const products = peerProducts(40)
    const words = wordsToSearch(products)
    const database = await server.openDatabase('vitrine', products.length)
    const said: string[] = []
    const say = (text: string) => void said.push(text)
    const peer = await startVitrine({ database, products, words, connections: 2, say })
    stop = peer.stop
    const options = { connections: 2, seconds: 0, warmUpSeconds: 0, say }
    const rows = await measurePeer(peer, server, database, options)
    assert.deepEqual(
      rows.map(({ journey, row, calls, failures }) => [journey, row, calls, failures]),
      [
        ...['list', 'product', 'search'].map((name) => [name, 'Vitrine', 1, 0]),
        ...['list', 'product', 'search'].map((name) => [name, 'Vitrine, uncached', 1, 0]),
        ['cart', 'Vitrine', 1, 0],
        ['order', 'Vitrine', 7, 0],
      ],
    )
    const orders = peer.journeys.filter(({ name }) => name === 'order')
    const unpaid = { ...peer, journeys: orders, paidOrders: 'select 0 as count' }
    await assert.rejects(measurePeer(unpaid, server, database, options), /0 orders are paid in the database, and not 2/)
  },
)
