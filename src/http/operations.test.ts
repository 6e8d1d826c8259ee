import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { fail } from '../core/errors.ts'
import { bindRoutes, type Door } from './door.ts'
import { type Endpoint, endpointOf, type Family } from './endpoint.ts'
import { openDoor, openEndpoint, openRoutes } from './fixture.ts'
import { describeApi } from './openapi.ts'
import { createOperations, invoke } from './operations.ts'

const shared = { tag: 'Test', summary: 'A test', access: 'public' } as const
const Thing = Type.Object({ id: Type.String(), size: Type.Number() })

const contract = {
  showThing: openEndpoint({
    ...{ ...shared, method: 'GET', path: '/things/{id}' },
    params: Type.Object({ id: Type.String({ maxLength: 5 }) }),
    query: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, default: 20 })) }),
    ok: Thing,
  }),
  changeThing: openEndpoint({
    ...{ ...shared, method: 'PATCH', path: '/things/{id}', invalidInput: 422 },
    body: Type.Object({ size: Type.Integer(), tags: Type.Optional(Type.Array(Type.String(), { default: [] })) }),
    ok: null,
    okStatus: 204,
  }),
}

const calls: unknown[] = []
const routes = openRoutes(contract, {
  showThing: ({ params, query }) => {
    calls.push({ params, query })
    return { body: { id: params.id, size: 1, secret: 'a new column' }, headers: { etag: 'x' } }
  },
  changeThing: ({ body }) => {
    calls.push(body)
    return { body: null }
  },
})
const operations = createOperations(routes, [openDoor])
const show = operations.find(contract, 'showThing')
const change = operations.find(contract, 'changeThing')

test('operations are found by the name of their route', () => {
  assert.deepEqual(
    operations.all.map(({ name }) => name),
    ['showThing', 'changeThing'],
  )
  assert.equal(operations.named('showThing'), show)
  assert.equal(operations.named('toString'), undefined)
  const other = { showThing: openEndpoint({ ...shared, method: 'GET', path: '/other', ok: null }) }
  assert.throws(() => operations.find(other, 'showThing'), /no operation answers showThing/)
})

test('a family without a door and a duplicate name are errors at start', () => {
  assert.throws(() => createOperations(routes, []), /the family test of showThing has no door/)
  assert.throws(() => createOperations([...routes, ...routes], [openDoor]), /two operations are named showThing/)
})

test('an answer has declared fields only, the status of the endpoint and the headers of the handler', async () => {
  assert.deepEqual(await invoke(show, {}, { params: { id: 'a' } }), {
    ...{ status: 200, headers: { etag: 'x' } },
    body: { id: 'a', size: 1 },
  })
  assert.deepEqual(await invoke(change, {}, { body: { size: 1 } }), { status: 204, headers: {}, body: null })
})

test('params and query are converted, bodies are taken literally, and the input of the caller is not modified', async () => {
  const input = { params: { id: 'a' }, query: { limit: '3', utm_source: 'x' }, body: undefined }
  await invoke(show, {}, input)
  assert.deepEqual(calls.at(-1), { params: { id: 'a' }, query: { limit: 3 } })
  assert.deepEqual(input.query, { limit: '3', utm_source: 'x' })
  await invoke(show, {}, { params: { id: 'a' } })
  assert.deepEqual(calls.at(-1), { params: { id: 'a' }, query: { limit: 20 } })
  const body = { size: 2 }
  await invoke(change, {}, { body })
  assert.deepEqual([calls.at(-1), body], [{ size: 2, tags: [] }, { size: 2 }])
})

