import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adminContracts } from '../src/contract.ts'
import { type AdminEndpoint, permissionsOf, roles } from '../src/features/access/admin.contract.ts'
import { newProgram, newStaff, ownOrigin } from './admin-callers.ts'
import { newStore, startTestService, type TestService, type TestStore } from './harness.ts'
import { newCustomer } from './shoppers.ts'
import { cheapPasswords } from './world.ts'

/** Walks every kind of caller over every endpoint of the admin API. New endpoints join by themselves. */
const endpoints = adminContracts.flatMap((contract) =>
  Object.entries(contract as Record<string, AdminEndpoint>).map(([name, endpoint]) => ({ name, ...endpoint })),
)
const ofStore = endpoints.filter(({ access }) => access === 'store')
const ofStaff = endpoints.filter(({ access }) => access === 'staff')

let service: TestService
let shop: TestStore
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
  shop = await newStore(service)
  // The owner that the store keeps, whatever the calls below remove.
  await newStaff(service, shop)
})
after(() => service.close())

/** Without a body where one is needed: access is judged before it, so a caller who may call gets 400 or 404. */
const send = ({ method, path }: AdminEndpoint, headers: Record<string, string>) =>
  service.call(path.replace('{storeId}', shop.storeId).replaceAll(/\{\w+\}/g, 'unknown'), {
    method,
    headers: { origin: ownOrigin, ...headers },
  })

const isAdmitted = (status: number) => status !== 401 && status !== 403

test('every endpoint of a store has its permission, and the path names the store', () => {
  assert.ok(ofStore.length > 5)
  for (const { name, path, permission } of ofStore) {
    assert.ok(permission, name)
    assert.ok(path.startsWith('/admin/v1/stores/{storeId}/'), `${name}: ${path}`)
  }
})

for (const role of roles) {
  test(`${role}: exactly the endpoints that the role allows`, async () => {
    const person = await newStaff(service, shop, role)
    const program = await newProgram(service, shop, { role })
    for (const endpoint of ofStore) {
      const { permission, orPermission } = endpoint
      const isAllowed = permissionsOf[role].some((name) => name === permission || name === orPermission)
      for (const caller of [person, program]) {
        const { status, text } = await send(endpoint, caller.credentials)
        assert.equal(isAdmitted(status), isAllowed, `${endpoint.name}: ${status} ${text}`)
        if (!isAllowed) assert.equal(status, 403, endpoint.name)
        assert.ok(status < 500, `${endpoint.name}: ${text}`)
      }
    }
  })
}

test('strangers, shoppers and store keys are nobody here', async () => {
  const customer = await newCustomer(service, shop)
  const { key } = await shop.newKey()
  const strangers: Record<string, string>[] = [
    {},
    { 'x-store-key': key },
    { authorization: `Bearer ${key}` },
    { authorization: `Bearer ${customer.token}`, 'x-store-key': key },
    { authorization: 'Basic YTpi' },
    { authorization: 'Bearer vat_' },
    { cookie: 'vitrine_staff=' },
    { cookie: 'vitrine_staff=sst_00000000000000000000000000000000' },
  ]
  for (const endpoint of [...ofStore, ...ofStaff]) {
    for (const headers of strangers.slice(0, 5)) {
      assert.equal((await send(endpoint, headers)).status, 401, `${endpoint.name} ${JSON.stringify(headers)}`)
    }
  }
  const [endpoint] = ofStore
  assert.ok(endpoint)
  for (const headers of strangers) assert.equal((await send(endpoint, headers)).status, 401, JSON.stringify(headers))
})

test('staff and tokens of another store get 403 everywhere', async () => {
  const other = await newStore(service)
  const [owner, program] = [await newStaff(service, other), await newProgram(service, other)]
  for (const endpoint of ofStore) {
    for (const caller of [owner, program]) {
      assert.equal((await send(endpoint, caller.credentials)).status, 403, endpoint.name)
    }
  }
})

test('a token is no person: it cannot use what belongs to one', async () => {
  const program = await newProgram(service, shop, { role: 'owner' })
  for (const endpoint of ofStaff) assert.equal((await send(endpoint, program.credentials)).status, 401, endpoint.name)
})

test('every change with a cookie needs our own origin', async () => {
  const person = await newStaff(service, shop)
  for (const endpoint of [...ofStore, ...ofStaff].filter(({ method }) => method !== 'GET')) {
    for (const origin of ['https://evil.example', 'null', '']) {
      const { status } = await send(endpoint, { ...person.credentials, origin })
      assert.equal(status, 403, `${endpoint.name} from "${origin}"`)
    }
  }
})
