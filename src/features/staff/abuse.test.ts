import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cookieOf, jsonBody, mailedLink, newProgram, newStaff, staffPassword } from '../../../test/admin-callers.ts'
import { assertError, newStore, serviceFor, startWindow, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { hours, minutes, seconds } from '../../core/clock.ts'
import { totpCode, totpStep } from '../../core/totp.ts'
import { serviceAlone } from '../../jobs/fixture.ts'
import { maxStaffSessions } from './sessions.ts'
import { maxTokens } from './tokens.ts'

/** What a person with bad intentions does to accounts of staff, from outside and from another store. */

const signIn = (service: TestService, email: string, password = staffPassword) =>
  service.call('/admin/v1/session', { method: 'POST', ...jsonBody({ email, password }) })

test('one password cannot be tried at many addresses, and people who share a client address still sign in', async (t) => {
  const service = await serviceFor(t, { passwords: cheapPasswords })
  startWindow(service, minutes(15))
  const { email } = await newStaff(service, await newStore(service))
  for (let n = 0; n < 120; n++) assert.equal((await signIn(service, email)).status, 200)
  const guess = (n: number) => signIn(service, `person${n}@staff.example`, 'Summer2026')
  const answers = await Promise.all(Array.from({ length: 110 }, (_, n) => guess(n)))
  assert.equal(answers.filter(({ status }) => status === 401).length, 100)
  assert.equal(answers.filter(({ status }) => status === 429).length, 10)
  assert.ok(Number((await signIn(service, email)).headers.get('retry-after')) > 0)
  service.clock.advance(minutes(15) + seconds(1))
  assert.equal((await signIn(service, email)).status, 200)
})

test('a person has a limited number of sessions, and those used last stay', async (t) => {
  const service = await serviceFor(t, { passwords: cheapPasswords })
  const person = await newStaff(service, await newStore(service))
  const first = cookieOf(await signIn(service, person.email))
  for (let n = 0; n < maxStaffSessions; n++) {
    service.clock.advance(seconds(1))
    assert.equal((await signIn(service, person.email)).status, 200)
  }
  assert.equal((await service.call('/admin/v1/session', { headers: { cookie: first } })).status, 401)
  const last = cookieOf(await signIn(service, person.email))
  const { json } = await service.call('/admin/v1/staff/me/sessions', { headers: { cookie: last } })
  assert.equal(json.data.length, maxStaffSessions)
})

test('a second factor ends the sessions that were opened without it', async (t) => {
  const service = await serviceFor(t, { passwords: cheapPasswords })
  const person = await newStaff(service, await newStore(service))
  const stolen = cookieOf(await signIn(service, person.email))
  const { secret } = (await person.call('POST', '/staff/me/second-factor', { password: staffPassword })).json
  const code = totpCode(secret, totpStep(service.clock.now()))
  assert.equal((await person.call('POST', '/staff/me/second-factor/confirm', { code })).status, 200)
  assert.equal((await service.call('/admin/v1/session', { headers: { cookie: stolen } })).status, 401)
  assert.equal((await person.call('GET', '/session')).status, 200)
})

test('a token cannot take a role away that it could not give', async (t) => {
  const service = await serviceFor(t, { passwords: cheapPasswords })
  const shop = await newStore(service)
  const [owner] = [await newStaff(service, shop), await newStaff(service, shop)]
  const viewer = await newStaff(service, shop, 'viewer')
  const reads = ['catalog:read', 'orders:read', 'customers:read', 'settings:read', 'reports:read']
  const program = await newProgram(service, shop, { permissions: [...reads, 'staff:write'] })
  assertError(await program.inStore('DELETE', `/staff/${owner.id}`), 400, 'BAD_REQUEST')
  assertError(await program.inStore('PATCH', `/staff/${owner.id}`, { role: 'viewer' }), 400, 'BAD_REQUEST')
  assert.equal((await program.inStore('DELETE', `/staff/${viewer.id}`)).status, 204)
})

test('a store has a limited number of tokens', async (t) => {
  const service = await serviceFor(t, { passwords: cheapPasswords })
  const shop = await newStore(service)
  const owner = await newStaff(service, shop)
  const { id: storeId } = await shop.load()
  const make = () => owner.inStore('POST', '/tokens', { permissions: ['orders:read'] })
  await service.db.run`
    insert into admin_token (store_id, id, name, token_hash, permissions, created_at)
    select ${storeId}, 'tok_' || n, '', ${shop.storeId} || n, '{orders:read}', vitrine_now()
    from generate_series(3, ${maxTokens}::integer) n`
  const statuses = (await Promise.all(Array.from({ length: 8 }, make))).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [201, 201, ...Array(6).fill(409)])
  assertError(await make(), 409, 'CONFLICT')
  assert.equal((await owner.inStore('DELETE', '/tokens/tok_3')).status, 204)
  assert.equal((await make()).status, 201)
})

test('a store cannot send mail to any number of addresses, nor to one any number of times', async (t) => {
  const { service } = await serviceAlone(t, { passwords: cheapPasswords })
  startWindow(service, hours(1))
  const owner = await newStaff(service, await newStore(service))
  const invite = (n: number) => owner.inStore('POST', '/staff', { email: `new${n}@person.example`, role: 'viewer' })
  const { staffId } = (await invite(0)).json
  for (let n = 1; n < 49; n++) assert.equal((await invite(n)).status, 201)
  assert.equal((await owner.inStore('POST', `/staff/${staffId}/invite`)).status, 200)
  assertError(await owner.inStore('POST', `/staff/${staffId}/invite`), 429, 'RATE_LIMITED')
  assertError(await invite(50), 429, 'RATE_LIMITED')
})

test('a store that adds the account of someone else does not get its letterhead on their mail', async (t) => {
  const { service } = await serviceAlone(t, { passwords: cheapPasswords })
  const person = await newStaff(service, await newStore(service))
  const other = await newStore(service)
  const stranger = await newStaff(service, other)
  await stranger.inStore('PATCH', '/settings', { name: 'AAA first', mail: { replyTo: 'stranger@evil.example' } })
  service.clock.advance(seconds(1))
  assert.equal((await stranger.inStore('POST', '/staff', { email: person.email, role: 'viewer' })).status, 201)
  await service.call('/admin/v1/password/forgot', { method: 'POST', ...jsonBody({ email: person.email }) })
  await mailedLink(service, person.email, 'staff.reset')
  const mail = service.mails.findLast(({ to, name }) => to === person.email && name === 'staff.reset')
  assert.ok(mail)
  assert.doesNotMatch(JSON.stringify(mail), /AAA first|evil/)
})
