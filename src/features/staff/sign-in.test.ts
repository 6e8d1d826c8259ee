import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { cookieOf, jsonBody, mailedLink, newStaff, ownOrigin, staffPassword } from '../../../test/admin-callers.ts'
import { newStore, serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { hours, minutes, seconds } from '../../core/clock.ts'
import { totpCode, totpStep } from '../../core/totp.ts'
import { serviceAlone } from '../../jobs/fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

const signIn = (body: Record<string, string>, on = service, headers: Record<string, string> = {}) => {
  const sent = jsonBody(body)
  return on.call('/admin/v1/session', { method: 'POST', ...sent, headers: { ...sent.headers, ...headers } })
}

const newPerson = async (on = service) => newStaff(on, await newStore(on))

test('the link of an invitation sets the password, once, and signs in', async (t) => {
  const { service } = await serviceAlone(t, { passwords: cheapPasswords })
  const shop = await newStore(service)
  const owner = await newStaff(service, shop)
  const added = await owner.inStore('POST', '/staff', { email: 'New@Person.example ', role: 'viewer' })
  assert.deepEqual([added.status, added.json.link], [201, null])
  const url = new URL(await mailedLink(service, 'new@person.example', 'staff.invitation'))
  assert.equal(`${url.origin}${url.pathname}`, 'http://vitrine.test/admin/set-password')
  const token = url.searchParams.get('token')
  const set = () =>
    service.call('/admin/v1/password', { method: 'POST', ...jsonBody({ token, password: staffPassword }) })
  const answers = await Promise.all([set(), set(), set()])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 410, 410])
  const signedIn = await signIn({ email: 'new@person.example', password: staffPassword }, service)
  assert.equal(signedIn.status, 200)
  assert.equal(signedIn.json.staff.email, 'new@person.example')
  assert.deepEqual(
    signedIn.json.stores.map(({ id, role }: { id: string; role: string }) => [id, role]),
    [[shop.storeId, 'viewer']],
  )
  assert.ok(!signedIn.json.stores[0].permissions.includes('audit:read'))
})

test('a link works for a day', async (t) => {
  const { service: own } = await serviceAlone(t, { passwords: cheapPasswords })
  const owner = await newPerson(own)
  await owner.inStore('POST', '/staff', { email: 'late@person.example', role: 'viewer' })
  const link = await mailedLink(own, 'late@person.example', 'staff.invitation')
  const token = new URL(link).searchParams.get('token')
  own.clock.advance(hours(24) + seconds(1))
  const answer = await own.call('/admin/v1/password', {
    method: 'POST',
    ...jsonBody({ token, password: 'a password' }),
  })
  assert.equal(answer.status, 410)
})

test('the cookie is kept from scripts, other sites and plain connections', async (t) => {
  const { email } = await newPerson()
  const answer = await signIn({ email, password: staffPassword })
  const [, ...attributes] = (answer.headers.get('set-cookie') ?? '').split('; ')
  assert.deepEqual(attributes, ['Path=/admin', 'HttpOnly', 'SameSite=Strict', 'Max-Age=43200'])
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const production = await serviceFor(t, { production: true, passwords: cheapPasswords })
  const secured = await signIn({ email, password: staffPassword }, production)
  assert.match(secured.headers.get('set-cookie') ?? '', /; Secure$/)
})

test('a wrong password and an unknown address have the same answer', async () => {
  const { email } = await newPerson()
  const wrong = await signIn({ email, password: 'another password' })
  const unknown = await signIn({ email: 'nobody@staff.example', password: 'another password' })
  assert.equal(wrong.status, 401)
  assert.equal(unknown.status, 401)
  assert.equal(wrong.text, unknown.text)
})

test('ten failures in fifteen minutes lock the address, also when they come at once', async (t) => {
  const own = await serviceFor(t, { passwords: cheapPasswords })
  const { email } = await newPerson(own)
  const guess = () => signIn({ email, password: 'another password' }, own)
  const statuses = (await Promise.all(Array.from({ length: 14 }, guess))).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 401).length, 10)
  assert.equal(statuses.filter((status) => status === 429).length, 4)
  const right = await signIn({ email, password: staffPassword }, own)
  assert.equal(right.status, 429)
  assert.ok(Number(right.headers.get('retry-after')) > 800)
  own.clock.advance(minutes(15) + seconds(1))
  assert.equal((await signIn({ email, password: staffPassword }, own)).status, 200)
})

test('a session ends twelve hours after its last use', async (t) => {
  const own = await serviceFor(t, { passwords: cheapPasswords })
  const person = await newPerson(own)
  own.clock.advance(hours(11))
  const used = await person.call('GET', '/session')
  assert.equal(used.status, 200)
  assert.match(used.headers.get('set-cookie') ?? '', /Max-Age=43200/)
  assert.ok(Date.parse(used.json.expiresAt) > own.clock.now() + hours(12) - minutes(1))
  own.clock.advance(hours(11))
  assert.equal((await person.call('GET', '/session')).status, 200)
  own.clock.advance(hours(12) + seconds(1))
  assert.equal((await person.call('GET', '/session')).status, 401)
})

