import { after, before, test } from 'node:test'
import { compareBuying } from './buying.ts'
import { openService } from './floor.ts'

let opened: Awaited<ReturnType<typeof openService>>
before(async () => {
  opened = await openService()
})
after(() => opened.close())

test('actions of buyers, providers, carriers and time break no invariant at any step', () =>
  compareBuying(opened.service, 40, { runs: 6, limitMs: 90_000, file: 'test/model/buying.test.ts' }))
