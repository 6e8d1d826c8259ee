import { test } from 'node:test'
import pg from 'pg'
import { addKnownAccounts, compareSides, signInCases } from '../../../bench/sign-in-cases.ts'
import { databaseUrl, newStore, serviceFor } from '../../../test/harness.ts'
import { post } from './fixture.ts'

test('routes that send mail or take its tokens answer known and unknown with one status; the times are printed', async (t) => {
  const pairs = 15
  const service = await serviceFor(t)
  const shop = await newStore(service)
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await addKnownAccounts(client, shop.storeId, pairs)
  await client.end()
  // No limit on times, which a busy machine would exceed: `npm run bench:sign-in-times` has it.
  for (const one of signInCases((path, body) => post(service, shop, path, body))) {
    const { known, unknown } = await compareSides(one, pairs)
    t.diagnostic(`${one.name}: known ${known.toFixed(2)} ms, unknown ${unknown.toFixed(2)} ms`)
  }
})
