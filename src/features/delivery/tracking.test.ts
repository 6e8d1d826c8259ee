import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startShiprocketDouble } from '../../../test/doubles/shiprocket.ts'
import type { TestService } from '../../../test/harness.ts'
import { days, hours } from '../../core/clock.ts'
import { newRunner, serviceAlone } from '../../jobs/fixture.ts'
import { createShiprocket } from '../../providers/carrier/shiprocket.ts'
import { openCarrierOrder } from './fixture.ts'

/** A service with its own database, and a test double of Shiprocket whose webhooks are lost unless a test says otherwise. */
const newScene = async (t: TestContext) => {
  const clock: { service?: TestService } = {}
  const double = await startShiprocketDouble({ now: () => clock.service?.clock.now() ?? Date.now() })
  t.after(() => double.close())
  const { service } = await serviceAlone(t, { carriers: [createShiprocket(double.url)] })
  clock.service = service
  double.delivery.lose = true
  const runner = newRunner(service)
  return {
    ...{ service, double, failures: runner.failures },
    openOrder: () => openCarrierOrder(service, double),
    /** Returns the tracking numbers that the carrier was asked about. */
    runJobs: async () => {
      const before = double.calls.length
      await runner.runDue()
      return double.calls
        .slice(before)
        .filter((call) => call.includes('/courier/track/awb/'))
        .map((call) => call.split('/').at(-1))
    },
    hoursLeft: async (shipmentId: string) => {
      const { due } = await service.db.one<{ due: number | null }>`
        select round(extract(epoch from track_due_at - vitrine_now()) / 3600)::integer as due
        from shipment where id = ${shipmentId}`
      return due
    },
  }
}

test('the tracking job asks about parcels that no webhook has come for, and only about those', async (t) => {
  const { service, double, openOrder, runJobs, hoursLeft, failures } = await newScene(t)
  const [first, second] = [await openOrder(), await openOrder()]
  const [quiet, heard] = [await first.book(), await second.book()]
  await double.scan(quiet.trackingNumber, 17)
  assert.deepEqual(await runJobs(), [], 'too early')
  service.clock.advance(hours(5))
  double.delivery.lose = false
  await double.scan(heard.trackingNumber, 18)
  double.delivery.lose = true
  service.clock.advance(hours(2))
  assert.deepEqual(await runJobs(), [quiet.trackingNumber])
  assert.equal((await first.show()).status, 'out_for_delivery')
  assert.deepEqual(await runJobs(), [], 'asked a moment ago')

  await double.scan(quiet.trackingNumber, 7)
  service.clock.advance(hours(7))
  assert.deepEqual((await runJobs()).toSorted(), [quiet.trackingNumber, heard.trackingNumber].toSorted())
  assert.equal((await first.show()).status, 'delivered')
  assert.equal(await hoursLeft(quiet.id), null, 'a delivered parcel is not tracked')
  assert.deepEqual(failures, [])
})

test('a carrier that is down is asked again later, and less and less often', async (t) => {
  const { service, double, openOrder, runJobs, hoursLeft, failures } = await newScene(t)
  const { id } = await (await openOrder()).book()
  const delays: (number | null)[] = []
  for (let round = 0; round < 4; round++) {
    service.clock.advance(hours(9))
    double.faults.fail = 3
    await runJobs()
    delays.push(await hoursLeft(id))
  }
  assert.deepEqual(delays, [1, 2, 4, 8])
  assert.equal(failures.length, 4)
  double.faults.fail = 0
  service.clock.advance(hours(9))
  await runJobs()
  assert.equal(await hoursLeft(id), 6)
})

test('a parcel that was never delivered is given up after 60 days', async (t) => {
  const { service, openOrder, runJobs, hoursLeft } = await newScene(t)
  const { id } = await (await openOrder()).book()
  service.clock.advance(days(61))
  assert.equal((await runJobs()).length, 1)
  assert.equal(await hoursLeft(id), null)
})

test('instances that run at the same time ask once', async (t) => {
  const { service, double, openOrder } = await newScene(t)
  for (let n = 0; n < 5; n++) await (await openOrder()).book()
  service.clock.advance(hours(7))
  await Promise.all([newRunner(service).runDue(), newRunner(service).runDue(), newRunner(service).runDue()])
  assert.equal(double.calls.filter((call) => call.includes('/courier/track/awb/')).length, 5)
})
