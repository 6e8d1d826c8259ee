import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { refuse } from '../core/domain-errors.ts'
import type { Db, Queries } from '../db/database.ts'
import type { Store } from '../features/context.ts'
import { findWebhookStoreId, readDelivery } from '../features/outgoing-webhooks/deliveries.ts'
import {
  createEndpoint,
  deleteEndpoint,
  enableEndpoint,
  listEndpoints,
  rotateEndpointSecret,
  testEndpoint,
} from '../features/outgoing-webhooks/endpoints.ts'
import { createOutgoingWebhooks } from '../features/outgoing-webhooks/outgoing-webhooks.ts'
import { findStore } from '../features/stores/stores.ts'
import { loadSecrets, withDatabase, withReadableDatabase } from './database.ts'
import { fields, type OutputOptions, printResult, table } from './output.ts'
import { whichStore } from './which-store.ts'

type StoreOptions = OutputOptions & { store?: string }
type CreateOptions = StoreOptions & { url: string; types: string }

const saveSecret = 'Save the secret now: it is not shown again.'

export const addWebhook = (program: Command) => {
  const webhook = program
    .command('webhook')
    .description('Manage the endpoints that receive the events of a store (outgoing webhooks)')
  addCreate(webhook)
  addList(webhook)
  addTest(webhook)
  addRotate(webhook)
  addEnable(webhook)
  addDelete(webhook)
}

const addCreate = (webhook: Command) =>
  webhook
    .command('create')
    .description('Create an endpoint; its secret is shown only once')
    .requiredOption('--url <url>', 'where events are sent; https:// outside of development')
    .requiredOption('--types <list>', 'comma-separated event types, such as order.paid, or groups, such as order.*')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  vitrine webhook create --url https://erp.example/hooks --types order.*,stock.low',
    )
    .action((options: CreateOptions) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const types = options.types.split(',').map((type) => type.trim())
        const made = await createEndpoint({ db, store, webhooks: openWebhooks(config) }, { url: options.url, types })
        printResult(options, made, () => fields({ ...made, '': saveSecret }))
      }),
    )

const addList = (webhook: Command) =>
  webhook
    .command('list')
    .description('List the endpoints of a store, without their secrets')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine webhook list')
    .action((options: StoreOptions) =>
      withReadableDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const endpoints = await listEndpoints(db, store)
        printResult(options, endpoints, () =>
          table(
            ['id', 'url', 'types', 'state'],
            endpoints.map((endpoint) => [endpoint.id, endpoint.url, endpoint.types.join(','), stateOf(endpoint)]),
          ),
        )
      }),
    )

type EndpointState = { disabledReason: string | null; disabledAt: Date | null; failingSince: Date | null }

const stateOf = ({ disabledReason, disabledAt, failingSince }: EndpointState) => {
  if (disabledAt !== null) return `off since ${disabledAt.toISOString()} (${disabledReason})`
  return failingSince === null ? 'on' : `failing since ${failingSince.toISOString()}`
}

const addTest = (webhook: Command) =>
  webhook
    .command('test <id>')
    .description('Send an event webhook.test to an endpoint, and show its answer; the running service sends it')
    .option('--store <id>', 'store id; default: that of the endpoint')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine webhook test whk_01k8x0v3m7q2w9c4t6y8za')
    .action((id: string, options: StoreOptions) =>
      withDatabase(async (db) => {
        const store = await storeOfEndpoint(db, id, options)
        const { deliveryId } = await db.tx((tx) => testEndpoint(tx, store, id))
        const { isBeingSent, ...result } = await waitForResult(db, store, deliveryId)
        const endpoint = (await listEndpoints(db, store)).find((one) => one.id === id)
        const why = isBeingSent ? 'sending' : (endpoint?.pausedUntil ?? 'queued')
        printResult(options, result, (tested) => describeTest(tested, why))
      }),
    )

/** The running service polls every second. */
const maxQueuedMs = 5_000
/** Longer than a request may take. */
const maxTestMs = 20_000

