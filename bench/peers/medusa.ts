import { execFile, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { endChild, freePort } from '../service.ts'
import { type PeerProduct, pickNth, pickRead, type SearchedWord } from './catalog.ts'
import {
  type Call,
  contentOf,
  countParts,
  expectThat,
  type Journey,
  type PeerStart,
  type RunningPeer,
} from './driver.ts'
import { fillMedusa, type MedusaShop } from './medusa-fill.ts'
import { installPeer } from './packages.ts'
import { beginProgress, untilAnswers } from './progress.ts'

/**
 * Read by `medusa` in its folder. Events, workflows and locks are in memory, which is the fastest for one process, and
 * the page for staff is not built. MEDUSA_FF_CACHING turns on its cache of queries, also in memory.
 */
const config = `const { defineConfig } = require('@medusajs/framework/utils')
const caching = process.env.MEDUSA_FF_CACHING === 'true'
module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { pool: { max: Number(process.env.PEER_CONNECTIONS) } },
    http: { storeCors: '*', adminCors: '*', authCors: '*', jwtSecret: 'a secret of a bench', cookieSecret: 'another one' },
  },
  modules: caching ? [{ resolve: '@medusajs/medusa/caching', options: { in_memory: { enable: true } } }] : [],
})
`

const staff = { email: 'staff@shop.example', password: 'a password of a bench' }

/** A completed cart is an order whose payment is authorized; the built-in provider captures it only by hand. */
const paidOrders = `select count(*) from "order" o
  join order_payment_collection l on l.order_id = o.id
  join payment_collection p on p.id = l.payment_collection_id where p.status = 'authorized'`

/** `caching` is Medusa's cache of queries, a feature that is off by default. */
export const startMedusa = async (start: PeerStart, caching: boolean): Promise<RunningPeer> => {
  const { database, products, words, connections, say } = start
  const folder = await installPeer('medusa', say)
  writeFileSync(join(folder, 'medusa-config.js'), config)
  const port = await freePort()
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    LOG_LEVEL: 'error',
    MEDUSA_DISABLE_TELEMETRY: 'true',
    MEDUSA_FF_CACHING: String(caching),
    PEER_CONNECTIONS: String(connections),
    DATABASE_URL: database.url,
  }
  const program = join(folder, 'node_modules/@medusajs/cli/cli.js')
  const medusa = async (...args: string[]) => {
    const end = beginProgress(say, `medusa ${args[0]}`)
    await promisify(execFile)(process.execPath, [program, ...args], { cwd: folder, env }).finally(end)
  }
  if (!database.isFull) {
    await medusa('db:migrate', '--execute-all-links', '--skip-search', '--skip-scripts')
    await medusa('user', '--email', staff.email, '--password', staff.password)
  }
  const args = [program, 'start', '--host', '127.0.0.1', '--port', String(port)]
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const stop = () => endChild(child)
  try {
    const url = `http://127.0.0.1:${port}`
    await untilAnswers(`${url}/health`, child)
    if (!database.isFull) await database.markFull(JSON.stringify(await fillMedusa({ url, staff, products, say })))
    const shop: MedusaShop = JSON.parse(await database.readNote())
    const row = caching ? 'Medusa, cached' : 'Medusa'
    const journeys = [...readsOf(row, shop, products, words), ...purchasesOf(row, shop)]
    return { url, pid: child.pid as number, journeys, paidOrders, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const readsOf = (
  row: string,
  { key, regionId }: MedusaShop,
  products: readonly PeerProduct[],
  words: readonly SearchedWord[],
): Journey[] => {
  const caller = { 'x-publishable-api-key': key }
  /** What a list shows: the other fields of products, with their relations, would cost more. */
  const fields = 'id,title,handle,description,thumbnail,*variants.calculated_price'
  const list = `/store/products?limit=20&region_id=${regionId}&fields=${fields}`
  return [
    {
      ...{ name: 'list', row },
      run: async (call) => {
        const answer = await call('GET', list, caller)
        expectThat(countParts(answer, '"calculated_amount":') === Math.min(20, products.length), 'list', answer)
      },
    },
    {
      ...{ name: 'product', row },
      run: async (call, n) => {
        const { slug } = pickRead(products, n)
        const wanted = `handle=${slug}&region_id=${regionId}&fields=${fields},%2Bvariants.inventory_quantity,variants.sku`
        const answer = await call('GET', `/store/products?${wanted}`, caller)
        expectThat(answer.text.includes(`"handle":"${slug}"`), 'product', answer)
      },
    },
    {
      ...{ name: 'search', row },
      run: async (call, n) => {
        const { word, matches } = pickNth(words, n)
        const answer = await call('GET', `${list}&q=${word}`, caller)
        expectThat(answer.text.includes(`"count":${matches},`), `search for ${word}`, answer)
      },
    },
  ]
}

const address = {
  ...{ first_name: 'Buyer', last_name: 'Bench', phone: '+919876543210', address_1: '1 Bench Road' },
  ...{ city: 'Pune', postal_code: '411001', country_code: 'in' },
}

/** A cart can be made with its line, the customer's mail address and the shipping address at once. */
const purchasesOf = (row: string, { key, regionId, shippingOptionId, variantIds }: MedusaShop): Journey[] => {
  const post = async (call: Call, path: string, body: object) => {
    const answer = await call('POST', `/store/${path}`, { 'x-publishable-api-key': key }, body)
    return { answer, content: contentOf(answer, path) }
  }
  const addTo = async (call: Call, n: number, details: object) => {
    const items = [{ variant_id: pickNth(variantIds, n), quantity: 1 }]
    const { answer, content } = await post(call, 'carts', { region_id: regionId, items, ...details })
    expectThat(content.cart.items.length === 1, 'cart', answer)
    return String(content.cart.id)
  }
  const run = Date.now().toString(36)
  return [
    { ...{ name: 'cart', row }, run: async (call, n) => void (await addTo(call, n, {})) },
    {
      ...{ name: 'order', row },
      run: async (call, n) => {
        const details = { email: `buyer-${run}-${n}@shop.example`, shipping_address: address }
        const cart = await addTo(call, n, details)
        await post(call, `carts/${cart}/shipping-methods`, { option_id: shippingOptionId })
        const { content } = await post(call, 'payment-collections', { cart_id: cart })
        const payment = `payment-collections/${content.payment_collection.id}/payment-sessions`
        await post(call, payment, { provider_id: 'pp_system_default' })
        const completed = await post(call, `carts/${cart}/complete`, {})
        expectThat(completed.content.type === 'order', 'complete', completed.answer)
      },
    },
  ]
}
