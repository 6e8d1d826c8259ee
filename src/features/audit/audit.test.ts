import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { jsonBody, newStaff } from '../../../test/admin-callers.ts'
import { newStore, serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { commandLine, compareFields, recordChange } from './record.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

type Entry = Record<string, never> & { action: string; actorId: string; changes: Record<string, unknown> }

const shopWithOwner = async (on = service) => {
  const shop = await newStore(on)
  const owner = await newStaff(on, shop)
  const list = async (query = '') => (await owner.inStore('GET', `/audit${query}`)).json
  return { shop, owner, list }
}

test('a change is in the audit log with its author, its request and its fields before and after', async () => {
  const { shop, owner, list } = await shopWithOwner()
  const person = await newStaff(service, shop, 'viewer')
  await owner.inStore('PATCH', `/staff/${person.id}`, { role: 'manager' }, { 'x-request-id': 'request-7' })
  const [entry] = (await list('?action=staff.updated')).data
  assert.equal(entry.actorKind, 'staff')
  assert.equal(entry.actorId, owner.id)
  assert.equal(entry.actorName, 'Meera')
  assert.equal(entry.clientAddress, '127.0.0.1')
  assert.equal(entry.requestId, 'request-7')
  assert.deepEqual([entry.resource, entry.resourceId], ['staff', person.id])
  assert.deepEqual(entry.changes, { role: { before: 'viewer', after: 'manager' } })
})

test('a change that fails or changes nothing leaves no entry', async () => {
  const { owner, list } = await shopWithOwner()
  const before = (await list()).total
  await owner.inStore('PATCH', `/staff/${owner.id}`, { role: 'owner' })
  await owner.inStore('PATCH', `/staff/${owner.id}`, { role: 'viewer' })
  await owner.inStore('DELETE', '/tokens/tok_unknown')
  assert.equal((await list()).total, before)
})

test('sign-ins, failed ones too, and changes of credentials are in the log of each store of the person', async () => {
  const { shop, owner, list } = await shopWithOwner()
  const other = await shopWithOwner()
  await other.owner.inStore('POST', '/staff', { email: owner.email, role: 'viewer' })
  const send = (password: string) =>
    service.call('/admin/v1/session', { method: 'POST', ...jsonBody({ email: owner.email, password }) })
  await send('a wrong password')
  await owner.call('POST', '/staff/me/password', { currentPassword: 'a good password', password: 'another password' })
  assert.equal((await owner.call('PATCH', '/staff/me', { name: 'Meera Iyer' })).json.staff.name, 'Meera Iyer')
  for (const read of [list, other.list]) {
    const actions = (await read(`?actor=${owner.id}`)).data.map(({ action }: Entry) => action)
    assert.ok(actions.includes('session.refused'), actions.join())
    assert.ok(actions.includes('staff.password_changed'), actions.join())
    assert.ok(actions.includes('staff.updated'), actions.join())
  }
  assert.ok((await list('?resource=session')).total >= 2)
  const text = JSON.stringify((await list('?limit=100')).data)
  for (const secret of ['a good password', 'another password', 'a wrong password', 'argon2']) {
    assert.ok(!text.includes(secret))
  }
  assert.ok(text.includes(shop.storeId) === false)
})

test('commands are in the log as such', async () => {
  const { list } = await shopWithOwner()
  const [entry] = (await list('?actor=command')).data
  assert.equal(entry.actorKind, 'command')
  assert.equal(entry.action, 'staff.created')
})

test('the log is paged, newest first, and counted', async () => {
  const { shop, owner, list } = await shopWithOwner()
  const store = await shop.load()
  await service.db.tx(async (tx) => {
    for (let n = 0; n < 30; n++) recordChange(tx, store, commandLine, { action: 'thing.made', id: `thing_${n}` })
  })
  const seen: string[] = []
  let cursor = ''
  do {
    const page = await list(`?resource=thing&limit=7${cursor}`)
    assert.deepEqual([page.total, page.totalIsExact], [30, true])
    seen.push(...page.data.map(({ resourceId }: { resourceId: string }) => resourceId))
    cursor = page.hasMore ? `&cursor=${page.nextCursor}` : ''
  } while (cursor !== '')
  assert.equal(new Set(seen).size, 30)
  const first = await list('?resource=thing&limit=7')
  const stolen = await owner.inStore('GET', `/audit?resource=other&cursor=${first.nextCursor}`)
  assert.equal(stolen.status, 400, 'a cursor belongs to its filters')
})

test('days are those of the time zone of the store', async (t) => {
  const own = await serviceFor(t, { passwords: cheapPasswords })
  const { list } = await shopWithOwner(own)
  const today = Temporal.Instant.fromEpochMilliseconds(own.clock.now()).toZonedDateTimeISO('Asia/Kolkata').toPlainDate()
  const count = async (from: string, to: string) => (await list(`?from=${from}&to=${to}`)).total
  assert.ok((await count(String(today.subtract({ days: 1 })), String(today.add({ days: 1 })))) > 0)
  assert.equal(await count(String(today.add({ days: 1 })), String(today.add({ days: 2 }))), 0)
  assert.equal(await count('2020-01-01', String(today.subtract({ days: 2 }))), 0)
  assert.equal((await list('?from=tomorrow')).code, 'BAD_REQUEST')
  assert.equal((await list('?from=2026-02-30')).code, 'BAD_REQUEST')
})

test('the log is exported as CSV, all of what the filters find', async () => {
  const { shop, owner } = await shopWithOwner()
  const store = await shop.load()
  await service.db.tx(async (tx) => {
    for (let n = 0; n < 1_203; n++) {
      recordChange(tx, store, commandLine, {
        ...{ action: 'thing.made', id: `thing_${n}` },
        changes: { name: { before: null, after: '=1+1, "quoted"' } },
      })
    }
  })
  const answer = await owner.inStore('GET', '/audit?resource=thing&format=csv')
  assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"$/)
  const lines = answer.text.trimEnd().split('\r\n')
  assert.equal(lines[0], 'id,at,actorKind,actorId,actorName,clientAddress,requestId,action,resource,resourceId,changes')
  assert.equal(lines.length, 1_204)
  assert.equal(new Set(lines.map((line) => line.split(',')[9])).size, 1_204)
})

test('fields that are equal are no change, however they are written', () => {
  const changes = compareFields({ a: 1, b: [1, 2], c: 'x' }, { a: 1, b: [1, 2], c: 'y', d: null })
  assert.deepEqual(changes, { c: { before: 'x', after: 'y' }, d: { before: null, after: null } })
})
