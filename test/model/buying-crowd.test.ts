import { after, before, test } from 'node:test'
import { compareBuyingCrowds } from './buying-crowd.ts'
import { openService } from './floor.ts'

let opened: Awaited<ReturnType<typeof openService>>
before(async () => {
  opened = await openService()
})
after(() => opened.close())

test('concurrent actions of buyers, providers, carriers and operators break no invariant', () =>
  compareBuyingCrowds(opened.service, { runs: 5, limitMs: 90_000, file: 'test/model/buying-crowd.test.ts' }))
