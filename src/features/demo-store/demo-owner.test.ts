import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { cookieOf, jsonBody, newStaff } from '../../../test/admin-callers.ts'
import { assertError, newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { makeStaffLink } from '../staff/links.ts'
import { makeDemoSignIn } from './demo-owner.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? ''
const enter = (token: string, headers: Record<string, string> = {}) =>
  service.call('/admin/v1/session/link', {
    ...{ method: 'POST', body: JSON.stringify({ token }), headers: { 'content-type': 'application/json', ...headers } },
  })

test('the link of a start signs in as the owner once, and ends with the next start', async () => {
  const shop = await newStore(service)
  const store = await shop.load()
  const services = service.app.services
  const first = tokenOf(await makeDemoSignIn(services, store))
  const link = await makeDemoSignIn(services, store)
  assert.match(link, /\/admin\/sign-in\?token=stl_\w+$/)
  assertError(await enter(first), 410, 'GONE')
  const answers = await Promise.all(Array.from({ length: 8 }, () => enter(tokenOf(link))))
  const [entered, ...others] = answers.sort((a, b) => a.status - b.status)
  assert.ok(entered)
  assert.equal(entered.status, 200, entered.text)
  for (const other of others) assertError(other, 410, 'GONE')
  const own = entered.json.stores.filter(({ id }: { id: string }) => id === shop.storeId)
  assert.deepEqual([own.length, own[0].role], [1, 'owner'])
  const cookie = cookieOf(entered)
  const staff = await service.call(`/admin/v1/stores/${shop.storeId}/staff`, { headers: { cookie } })
  assert.equal(staff.status, 200, staff.text)
})

test('a link that signs in sets no password, and the other way round', async () => {
  const shop = await newStore(service)
  const link = await makeDemoSignIn(service.app.services, await shop.load())
  const password = { token: tokenOf(link), password: 'a good password' }
  assertError(await service.call('/admin/v1/password', { method: 'POST', ...jsonBody(password) }), 410, 'GONE')
  const { id } = await newStaff(service, shop)
  const token = await service.db.tx((tx) => makeStaffLink(tx, id))
  assertError(await enter(token), 410, 'GONE')
  assertError(await enter(tokenOf(link), { origin: 'https://evil.example' }), 403, 'FORBIDDEN')
  assert.equal((await enter(tokenOf(link))).status, 200)
})