test('invalid input is refused with the same message and code as over HTTP', async () => {
  const refused: [Promise<unknown>, code: string, message: string][] = [
    [invoke(show, {}, { params: { id: 'longer' } }), 'BAD_REQUEST', 'id must have at most 5 characters.'],
    [invoke(show, {}, {}), 'BAD_REQUEST', 'id is required.'],
    [invoke(show, {}, { params: { id: 'a' }, query: { limit: 0 } }), 'BAD_REQUEST', 'limit must be >= 1.'],
    [invoke(change, {}, {}), 'UNPROCESSABLE_ENTITY', 'A JSON object is required as the body.'],
    [invoke(change, {}, { body: { size: '2' } }), 'UNPROCESSABLE_ENTITY', 'size must be an integer.'],
    [
      invoke(change, {}, { body: { size: 2, tags: ['\0'] } }),
      ...(['BAD_REQUEST', 'Text must not contain NUL characters or lone surrogates.'] as const),
    ],
    [
      invoke(show, {}, { params: { id: '\ud800' } }),
      ...(['BAD_REQUEST', 'Text must not contain NUL characters or lone surrogates.'] as const),
    ],
  ]
  for (const [call, code, message] of refused) await assert.rejects(call, { name: 'Failure', code, message })
})

/** A family as the admin API will declare one. Everything about it is here; nothing in http/ depends on it. */
const permissions = ['catalog:read', 'catalog:write'] as const
type StaffRights = { access: 'staff'; permission: (typeof permissions)[number] }
type StaffEndpoint = Endpoint & StaffRights
const staff: Family<'staff'> = {
  name: 'staff',
  securitySchemes: { staffToken: { type: 'http', scheme: 'bearer' } },
  parameters: {},
  headers: { 'x-staff': { schema: { type: 'string' }, description: 'The caller' } },
  describe: ({ permission }: StaffEndpoint) => ({
    note: `Needs the permission \`${permission}\`.`,
    security: [{ staffToken: [] }],
    parameters: [],
    headers: ['x-staff'],
    codes: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
}
const staffEndpoint = endpointOf<StaffRights>()(staff)
const staffContract = {
  listThings: staffEndpoint({
    ...{ method: 'GET', path: '/admin/things', tag: 'Test', summary: 'A test' },
    ...{ access: 'staff', permission: 'catalog:read' },
    ok: Type.Array(Thing),
  }),
}
type StaffCtx = { permissions: readonly string[] }

test('a new family defines its own access, permissions and description', async () => {
  const staffRoutes = bindRoutes<'staff', { staff: StaffCtx }>()(staffContract, {
    listThings: ({ ctx }) => ({ body: [{ id: ctx.permissions.join(), size: 1 }] }),
  })
  const door: Door = {
    family: staff,
    admit: () => ({ cacheStore: 0, cacheScope: 0 }),
    authorize: (ctx, { permission }: StaffEndpoint) => {
      if (!(ctx as StaffCtx).permissions.includes(permission)) throw fail('FORBIDDEN')
    },
  }
  const all = createOperations([...routes, ...staffRoutes], [openDoor, door])
  const list = all.find(staffContract, 'listThings')
  assert.deepEqual((await invoke(list, { permissions: ['catalog:read'] })).body, [{ id: 'catalog:read', size: 1 }])
  await assert.rejects(invoke(list, { permissions: ['catalog:write'] }), { code: 'FORBIDDEN' })
  const about = { title: 'T', version: '1', description: '', tags: {} }
  const { paths, components } = JSON.parse(JSON.stringify(describeApi([contract, staffContract], about)))
  const described = paths['/admin/things'].get
  assert.equal(described.description, 'Needs the permission `catalog:read`.')
  assert.deepEqual(described.security, [{ staffToken: [] }])
  assert.deepEqual(Object.keys(described.responses), ['200', '400', '401', '403'])
  assert.deepEqual(Object.keys(described.responses[200].headers), ['x-request-id', 'x-staff'])
  assert.deepEqual(
    [Object.keys(components.securitySchemes), components.headers['x-staff'].description],
    [['staffToken'], 'The caller'],
  )
})

test('an endpoint with an access or a permission that its family does not have does not compile', () => {
  type Declares = Parameters<typeof staffEndpoint>[0]
  type Compiles<Rights> = Rights extends Pick<Declares, 'access' | 'permission'> ? true : false
  const compiles: [
    Compiles<{ access: 'staff'; permission: 'catalog:read' }>,
    Compiles<{ access: 'staff'; permission: 'catalog:burn' }>,
    Compiles<{ access: 'staff' }>,
    Compiles<{ access: 'public'; permission: 'catalog:read' }>,
  ] = [true, false, false, false]
  assert.equal(compiles.length, 4)
})
