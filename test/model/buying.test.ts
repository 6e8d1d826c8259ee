import { after, before, test } from 'node:test'
import { compareBuying } from './buying.ts'
import { openService } from './floor.ts'

let opened: Awaited<ReturnType<typeof openService>>
before(async () => {
  opened = await openService()
})
after(() => opened.close())

test('whatever buyers, providers, carriers and time do, the books are in order after every step', () =>
  compareBuying(opened.service, 40, { runs: 10, limitMs: 90_000, file: 'test/model/buying.test.ts' }))
