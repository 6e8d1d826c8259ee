import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { jsonBody, mailedLink, newProgram, newStaff } from '../../../test/admin-callers.ts'
import { assertError, newStore, serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { hours, minutes } from '../../core/clock.ts'
import { serviceAlone } from '../../jobs/fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

test('a store never loses its last owner, also when two owners leave at once', async () => {
  const shop = await newStore(service)
  const [asha, ravi] = [await newStaff(service, shop), await newStaff(service, shop)]
  const answers = await Promise.all([
    asha.inStore('DELETE', `/staff/${asha.id}`),
    ravi.inStore('PATCH', `/staff/${ravi.id}`, { role: 'viewer' }),
  ])
  assert.equal(answers.filter(({ status }) => status === 409).length, 1, answers.map(({ text }) => text).join())
  const owners = await service.db
    .many`select from staff_role where store_id = ${(await shop.load()).id} and role = 'owner'`
  assert.equal(owners.length, 1)
})

test('a change of the role counts at once', async () => {
  const shop = await newStore(service)
  const owner = await newStaff(service, shop)
  const person = await newStaff(service, shop, 'manager')
  assert.equal((await person.inStore('GET', '/audit')).status, 200)
  const changed = await owner.inStore('PATCH', `/staff/${person.id}`, { role: 'viewer' })
  assert.deepEqual([changed.status, changed.json.role], [200, 'viewer'])
  assertError(await person.inStore('GET', '/audit'), 403, 'FORBIDDEN')
  assert.equal((await owner.inStore('DELETE', `/staff/${person.id}`)).status, 204)
  assertError(await person.inStore('GET', '/audit'), 403, 'FORBIDDEN')
  assertError(await owner.inStore('DELETE', `/staff/${person.id}`), 404, 'NOT_FOUND')
})

test('one person works for several stores, and no owner of one gets a link to that account', async () => {
  const [first, second] = [await newStore(service), await newStore(service)]
  const person = await newStaff(service, first, 'viewer')
  const owner = await newStaff(service, second)
  const added = await owner.inStore('POST', '/staff', { email: person.email, role: 'support' })
  assert.deepEqual([added.status, added.json.link], [201, null])
  assertError(await owner.inStore('POST', '/staff', { email: person.email, role: 'viewer' }), 409, 'CONFLICT')
  assertError(await owner.inStore('POST', `/staff/${person.id}/invite`), 409, 'CONFLICT')
  const { stores } = (await person.call('GET', '/session')).json
  assert.deepEqual(
    stores.map(({ id, role }: { id: string; role: string }) => [id, role]).sort(),
    [
      [first.storeId, 'viewer'],
      [second.storeId, 'support'],
    ].sort(),
  )
})

test('of several invitations to one address, the last link works', async (t) => {
  const { service } = await serviceAlone(t, { passwords: cheapPasswords })
  const shop = await newStore(service)
  const owner = await newStaff(service, shop)
  const { staffId } = (await owner.inStore('POST', '/staff', { email: 'late@person.example', role: 'viewer' })).json
  const first = await mailedLink(service, 'late@person.example', 'staff.invitation')
  const again = await owner.inStore('POST', `/staff/${staffId}/invite`)
  assert.equal(again.status, 200)
  assert.notEqual(await mailedLink(service, 'late@person.example', 'staff.invitation'), first)
  const token = new URL(first).searchParams.get('token')
  const used = await service.call('/admin/v1/password', {
    method: 'POST',
    ...jsonBody({ token, password: 'a password' }),
  })
  assertError(used, 410, 'GONE')
  const { data } = (await owner.inStore('GET', '/staff')).json
  assert.deepEqual(
    data.map(({ email, status }: { email: string; status: string }) => [email, status]).sort(),
    [
      [owner.email, 'active'],
      ['late@person.example', 'invited'],
    ].sort(),
  )
  await service.app.jobs.runDue()
  const mails = service.mails.filter(({ to }) => to === 'late@person.example')
  assert.equal(mails.length, 2)
  assert.match(mails.at(-1)?.text ?? '', /Meera/)
})

test('without mail an owner sees the link of a new person, and cannot add staff of another store', async (t) => {
  const own = await serviceFor(t, { passwords: cheapPasswords, mailSender: null })
  const [first, second] = [await newStore(own), await newStore(own)]
  const [asha, ravi] = [await newStaff(own, first), await newStaff(own, second)]
  const person = { email: 'new@hire.example', role: 'viewer' }
  const added = await asha.inStore('POST', '/staff', person)
  assert.match(added.json.link, /\/admin\/set-password\?token=stl_/)
  assertError(await ravi.inStore('POST', '/staff', person), 409, 'CONFLICT')
})

test('a token has only its permissions, and only at its store', async () => {
  const [shop, other] = [await newStore(service), await newStore(service)]
  const program = await newProgram(service, shop, { permissions: ['audit:read'] })
  assert.equal((await program.inStore('GET', '/audit')).status, 200)
  assertError(await program.inStore('GET', '/staff'), 403, 'FORBIDDEN')
  assertError(await program.call('GET', `/stores/${other.storeId}/audit`), 403, 'FORBIDDEN')
  assertError(await program.call('GET', '/stores/store_unknown/audit'), 403, 'FORBIDDEN')
  assertError(await program.call('GET', '/session'), 401, 'UNAUTHORIZED')
})

test('nobody grants a permission that they do not have', async () => {
  const shop = await newStore(service)
  const program = await newProgram(service, shop, { permissions: ['secrets:write', 'catalog:read'] })
  const make = (body: unknown) => program.inStore('POST', '/tokens', body)
  assertError(await make({ role: 'owner' }), 400, 'BAD_REQUEST')
  assertError(await make({ permissions: ['orders:refund'] }), 400, 'BAD_REQUEST')
  assertError(await make({ permissions: ['catalog:read'], role: 'viewer' }), 400, 'BAD_REQUEST')
  assertError(await make({}), 400, 'BAD_REQUEST')
  assertError(await make({ permissions: ['catalog:read'], expiresAt: '2020-01-01T00:00:00Z' }), 400, 'BAD_REQUEST')
  assertError(await make({ permissions: ['catalog:read'], expiresAt: 'tomorrow' }), 400, 'BAD_REQUEST')
  const made = await make({ permissions: ['catalog:read'], name: 'Till' })
  assert.equal(made.status, 201)
  assert.match(made.json.token, /^vat_[0-9a-z]{32}$/)
})

test('nobody gives a person, or a link to a person, more permissions than they have', async (t) => {
  const own = await serviceFor(t, { passwords: cheapPasswords, mailSender: null })
  const shop = await newStore(own)
  const owner = await newStaff(own, shop)
  const program = await newProgram(own, shop, { permissions: ['staff:write', 'orders:read', 'orders:fulfil'] })
  const full = await newProgram(own, shop, { role: 'owner' })
  const add = (role: string) => program.inStore('POST', '/staff', { email: `${role}@hire.example`, role })
  for (const role of ['owner', 'manager', 'viewer']) assertError(await add(role), 400, 'BAD_REQUEST')
  const { staffId } = (await owner.inStore('POST', '/staff', { email: 'ravi@hire.example', role: 'owner' })).json
  assertError(await program.inStore('POST', `/staff/${staffId}/invite`), 400, 'BAD_REQUEST')
  assert.equal((await full.inStore('POST', `/staff/${staffId}/invite`)).status, 200)
  const person = await newStaff(own, shop, 'fulfilment')
  assertError(await program.inStore('PATCH', `/staff/${person.id}`, { role: 'owner' }), 400, 'BAD_REQUEST')
  assert.equal((await full.inStore('PATCH', `/staff/${person.id}`, { role: 'owner' })).status, 200)
})

test('a token is shown once, notes its last use, and ends when it is revoked or expires', async (t) => {
  const own = await serviceFor(t, { passwords: cheapPasswords })
  const shop = await newStore(own)
  const owner = await newStaff(own, shop)
  const expiresAt = new Date(own.clock.now() + hours(1)).toISOString()
  const { id, token } = (await owner.inStore('POST', '/tokens', { role: 'viewer', expiresAt })).json
  const use = () =>
    own.call(`/admin/v1/stores/${shop.storeId}/audit`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal((await use()).status, 403, 'a viewer does not read the audit log')
  const listed = (await owner.inStore('GET', '/tokens')).json.data
  assert.deepEqual(Object.keys(listed[0]).sort(), ['createdAt', 'expiresAt', 'id', 'name', 'permissions', 'usedAt'])
  assert.notEqual(listed[0].usedAt, null)
  own.clock.advance(hours(1) + minutes(1))
  assert.equal((await use()).status, 401)
  assert.equal((await owner.inStore('DELETE', `/tokens/${id}`)).status, 204)
  assertError(await owner.inStore('DELETE', `/tokens/${id}`), 404, 'NOT_FOUND')
  const program = await newProgram(own, shop, { role: 'owner' })
  assert.equal((await program.inStore('GET', '/staff')).status, 200)
  await owner.inStore('DELETE', `/tokens/${program.id}`)
  assert.equal((await program.inStore('GET', '/staff')).status, 401)
})

test('guesses at tokens and sessions are limited by client', async (t) => {
  const own = await serviceFor(t)
  const shop = await newStore(own)
  const guess = (n: number) =>
    own.call(`/admin/v1/stores/${shop.storeId}/audit`, {
      headers: { authorization: `Bearer vat_${String(n).padStart(32, '0')}` },
    })
  const statuses = new Set<number>()
  for (let n = 0; n < 400 && !statuses.has(429); n += 20) {
    for (const { status } of await Promise.all(Array.from({ length: 20 }, (_, i) => guess(n + i)))) statuses.add(status)
  }
  assert.deepEqual([...statuses].sort(), [401, 429])
})
