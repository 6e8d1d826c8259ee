import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '../../../test/harness.ts'
import { deliveryFilters, orderStatuses, paymentStatuses } from './order.contract.ts'
import { listFacets } from './order-facets.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('the database gives an order the number by which the list looks for it', async () => {
  const states = orderStatuses.flatMap((status) =>
    paymentStatuses.flatMap((payment) =>
      deliveryFilters.flatMap((delivery) =>
        [true, false].map((attention) => ({ status, payment, delivery, attention })),
      ),
    ),
  )
  const facets = await service.db.many<{ facet: number }>`
    select order_facet(status, payment, nullif(delivery, ${deliveryFilters[0]}), attention) as facet
    from rows from (jsonb_to_recordset(${JSON.stringify(states)}::jsonb)
      as (status text, payment text, delivery text, attention boolean)) with ordinality as s (status, payment, delivery, attention, n)
    order by n`
  assert.deepEqual(
    facets.map(({ facet }) => [facet]),
    states.map((state) => listFacets(state)),
  )
})

test('the definition of the number is not read again with every order that is written', async () => {
  const { language } = await service.db.one<{ language: string }>`
    select l.lanname as language from pg_proc p join pg_language l on l.oid = p.prolang where p.proname = 'order_facet'`
  assert.equal(language, 'plpgsql')
})
