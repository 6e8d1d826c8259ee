import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { createAnswerCache } from './cached-answers.ts'
import { createFindRead } from './fast-reads.ts'
import { openDoor, openEndpoint, openRoutes } from './fixture.ts'
import { createOperations } from './operations.ts'

const read = { method: 'GET', tag: 'Test', summary: 'A test', access: 'public', cached: true } as const
const ok = Type.Unsafe<unknown>({})
const params = Type.Object({ id: Type.String({ maxLength: 5 }) })

const contract = {
  list: openEndpoint({
    ...{ ...read, path: '/v1/things', ok },
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, default: 20 })),
      q: Type.Optional(Type.String()),
    }),
  }),
  show: openEndpoint({ ...read, path: '/v1/things/{id}', params, ok }),
  parts: openEndpoint({ ...read, path: '/v1/things/{id}/parts', params, ok }),
  own: openEndpoint({ ...{ ...read, cached: false }, path: '/v1/things/own', ok }),
  private: openEndpoint({ ...{ ...read, cached: false }, path: '/v1/private', ok }),
}
const echo = ({ params, query }: { params: unknown; query: unknown }) => ({ body: { params, query } })
const routes = openRoutes(contract, { list: echo, show: echo, parts: echo, own: echo, private: echo })
const { all } = createOperations(routes, [openDoor])
let isOverloaded = false
const findRead = createFindRead(all, createAnswerCache({ maxBytes: 100_000, maxAgeMs: 1_000 }), () => isOverloaded)
const ctx = { cacheStore: 1, cacheScope: 1 }

const answerOf = async (url: string) => {
  const answer = await findRead(url)?.start(ctx)?.()
  return answer && JSON.parse(answer.text)
}

test('a read is found by its path and gets checked input', async () => {
  assert.deepEqual(await answerOf('/v1/things'), { params: {}, query: { limit: 20 } })
  assert.deepEqual(await answerOf('/v1/things?limit=3&q=a+b%C3%A9&other=1'), {
    params: {},
    query: { limit: 3, q: 'a bé' },
  })
  assert.deepEqual(await answerOf('/v1/things/a-1?limit=3'), { params: { id: 'a-1' }, query: { limit: '3' } })
})

test('what has to be decoded, is no cached read, or has invalid input is left to Fastify', async () => {
  for (const url of [
    ...['/v1/things/', '/v1/things/%61', '/v1/things/a/', '/v1/things/a;b', '/v1/things#a', '/v1/things/a#?limit=1'],
    ...['/v1/things/own', '/v1/private', '/v1/things/a/parts', '/v1/Things', '/v1', '/v1/things/é', '/v1//things'],
  ])
    assert.equal(findRead(url), undefined, url)
  for (const url of ['/v1/things/longer', '/v1/things?limit=0', '/v1/things?limit=1&limit=2', '/v1/things?q=%00'])
    assert.equal(findRead(url)?.start(ctx), undefined, url)
})

test('requests for one URL share a read', async () => {
  const reads = ['/v1/things?q=same', '/v1/things?q=same'].map((url) => findRead(url)?.start(ctx)?.())
  const [one, another] = await Promise.all(reads)
  assert.equal(one, another)
})

test('an overloaded process leaves reads to Fastify, which refuses them', () => {
  isOverloaded = true
  assert.equal(findRead('/v1/things'), undefined)
  isOverloaded = false
  assert.ok(findRead('/v1/things'))
})
