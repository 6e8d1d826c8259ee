import { after, before, test } from 'node:test'
import { openService } from './floor.ts'
import { compareWithModel } from './run.ts'

let opened: Awaited<ReturnType<typeof openService>>
before(async () => {
  opened = await openService()
})
after(() => opened.close())

test('after any actions of shoppers, operator and time, every shopper sees the state of a simple model', () =>
  compareWithModel(opened.service, 40, { runs: 15, limitMs: 90_000, file: 'test/model/shoppers.test.ts' }))