test('staff see their sessions and end them', async () => {
  const person = await newPerson()
  const other = cookieOf(
    await signIn({ email: person.email, password: staffPassword }, service, { 'user-agent': 'Phone' }),
  )
  const { data } = (await person.call('GET', '/staff/me/sessions')).json
  assert.equal(data.length, 2)
  const [found] = data.filter(({ current }: { current: boolean }) => !current)
  assert.equal(found.userAgent, 'Phone')
  assert.equal((await person.call('DELETE', `/staff/me/sessions/${found.id}`)).status, 204)
  assert.equal((await service.call('/admin/v1/session', { headers: { cookie: other } })).status, 401)
  assert.equal((await person.inStore('GET', '/audit?action=session.ended')).json.data.length, 1)
  const stranger = await newPerson()
  const own = (await person.call('GET', '/staff/me/sessions')).json.data[0]
  assert.equal((await stranger.call('DELETE', `/staff/me/sessions/${own.id}`)).status, 404)
  const signedOut = await person.call('DELETE', '/session')
  assert.equal(signedOut.status, 204)
  assert.match(signedOut.headers.get('set-cookie') ?? '', /^vitrine_staff=; .*Max-Age=0/)
  assert.equal((await person.call('GET', '/session')).status, 401)
})

test('one call ends all other sessions of a person, and is in the audit log', async () => {
  const person = await newPerson()
  const stranger = await newPerson()
  const others = await Promise.all(
    [1, 2, 3].map(async () => cookieOf(await signIn({ email: person.email, password: staffPassword }))),
  )
  const end = () => person.call('DELETE', '/staff/me/sessions')
  // In parallel, each session is counted once.
  const answers = await Promise.all([end(), end(), end()])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  assert.deepEqual(answers.map(({ json }) => json.ended).sort(), [0, 0, 3])
  for (const cookie of others)
    assert.equal((await service.call('/admin/v1/session', { headers: { cookie } })).status, 401)
  assert.equal((await person.call('GET', '/session')).status, 200)
  assert.equal((await stranger.call('GET', '/session')).status, 200)
  const { data } = (await person.inStore('GET', '/audit?action=session.ended')).json
  assert.deepEqual(
    data.map(({ actorId, resource }: Record<string, string>) => [actorId, resource]),
    [[person.id, 'session']],
  )
})

test('of sessions that end each other at the same time one is left', async () => {
  const person = await newPerson()
  const cookies = [
    person.credentials.cookie ?? '',
    ...(await Promise.all(
      [1, 2, 3].map(async () => cookieOf(await signIn({ email: person.email, password: staffPassword }))),
    )),
  ]
  const call = (cookie: string, method: string, path: string) =>
    service.call(`/admin/v1${path}`, { method, headers: { cookie, origin: ownOrigin } })
  const ended = await Promise.all(cookies.map((cookie) => call(cookie, 'DELETE', '/staff/me/sessions')))
  assert.deepEqual(ended.map(({ status }) => status).sort(), [200, 401, 401, 401])
  const left = await Promise.all(cookies.map((cookie) => call(cookie, 'GET', '/session')))
  assert.deepEqual(
    left.map(({ status }) => status),
    ended.map(({ status }) => status),
  )
})

test('a cookie counts only in requests from pages of the own origin', async () => {
  const person = await newPerson()
  const send = (method: string, headers: Record<string, string>) =>
    service.call('/admin/v1/session', { method, headers: { ...person.credentials, ...headers } })
  assert.equal((await send('GET', {})).status, 200)
  assert.equal((await send('GET', { origin: 'https://evil.example' })).status, 403)
  assert.equal((await send('GET', { 'sec-fetch-site': 'cross-site' })).status, 403)
  assert.equal((await send('GET', { 'sec-fetch-site': 'same-site' })).status, 403)
  assert.equal((await send('DELETE', {})).status, 403)
  assert.equal((await send('DELETE', { origin: 'null' })).status, 403)
  assert.equal((await send('DELETE', { origin: 'https://evil.example' })).status, 403)
  assert.equal((await send('DELETE', { origin: ownOrigin })).status, 204)
})

test('pages of other origins can read nothing of the admin API, whatever a store allows', async () => {
  const shop = await newStore(service, { origins: ['https://shop.example'] })
  const person = await newStaff(service, shop)
  for (const method of ['GET', 'OPTIONS']) {
    const answer = await service.call('/admin/v1/session', {
      method,
      headers: { ...person.credentials, origin: 'https://shop.example', 'access-control-request-method': 'GET' },
    })
    assert.ok(answer.status >= 400)
    assert.equal(answer.headers.get('access-control-allow-origin'), null)
  }
})

const startSecondFactor = async (on: TestService, person: Awaited<ReturnType<typeof newPerson>>) => {
  const started = await person.call('POST', '/staff/me/second-factor', { password: staffPassword })
  assert.equal(started.status, 200)
  const { secret, uri } = started.json
  assert.match(uri, /^otpauth:\/\/totp\/Vitrine%3A/)
  const codeAt = (ms: number) => totpCode(secret, totpStep(ms))
  const confirmed = await person.call('POST', '/staff/me/second-factor/confirm', { code: codeAt(on.clock.now()) })
  assert.equal(confirmed.status, 200)
  return { codeAt, recoveryCodes: confirmed.json.recoveryCodes as string[] }
}

