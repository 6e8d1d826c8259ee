import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { newStore, type ServiceOptions, type TestService } from '../../../test/harness.ts'
import { randomText } from '../../core/ids.ts'
import { sql } from '../../db/sql.ts'
import { serviceAlone } from '../../jobs/fixture.ts'
import type { JobKind } from '../../jobs/job-kind.ts'
import { createJobRunner } from '../../jobs/runner.ts'
import type { EndedDeliveries, GivenUpDelivery, OutgoingWebhooks, SwitchedOffEndpoint } from '../context.ts'
import type { EventType } from '../events/events.contract.ts'
import { recordEvents } from '../events/record.ts'
import { listDeliveries } from './deliveries.ts'
import { createEndpoint, listEndpoints } from './endpoints.ts'
import { outgoingWebhookJobs } from './outgoing-webhooks.jobs.ts'
import { createOutgoingWebhooks, type OutgoingWebhookOptions } from './outgoing-webhooks.ts'

export type Received = { headers: IncomingHttpHeaders; text: string; json: Record<string, unknown>; path: string }

type Respond = (response: ServerResponse, received: Received) => unknown

/** A server in the place of a merchant's. `does.respond` can be replaced; it answers 200 otherwise. */
export const startReceiver = async (t: TestContext) => {
  const received: Received[] = []
  const does: { respond: Respond } = { respond: (response) => response.end('thanks') }
  const open = { now: 0, most: 0 }
  let connections = 0
  const server = createServer(async (request, response) => {
    open.now++
    open.most = Math.max(open.most, open.now)
    response.on('close', () => open.now--)
    const text = await readBody(request)
    if (text === undefined) return
    const one = { headers: request.headers, text, json: JSON.parse(text), path: request.url ?? '' }
    received.push(one)
    await does.respond(response, one)
  }).listen(0, '127.0.0.1')
  server.on('connection', () => connections++)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    server.close()
    if (server.listening) await once(server, 'close')
  }
  t.after(close)
  return {
    received,
    does,
    /** Requests that are open at once. */
    open,
    connections: () => connections,
    url: `http://127.0.0.1:${port}/hook`,
    ids: () => received.map(({ headers }) => String(headers['webhook-id'])),
    close,
  }
}

/** Undefined if the sender has gone. */
const readBody = async (request: IncomingMessage): Promise<string | undefined> => {
  try {
    return Buffer.concat(await request.toArray()).toString('utf8')
  } catch {
    return undefined
  }
}

const testSecrets = ['a secret for tests that is long enough to be one']

/** What the service has, except that an event is shown as it was recorded. */
export const testWebhooks = (options: Partial<OutgoingWebhookOptions> = {}): OutgoingWebhooks =>
  createOutgoingWebhooks({
    secrets: testSecrets,
    production: false,
    version: '1.2.3',
    showEvent: (_store, { data }) => data,
    ...options,
  })

/** A service with its own database, whose jobs run only when a test runs them. */
export const newWebhookScene = async (
  t: TestContext,
  options: ServiceOptions & { webhooks?: Partial<OutgoingWebhookOptions> } = {},
) => {
  const { webhooks: more, ...serviceOptions } = options
  const { service, url } = await serviceAlone(t, serviceOptions)
  const givenUp: GivenUpDelivery[] = []
  const switchedOff: SwitchedOffEndpoint[] = []
  const ended: EndedDeliveries[] = []
  const webhooks = testWebhooks({
    onGivenUp: (ids) => givenUp.push(ids),
    onSwitchedOff: (endpoint) => switchedOff.push(endpoint),
    onEnded: (deliveries) => ended.push(deliveries),
    ...more,
  })
  return {
    service,
    url,
    webhooks,
    givenUp,
    switchedOff,
    ended,
    newShop: () => newWebhookShop(service, webhooks),
    kinds: (): JobKind<unknown>[] => outgoingWebhookJobs({ ...service, webhooks }, service.db),
    newRunner: (change?: Partial<JobKind<unknown>>) => newWebhookRunner(service, webhooks, change),
    /** Runs what is due on a new instance, without a failure. */
    runDue: async () => {
      const runner = newWebhookRunner(service, webhooks)
      await runner.runDue()
      assert.deepEqual(runner.failures, [])
    },
  }
}

/** The webhook jobs of one more instance. */
export const newWebhookRunner = (
  { db, clock }: Pick<TestService, 'db' | 'clock'>,
  webhooks: OutgoingWebhooks,
  change: Partial<JobKind<unknown>> = {},
) => {
  const failures: string[] = []
  const runner = createJobRunner({
    kinds: outgoingWebhookJobs({ db, clock, webhooks }, db).map((kind: JobKind<unknown>) => ({ ...kind, ...change })),
    onFailure: (name, error) => failures.push(`${name}: ${error instanceof Error ? error.message : error}`),
  })
  return { ...runner, failures }
}

export type WebhookShop = Awaited<ReturnType<typeof newWebhookShop>>

export const newWebhookShop = async (service: TestService, webhooks: OutgoingWebhooks) => {
  const { db } = service
  const shop = await newStore(service)
  const store = await shop.load()
  const ctx = { db, store, webhooks }
  return {
    ...shop,
    store,
    ctx,
    /** An endpoint that subscribes to all orders. */
    addEndpoint: (url: string, types: readonly string[] = ['order.*']) => createEndpoint(ctx, { url, types }),
    endpoint: async (id: string) => {
      const found = (await listEndpoints(db, store)).find((endpoint) => endpoint.id === id)
      assert.ok(found, `there is no endpoint ${id}`)
      return found
    },
    /** Records events of a new subject. */
    record: (type: EventType = 'order.paid', data: unknown = { id: 'ord_1' }) =>
      db.tx(async (tx) => {
        const subject = `ord_${randomText(8)}`
        const rows = sql`
          select ${subject}::text as subject, ${JSON.stringify(data)}::json as data, false as has_recipient`
        recordEvents(tx, store, [{ type, subject, sequence: 1 }], { rows })
      }),
    /** Newest first. */
    deliveries: () => listDeliveries(db, store, { endpointId: null, state: null, before: null, limit: 1000 }),
    /** Events with a delivery to this endpoint, as fast as the database takes them. They are due now. */
    fill: (endpointId: string, count: number) => db.run`
      with made as (
        insert into event (store_id, id, type, subject, sequence, data, created_at)
        select ${store.id}, 'evt_' || ${randomText(6)} || lpad(n::text, 9, '0'), 'order.paid', ${randomText(9)}, n,
          '{"id":"ord_1"}', vitrine_now() - (${count} - n) * interval '1 ms'
        from generate_series(1, ${count}) n
        returning id, created_at)
      insert into webhook_delivery (store_id, id, endpoint_id, event_id, next_at, created_at)
      select ${store.id}, 'dlv_' || substr(id, 5) || '_' || substr(${endpointId}, 5), ${endpointId}, id, created_at,
        created_at
      from made`,
  }
}

export const until = async (holds: () => boolean | Promise<boolean>, what: string) => {
  for (let tries = 0; !(await holds()); tries++) {
    assert.ok(tries < 3000, `timed out: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
