import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { takeThird } from './combinations.ts'
import { startTestService, type TestService } from './harness.ts'
import { oddTexts, spotsOf, typesOf } from './spoilt-bodies.ts'
import {
  addressOf,
  assertDocumented,
  cheapPasswords,
  describe,
  fewAtOnce,
  guarded,
  headersOf,
  openWorld,
  type Prepared,
  prepare,
  rowsOf,
  type World,
} from './world.ts'

/** Text that is valid by its schema and nothing that anybody should type, in every field of every body. */
let service: TestService
let world: World
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
  world = await openWorld(service)
})
after(() => service.close())

/** A conflict is with another call of the same moment, and says nothing about the text. */
const isRefused = async (call: Prepared, body: string) => {
  const sent = { method: call.endpoint.method, headers: headersOf(call), body }
  const answer = await service.call(addressOf(call), sent)
  assertDocumented(call.endpoint, answer)
  return answer.status >= 400 && answer.json.code !== 'CONFLICT'
}

test('odd text is text like any other in every field of a body, and what is refused has changed nothing', async () => {
  const withBody = guarded.filter(({ body }) => body !== undefined)
  assert.ok(withBody.length > 0)
  const tried = new Map<object, string>()
  for (const endpoint of withBody) {
    const call = await prepare(world, endpoint)
    const bodies = spotsOf(call).flatMap(({ shape, write }) => {
      if (shape.type !== undefined && !typesOf(shape).includes('string')) return []
      const longest = ['x', '🫖', '1'].map((letter) => letter.repeat(shape.maxLength ?? 1))
      const texts = [...oddTexts, ...longest]
      // The same field of another endpoint, such as the city of an address, has met all of them there.
      const isKnown = (tried.get(shape) ?? endpoint.name) !== endpoint.name
      tried.set(shape, tried.get(shape) ?? endpoint.name)
      return (isKnown ? texts.slice(-2) : takeThird('texts', texts)).map((text) => write(JSON.stringify(text)))
    })
    if (bodies.length === 0) continue
    const refused: string[] = []
    await fewAtOnce(bodies, async (body) => {
      if (await isRefused(call, body)) refused.push(body)
    })
    // Again without those that were taken, which may well change something.
    const before = await rowsOf(world)
    for (const body of refused) assert.ok(await isRefused(call, body), `${describe(endpoint)} takes ${body} after all`)
    const isSame = (row: string) => !isCount(row)
    assert.deepEqual((await rowsOf(world)).filter(isSame), before.filter(isSame), describe(endpoint))
  }
})

/** Guesses are counted, which is what a refusal of them does. */
const isCount = (row: string) => /^(one_time_code|otp_request|sign_in_failure) /.test(row)
