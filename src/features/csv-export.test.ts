import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { newStaff } from '../../test/admin-callers.ts'
import { connectionTo } from '../../test/databases.ts'
import { databaseUrl, newStore, startTestService } from '../../test/harness.ts'
import { connectDb } from '../db/database.ts'

test('a file with many parts is sent whole while each part waits for the database', async (t) => {
  const service = await startTestService()
  t.after(() => service.close())
  const shop = await newStore(service)
  const owner = await newStaff(service, shop)
  const { id } = await shop.load()
  const customers = 4_000
  await service.db.run`
    insert into customer (store_id, id, name, email, contact_phone, has_orders, created_at)
    select ${id}, 'cus_' || lpad(n::text, 5, '0'), 'Asha', n || '@example.com', '', false, now() - n * interval '1 second'
    from generate_series(1, ${customers}::integer) n`
  const maxWaitMs = 300
  const busy = connectDb({ connection: connectionTo(databaseUrl), poolSize: 1, clock: service.clock, maxWaitMs })
  const done = new AbortController()
  const holding = (async () => {
    while (!done.signal.aborted) await busy.tx(() => setTimeout(60))
  })()
  t.after(async () => {
    done.abort()
    await holding
    await busy.close()
  })
  service.app.services.db.forStore = busy.forStore
  const { status, text } = await owner.inStore('GET', '/customers?format=csv')
  assert.deepEqual([status, text.split('\r\n').length], [200, customers + 2])
})
