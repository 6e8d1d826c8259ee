import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertError, newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { readCountry } from './countries.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

type TestCustomer = Awaited<ReturnType<typeof newCustomer>>
type Shown = { id: string; label: string; isDefault: boolean }

const path = '/v1/customer/addresses'

const home = {
  name: 'Asha Rao',
  phone: '98765 43210',
  line1: '14 Lake View Road',
  city: 'Bengaluru',
  postalCode: '560001',
  country: 'IN',
}

const newAsha = async () => newCustomer(service, await newStore(service))

const add = (who: TestCustomer, fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  who.call('POST', path, { body: { ...home, ...fields }, headers })

const added = async (who: TestCustomer, fields: Record<string, unknown> = {}): Promise<Shown> => {
  const { status, json, text } = await add(who, fields)
  assert.equal(status, 201, text)
  return json
}

const change = (who: TestCustomer, id: string, body: unknown) => who.call('PATCH', `${path}/${id}`, { body })

const remove = (who: TestCustomer, id: string) => who.call('DELETE', `${path}/${id}`)

const listed = async (who: TestCustomer): Promise<Shown[]> => (await who.call('GET', `${path}?limit=100`)).json.data

/** The labels in order, the default marked with a star. */
const labels = async (who: TestCustomer) =>
  (await listed(who)).map(({ label, isDefault }) => (isDefault ? `${label}*` : label))

test('an address is stored as sent, and omitted fields are empty', async () => {
  const asha = await newAsha()
  const { status, json } = await add(asha, { name: ' Asha Rao ', country: 'in', planet: 'Earth' })
  assert.equal(status, 201)
  const { id, createdAt, updatedAt, ...rest } = json
  assert.match(id, /^addr_/)
  assert.match(createdAt, /Z$/)
  assert.equal(updatedAt, createdAt)
  assert.deepEqual(rest, { ...home, label: '', line2: '', landmark: '', state: '', isDefault: true })
  assert.deepEqual((await asha.call('GET', path)).json, { data: [json], nextCursor: null, hasMore: false })
})

test('an address needs name, phone, street, city, postal code and country', async () => {
  const asha = await newAsha()
  const address = await added(asha)
  for (const field of Object.keys(home)) {
    const { [field]: _left, ...rest } = home as Record<string, string>
    assertError(await asha.call('POST', path, { body: rest }), 400, 'BAD_REQUEST')
    for (const value of ['', '  ', null, 7, 'x'.repeat(300)]) {
      assertError(await add(asha, { [field]: value }), 400, 'BAD_REQUEST')
      assertError(await change(asha, address.id, { [field]: value }), 400, 'BAD_REQUEST')
    }
  }
  assertError(await add(asha, { isDefault: 'yes' }), 400, 'BAD_REQUEST')
  assertError(await add(asha, { phone: 'none' }), 400, 'BAD_REQUEST')
  assert.deepEqual(await listed(asha), [address])
})

test('country must be an ISO 3166 code', async () => {
  const asha = await newAsha()
  for (const country of ['XX', 'ZZ', 'EU', 'UK', 'SU', 'IND', '1N', 'ıN', 'ß']) {
    assertError(await add(asha, { country }), 400, 'BAD_REQUEST')
  }
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const countries = letters.flatMap((a) => letters.map((b) => a + b)).filter(readCountry)
  assert.equal(countries.length, 250, countries.join(' '))
})

test('the first address becomes the default, and the list starts with the default, then newest first', async () => {
  const asha = await newAsha()
  for (const label of ['A', 'B', 'C']) await added(asha, { label, isDefault: false })
  assert.deepEqual(await labels(asha), ['A*', 'C', 'B'])
})

test('a new default replaces the old one, both when added and when changed', async () => {
  const asha = await newAsha()
  const a = await added(asha, { label: 'A' })
  await added(asha, { label: 'B', isDefault: true })
  assert.deepEqual(await labels(asha), ['B*', 'A'])
  const { json } = await change(asha, a.id, { isDefault: true })
  assert.equal(json.isDefault, true)
  assert.deepEqual(await labels(asha), ['A*', 'B'])
})

test('the default cannot be unset, only moved to another address', async () => {
  const asha = await newAsha()
  const a = await added(asha, { label: 'A' })
  await added(asha, { label: 'B' })
  const { status, json } = await change(asha, a.id, { isDefault: false, city: 'Mysuru' })
  assert.deepEqual([status, json.isDefault, json.city], [200, true, 'Mysuru'])
  assert.deepEqual(await labels(asha), ['A*', 'B'])
})

test('when the default is removed, the newest remaining address becomes the default', async () => {
  const asha = await newAsha()
  const [a, b, c] = [
    await added(asha, { label: 'A' }),
    await added(asha, { label: 'B' }),
    await added(asha, { label: 'C' }),
  ]
  const removed = await remove(asha, a.id)
  assert.deepEqual([removed.status, removed.text], [204, ''])
  assert.deepEqual(await labels(asha), ['C*', 'B'])
  await remove(asha, b.id)
  assert.deepEqual(await labels(asha), ['C*'])
  await remove(asha, c.id)
  assert.deepEqual(await labels(asha), [])
  assertError(await remove(asha, c.id), 404, 'NOT_FOUND')
  assert.equal((await added(asha)).isDefault, true)
})

test('a change affects only the fields sent, and a change to the same values keeps updatedAt', async () => {
  const asha = await newAsha()
  const before = await added(asha, { label: 'Home', landmark: 'Post office' })
  assert.deepEqual((await change(asha, before.id, {})).json, before)
  assert.deepEqual((await change(asha, before.id, { label: ' Home ', id: 'addr_x' })).json, before)
  const { json } = await change(asha, before.id, { landmark: '', country: 'lk' })
  assert.ok(json.updatedAt > json.createdAt)
  assert.deepEqual(json, { ...before, landmark: '', country: 'LK', updatedAt: json.updatedAt })
})

test('pages show every address once, and a cursor is valid only for its customer', async () => {
  const shop = await newStore(service)
  const [asha, ben] = [await newCustomer(service, shop), await newCustomer(service, shop)]
  for (const label of ['A', 'B', 'C', 'D', 'E']) await added(asha, { label })
  const seen: string[] = []
  let cursor = ''
  for (let pages = 1; ; pages++) {
    const { json } = await asha.call('GET', `${path}?limit=2${cursor}`)
    seen.push(...json.data.map(({ label }: Shown) => label))
    assert.equal(json.hasMore, json.nextCursor !== null)
    if (!json.hasMore) {
      assert.equal(pages, 3)
      break
    }
    cursor = `&cursor=${encodeURIComponent(json.nextCursor)}`
    assertError(await ben.call('GET', `${path}?limit=2${cursor}`), 400, 'BAD_REQUEST')
  }
  assert.deepEqual(seen, ['A', 'E', 'D', 'C', 'B'])
  assertError(await asha.call('GET', `${path}?limit=101`), 400, 'BAD_REQUEST')
})

test('an address cannot be read or changed by another customer or another store', async () => {
  const shop = await newStore(service)
  const asha = await newCustomer(service, shop)
  const address = await added(asha)
  for (const stranger of [await newCustomer(service, shop), await newAsha()]) {
    assertError(await change(stranger, address.id, { city: 'Mysuru', isDefault: true }), 404, 'NOT_FOUND')
    assertError(await remove(stranger, address.id), 404, 'NOT_FOUND')
    assert.deepEqual(await listed(stranger), [])
  }
  assert.deepEqual(await listed(asha), [address])
})

test('setting a default does not affect other customers', async () => {
  const shop = await newStore(service)
  const [asha, ben] = [await newCustomer(service, shop), await newCustomer(service, shop)]
  await added(asha, { label: 'A' })
  const b = await added(ben, { label: 'B' })
  await added(ben, { label: 'C', isDefault: true })
  await remove(ben, b.id)
  assert.deepEqual([await labels(asha), await labels(ben)], [['A*'], ['C*']])
})

test('concurrent writes leave exactly one default', async () => {
  const asha = await newAsha()
  const first = await Promise.all(Array.from({ length: 6 }, (_, i) => add(asha, { label: `${i}`, isDefault: i > 2 })))
  for (const { status, text } of first) assert.equal(status, 201, text)
  const ids = first.map(({ json }) => json.id as string)
  const later = await Promise.all([
    ...ids.slice(0, 4).map((id) => change(asha, id, { isDefault: true })),
    ...ids.slice(4).map((id) => remove(asha, id)),
    add(asha, { isDefault: true }),
  ])
  for (const { status, text } of later) assert.ok(status < 300, text)
  const left = await listed(asha)
  assert.equal(left.length, 5)
  assert.equal(left.filter(({ isDefault }) => isDefault).length, 1)
})

test('when the default and the newest address are removed concurrently, another one becomes the default', async () => {
  const shop = await newStore(service)
  // Several customers, because the two requests do not overlap every time.
  const customers = await Promise.all(Array.from({ length: 6 }, () => newCustomer(service, shop)))
  for (const who of customers) {
    const [a, , c] = [
      await added(who, { label: 'A' }),
      await added(who, { label: 'B' }),
      await added(who, { label: 'C' }),
    ]
    const removed = await Promise.all([remove(who, a.id), remove(who, c.id)])
    assert.deepEqual(
      removed.map(({ status }) => status),
      [204, 204],
    )
    assert.deepEqual(await labels(who), ['B*'])
  }
})

test('a customer has at most fifty addresses, also with concurrent adds', async () => {
  const shop = await newStore(service)
  const asha = await newCustomer(service, shop)
  const { id } = await added(asha)
  await service.db.run`
    insert into address select (jsonb_populate_record(a, jsonb_build_object('id', 'addr_' || n, 'is_default', false))).*
    from address a, generate_series(1, 48) n where a.id = ${id}`
  const answers = await Promise.all([add(asha), add(asha), add(asha)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
  assert.equal((await listed(asha)).length, 50)
  const refused = await add(asha)
  assertError(refused, 409, 'CONFLICT')
  assert.match(refused.json.error, /50/)
})

test('the same Idempotency-Key adds one address, also concurrently, and another body is refused', async () => {
  const asha = await newAsha()
  const key = { 'idempotency-key': 'one' }
  const [first, second] = await Promise.all([add(asha, {}, key), add(asha, {}, key)])
  const third = await add(asha, {}, key)
  for (const { status, json } of [second, third]) {
    assert.equal(status, 201)
    assert.deepEqual(json, first.json)
  }
  assertError(await add(asha, { city: 'Mysuru' }, key), 409, 'CONFLICT')
  assert.equal((await listed(asha)).length, 1)
  await asha.call('DELETE', `/v1/customer/addresses/${first.json.id}`)
  assertError(await add(asha, {}, key), 404, 'NOT_FOUND')
  assert.equal((await listed(asha)).length, 0)
})