const waitForResult = async (db: Queries, store: Store, deliveryId: string) => {
  for (const startedMs = Date.now(); ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const { state, lastAttempt, nextAt, createdAt } = await readDelivery(db, store, deliveryId)
    const isBeingSent = state === 'waiting' && nextAt > createdAt
    const limitMs = isBeingSent ? maxTestMs : maxQueuedMs
    if (state === 'waiting' && Date.now() - startedMs < limitMs) continue
    const { status = null, durationMs = null, error = '', answer = '' } = lastAttempt ?? {}
    return { deliveryId, state, status, durationMs, error, answer, isBeingSent }
  }
}

type TestResult = Omit<Awaited<ReturnType<typeof waitForResult>>, 'isBeingSent'>

/** `why` it still waits: nobody has sent it, it is being sent, or the time until which the endpoint has a pause. */
export const describeTest = (result: TestResult, why: 'queued' | 'sending' | Date) => {
  const { deliveryId, state, status, durationMs, error, answer } = result
  if (state !== 'waiting') {
    return fields({ delivery: deliveryId, state, status: status ?? 'none', time: `${durationMs} ms`, error, answer })
  }
  if (why === 'sending') return `The test ${deliveryId} is being sent. "vitrine delivery list" shows its result.`
  if (why === 'queued') {
    return `The test ${deliveryId} is queued, and no service has sent it yet. It is sent when the service runs and earlier requests to the endpoint have ended.`
  }
  return `The test ${deliveryId} is queued. The endpoint was overloaded, and nothing is sent to it until ${why.toISOString()}.`
}

const addRotate = (webhook: Command) =>
  webhook
    .command('rotate <id>')
    .description('Replace the secret of an endpoint; for 24 hours requests are signed with the old one too')
    .option('--force', 'also while the secret before the last rotation still signs, which ends it')
    .option('--store <id>', 'store id; default: that of the endpoint')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine webhook rotate whk_01k8x0v3m7q2w9c4t6y8za')
    .action((id: string, options: StoreOptions & { force?: true }) =>
      withDatabase(async (db, config) => {
        const store = await storeOfEndpoint(db, id, options)
        const ctx = { store, webhooks: openWebhooks(config) }
        const made = await db.tx((tx) => rotateEndpointSecret(tx, ctx, id, options))
        const { oldSecretUntil, ...shown } = made
        printResult(options, made, () =>
          fields({ ...shown, 'old secret until': oldSecretUntil?.toISOString() ?? '', '': saveSecret }),
        )
      }),
    )

const addEnable = (webhook: Command) =>
  webhook
    .command('enable <id>')
    .description('Switch an endpoint on again; events that happened while it was off are not sent to it')
    .option('--store <id>', 'store id; default: that of the endpoint')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\n"delivery redeliver --failed" sends again what was given up when it was switched off.\n\nExample:\n  vitrine webhook enable whk_01k8x0v3m7q2w9c4t6y8za',
    )
    .action((id: string, options: StoreOptions) =>
      withDatabase(async (db) => {
        const store = await storeOfEndpoint(db, id, options)
        const enabled = await db.tx((tx) => enableEndpoint(tx, store, id))
        printResult(options, enabled, () => `${id} is on.`)
      }),
    )

const addDelete = (webhook: Command) =>
  webhook
    .command('delete <id>')
    .description('Delete an endpoint; what waits for it is not sent')
    .option('--store <id>', 'store id; default: that of the endpoint')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine webhook delete whk_01k8x0v3m7q2w9c4t6y8za')
    .action((id: string, options: StoreOptions) =>
      withDatabase(async (db) => {
        const store = await storeOfEndpoint(db, id, options)
        await db.tx((tx) => deleteEndpoint(tx, store, id))
        printResult(options, { id, deleted: true }, () => `${id} is deleted. What waits for it is not sent.`)
      }),
    )

/** The store of an endpoint, whose id is enough to find it. */
export const storeOfEndpoint = async (db: Db, endpointId: string, options: { store?: string }): Promise<Store> => {
  const storeId = await findWebhookStoreId(db, endpointId)
  if (storeId === undefined) throw refuse('WEBHOOK_NOT_FOUND', { endpointId })
  return findStore(db, options.store ?? storeId)
}

/** Commands create and change endpoints, and the service sends. */
const openWebhooks = (config: Config) =>
  createOutgoingWebhooks({ ...config, secrets: loadSecrets(config), showEvent: (_store, { data }) => data })
