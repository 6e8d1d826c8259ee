import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { newDatabase, query, runVitrine, until } from '../src/cli/fixture.ts'
import { onCluster } from './cluster.ts'
import { asScript, endGroup, isInstalled, newPlace, type Place } from './document-shop.ts'
import { blocksOf } from './documents.ts'
import { callUrl } from './harness.ts'

/** The commands of docs/production.md that make a store and start the service, on a database of this test. */
const startAsThePageSays = async (t: TestContext, place: Place, databaseUrl: string) => {
  const block = blocksOf('docs/production.md').find(({ info, text }) => info === 'sh' && text.includes('store create'))
  assert.ok(block, 'docs/production.md makes no store')
  const script = asScript(block.text, place).replace(/DATABASE_URL=\S+/, `DATABASE_URL='${databaseUrl}'`)
  assert.match(script, /NODE_ENV=production/)
  const file = join(place.folder, 'commands.sh')
  // Filling the store below needs the settings of the page too.
  writeFileSync(
    file,
    `${script}\nenv | grep -E '^(NODE_ENV|DATABASE_|VITRINE_)' >settings.txt\necho ready\nwait $SERVICE`,
  )
  const child = spawn('bash', ['-euo', 'pipefail', file], { cwd: place.folder, env: place.env, detached: true })
  t.after(async () => {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    endGroup(child.pid)
    await ended
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  await until(() => {
    assert.equal(child.exitCode, null, said)
    return said.includes('ready')
  })
  const lines = readFileSync(join(place.folder, 'settings.txt'), 'utf8').trim().split('\n')
  const settings = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]))
  return { settings, keys: JSON.parse(readFileSync(join(place.folder, 'store.json'), 'utf8')) }
}

test('the store of docs/production.md can sell, and refuses what it does not offer', async (t) => {
  for (const tool of ['bash', 'curl']) if (!isInstalled(tool)) return t.skip(`${tool} is not installed`)
  const databaseUrl = await newDatabase(t, { migrated: onCluster })
  const place = await newPlace(t)
  const { settings, keys } = await startAsThePageSays(t, place, databaseUrl)
  const products = join(place.folder, 'products.json')
  writeFileSync(products, JSON.stringify([{ name: 'Door knob', price: 12.5, stock: 10 }]))
  const imported = await runVitrine(['catalog', 'import', products], settings)
  assert.equal(imported.code, 0, imported.stderr)

  let token = ''
  const call = (path: string, body?: unknown) =>
    callUrl(`http://127.0.0.1:${place.env.PORT}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'x-store-key': keys.browserKey,
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  assert.deepEqual((await call('/v1/store')).json.paymentMethods, ['cod'])
  const email = 'nina@bluedoor.example'
  token = (await call('/v1/signup', { name: 'Nina', email, password: 'seven wooden spoons' })).json.token
  const [knob] = (await call('/v1/products')).json
  assert.equal((await call('/v1/cart', { productId: knob.id, quantity: 2 })).status, 201)
  const shippingAddress = {
    ...{
      name: 'Nina',
      phone: '+4930901820',
      line1: 'Torstrasse 1',
      city: 'Berlin',
      postalCode: '10119',
      country: 'DE',
    },
  }
  const online = await call('/v1/checkout', { shippingAddress, paymentMethod: 'online' })
  assert.deepEqual([online.status, online.json.code], [400, 'BAD_REQUEST'])
  assert.match(online.json.error, /cod/)
  const placed = await call('/v1/checkout', { shippingAddress })
  assert.equal(placed.status, 201, placed.text)
  const { order, payment } = placed.json
  assert.deepEqual([order.paymentMethod, order.total, payment.provider], ['cod', 25, 'cod'])
  assert.deepEqual(await query(databaseUrl, 'select on_hand from stock'), [{ on_hand: 8 }])
  const doctor = await runVitrine(['doctor'], settings)
  assert.match(doctor.stdout, /All is well\.\n$/)
  assert.doesNotMatch(doctor.stdout, /^warning {2}stores/m)
})
