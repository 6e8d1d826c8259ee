import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '../harness.ts'
import { compareCrowds } from './run.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('every accepted action of concurrent shoppers is found in the end', () =>
  compareCrowds(service, { runs: 10, limitMs: 90_000, file: 'test/model/crowd.test.ts' }))