test('with a second factor, signing in needs a code, and each code works once', async (t) => {
  const own = await serviceFor(t, { passwords: cheapPasswords })
  const person = await newPerson(own)
  const { codeAt, recoveryCodes } = await startSecondFactor(own, person)
  const credentials = { email: person.email, password: staffPassword }
  const without = await signIn(credentials, own)
  assert.deepEqual([without.status, without.json.code], [401, 'SECOND_FACTOR_REQUIRED'])
  assert.equal(
    (await signIn({ ...credentials, code: codeAt(own.clock.now()) }, own)).status,
    401,
    'it was used already',
  )
  own.clock.advance(seconds(30))
  const code = codeAt(own.clock.now())
  const answers = await Promise.all([1, 2, 3].map(() => signIn({ ...credentials, code }, own)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401])
  assert.equal(recoveryCodes.length, 10)
  const [recovery = ''] = recoveryCodes
  assert.equal((await signIn({ ...credentials, code: recovery.toUpperCase() }, own)).status, 200)
  assert.equal((await signIn({ ...credentials, code: recovery }, own)).status, 401)
  assert.equal((await person.call('GET', '/session')).json.staff.secondFactor, true)
  assert.equal((await person.call('POST', '/staff/me/second-factor/remove', { password: 'wrong' })).status, 400)
  assert.equal((await person.call('POST', '/staff/me/second-factor/remove', { password: staffPassword })).status, 200)
  assert.equal((await signIn(credentials, own)).status, 200)
})

test('codes cannot be guessed, also with the right password in between', async (t) => {
  const own = await serviceFor(t, { passwords: cheapPasswords })
  const person = await newPerson(own)
  await startSecondFactor(own, person)
  const credentials = { email: person.email, password: staffPassword }
  const statuses: number[] = []
  for (let n = 0; n < 12; n++) {
    statuses.push((await signIn({ ...credentials, code: '000000' }, own)).status)
    await signIn(credentials, own)
  }
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429, 429])
})

test('a second factor counts only after one of its codes was confirmed', async () => {
  const person = await newPerson()
  assert.equal((await person.call('POST', '/staff/me/second-factor', { password: 'wrong' })).status, 400)
  assert.equal((await person.call('POST', '/staff/me/second-factor/confirm', { code: '123456' })).status, 409)
  await person.call('POST', '/staff/me/second-factor', { password: staffPassword })
  assert.equal((await person.call('POST', '/staff/me/second-factor/confirm', { code: '000000' })).status, 400)
  assert.equal((await signIn({ email: person.email, password: staffPassword })).status, 200)
})

test('a new password ends the other sessions', async () => {
  const person = await newPerson()
  const other = cookieOf(await signIn({ email: person.email, password: staffPassword }))
  const change = (currentPassword: string) =>
    person.call('POST', '/staff/me/password', { currentPassword, password: 'an even better password' })
  assert.equal((await change('wrong')).status, 400)
  assert.equal((await change(staffPassword)).status, 200)
  assert.equal((await person.call('GET', '/session')).status, 200)
  assert.equal((await service.call('/admin/v1/session', { headers: { cookie: other } })).status, 401)
  assert.equal((await signIn({ email: person.email, password: staffPassword })).status, 401)
  assert.equal((await signIn({ email: person.email, password: 'an even better password' })).status, 200)
})

test('a forgotten password is replaced with a link from a mail, and the answer tells nothing', async (t) => {
  const { service } = await serviceAlone(t, { passwords: cheapPasswords })
  const person = await newPerson(service)
  const forget = (email: string) =>
    service.call('/admin/v1/password/forgot', { method: 'POST', ...jsonBody({ email }) })
  const [known, unknown] = [await forget(person.email), await forget('nobody@staff.example')]
  assert.deepEqual([known.status, known.text], [200, '{}'])
  assert.deepEqual([unknown.status, unknown.text], [200, '{}'])
  const token = new URL(await mailedLink(service, person.email, 'staff.reset')).searchParams.get('token')
  const answer = await service.call('/admin/v1/password', {
    method: 'POST',
    ...jsonBody({ token, password: 'a new password' }),
  })
  assert.equal(answer.status, 200)
  assert.equal((await person.call('GET', '/session')).status, 401, 'the old sessions have ended')
  assert.equal((await signIn({ email: person.email, password: 'a new password' }, service)).status, 200)
})

test('links can be requested five times an hour for an address, known or not', async () => {
  const forget = (email: string) =>
    service.call('/admin/v1/password/forgot', { method: 'POST', ...jsonBody({ email }) })
  const { email } = await newPerson()
  for (const address of [email, 'nobody-else@staff.example']) {
    const statuses = (await Promise.all(Array.from({ length: 7 }, () => forget(address)))).map(({ status }) => status)
    assert.deepEqual(statuses.sort(), [200, 200, 200, 200, 200, 429, 429])
  }
})
