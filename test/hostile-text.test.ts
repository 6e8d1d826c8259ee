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

/** Unusual text that its schema allows, in every field of every body. */
let service: TestService
let world: World
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
  world = await openWorld(service)
})
after(() => service.close())

/** A conflict comes from a concurrent call and says nothing about the text. */
const isRefused = async (call: Prepared, body: string) => {
  const sent = { method: call.endpoint.method, headers: headersOf(call), body }
  const answer = await service.call(addressOf(call), sent)
  assertDocumented(call.endpoint, answer)
  return answer.status >= 400 && answer.json.code !== 'CONFLICT'
}

test('unusual text in any field of a body causes no server error, and a refused request changes nothing', async () => {
  const withBody = guarded.filter(({ body }) => body !== undefined)
  assert.ok(withBody.length > 0)
  const tried = new Map<object, string>()
  for (const endpoint of withBody) {
    const call = await prepare(world, endpoint)
    const bodies = spotsOf(call).flatMap(({ shape, write }) => {
      if (shape.type !== undefined && !typesOf(shape).includes('string')) return []
      const longest = ['x', '🫖', '1'].map((letter) => letter.repeat(shape.maxLength ?? 1))
      const texts = [...oddTexts, ...longest]
      // Another endpoint with the same field, such as the city of an address, has tried all of them.
      const isKnown = (tried.get(shape) ?? endpoint.name) !== endpoint.name
      tried.set(shape, tried.get(shape) ?? endpoint.name)
      return (isKnown ? texts.slice(-2) : takeThird('texts', texts)).map((text) => write(JSON.stringify(text)))
    })
    if (bodies.length === 0) continue
    const refused: string[] = []
    await fewAtOnce(bodies, async (body) => {
      if (await isRefused(call, body)) refused.push(body)
    })
    // Again without the accepted ones, which may change something.
    const before = await rowsOf(world)
    for (const body of refused)
      assert.ok(await isRefused(call, body), `${describe(endpoint)} accepts ${body} the second time`)
    const isSame = (row: string) => !isCount(row)
    assert.deepEqual((await rowsOf(world)).filter(isSame), before.filter(isSame), describe(endpoint))
  }
})

/** Refused guesses are counted, and a refused checkout uses up a number. */
const isCount = (row: string) => /^(one_time_code|order_counter|otp_request|sign_in_failure) /.test(row)
