import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createStore, newEmptyDir, program, removeDataDir, type Service, startService } from '../service.ts'
import { buyOnce, openPhones, type Phones, type Seller } from '../whole-order.ts'
import { type PeerProduct, pickNth, pickRead, type SearchedWord } from './catalog.ts'
import { contentOf, countParts, expectThat, type Journey, type PeerStart, type RunningPeer } from './driver.ts'
import type { PeerDatabase } from './server.ts'

type Store = Omit<Seller, 'phones'> & { variants: readonly { variantId: string; productId: string }[] }

const paidOrders = `select count(*) from orders where status = 'paid'`

/**
 * Settings: as many database connections as shoppers. Not NODE_ENV=production, in which Vitrine refuses the sandbox
 * provider; it changes what is allowed and not how anything runs. An order is that of a guest who signs in by a one-time
 * password, and is paid when the sandbox provider reports it: more than the others do, who trust the shopper's address.
 */
export const startVitrine = async ({
  database,
  products,
  words,
  connections,
  say,
}: PeerStart): Promise<RunningPeer> => {
  const dataDir = newEmptyDir()
  const phones = await openPhones()
  const stopPhones = () => {
    phones.close()
    removeDataDir(dataDir)
  }
  const service = await startService(dataDir, {
    ...phones.settings,
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: String(connections),
    // The same for a later run on the same database.
    VITRINE_SECRET: 'the secret of a bench that has 32 characters or more',
  }).catch((error) => {
    stopPhones()
    throw error
  })
  const stop = async () => {
    await service.stop()
    stopPhones()
  }
  try {
    if (!database.isFull) await fill(service, database, products, say)
    const store: Store = JSON.parse(await database.readNote())
    const [customers] = await database.query('select count(*) from customer')
    const journeys = [
      ...readsOf(store.key, { row: 'Vitrine', suffix: () => '' }, products, words),
      ...readsOf(store.key, { row: 'Vitrine, uncached', suffix: newAddress }, products, words),
      ...purchasesOf(store, phones, Number(customers?.count)),
    ]
    return { url: service.url, pid: service.pid, journeys, paidOrders, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const fill = async (
  service: Service,
  database: PeerDatabase,
  products: readonly PeerProduct[],
  say: PeerStart['say'],
) => {
  const { storeId, key, paymentWebhook } = createStore(service, 'Bench', 'sandbox')
  service.vitrine('store', 'set', '--store', storeId, '--otp-client-limit', '1000000')
  const file = join(service.dataDir, 'products.jsonl')
  const lines = products.map(({ priceMinor, ...product }) => JSON.stringify({ ...product, price: priceMinor / 100 }))
  writeFileSync(file, `${lines.join('\n')}\n`)
  say(`vitrine catalog import of ${products.length} products`)
  await promisify(execFile)(process.execPath, [program, 'catalog', 'import', file, '--store', storeId, '--json'], {
    env: service.env,
  })
  const variants = await database.query(
    `select v.id as "variantId", v.product_id as "productId" from variant v
     join store s on s.id = v.store_id where s.public_id = $1 limit 5000`,
    [storeId],
  )
  const login = Buffer.from(`${paymentWebhook.username}:${paymentWebhook.password}`).toString('base64')
  await database.markFull(JSON.stringify({ key, publicId: storeId, webhookLogin: `Basic ${login}`, variants }))
}

const unique = randomUUID()
let sent = 0
/** A parameter without a meaning, which no other request has, so that no answer comes from the cache. */
const newAddress = () => `&_=${unique}-${sent++}`

/** Each journey once from the cache, as a shop would run it, and once without it, as neither of the others has one. */
const readsOf = (
  key: string,
  { row, suffix }: { row: string; suffix: () => string },
  products: readonly PeerProduct[],
  words: readonly SearchedWord[],
): Journey[] => {
  const caller = { 'x-store-key': key }
  return [
    {
      ...{ name: 'list', row },
      run: async (call) => {
        const answer = await call('GET', `/v1/products?limit=20${suffix()}`, caller)
        expectThat(countParts(answer, '"slug":') === Math.min(20, products.length), 'list', answer)
      },
    },
    {
      ...{ name: 'product', row },
      run: async (call, n) => {
        const { slug } = pickRead(products, n)
        const answer = await call('GET', `/v1/products/${slug}?${suffix()}`, caller)
        expectThat(answer.text.includes(`"slug":"${slug}"`), 'product', answer)
      },
    },
    {
      ...{ name: 'search', row },
      run: async (call, n) => {
        const { word, matches } = pickNth(words, n)
        const answer = await call('GET', `/v1/search?q=${word}&limit=20${suffix()}`, caller)
        expectThat(answer.text.includes(`"total":${matches},`), `search for ${word}`, answer)
      },
    },
  ]
}

const purchasesOf = (store: Store, phones: Phones, customers: number): Journey[] => {
  let buyers = customers
  return [
    {
      ...{ name: 'cart', row: 'Vitrine' },
      run: async (call, n) => {
        const line = { ...pickNth(store.variants, n), quantity: 1 }
        const answer = await call('POST', '/v1/cart', { 'x-store-key': store.key }, line)
        expectThat(countParts(answer, line.variantId) === 1, 'cart', answer)
      },
    },
    {
      ...{ name: 'order', row: 'Vitrine' },
      run: async (call, n) => {
        const post: Parameters<typeof buyOnce>[0] = async (path, headers, body) => {
          const answer = await call('POST', path, headers, body)
          return { content: contentOf(answer, path), headers: answer.headers }
        }
        await buyOnce(post, { ...store, phones }, pickNth(store.variants, n), ++buyers)
      },
    },
  ]
}
