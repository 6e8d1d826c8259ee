import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { endChild, freePort, newEmptyDir } from '../service.ts'
import { type PeerProduct, pickNth, pickRead, type SearchedWord } from './catalog.ts'
import { type Call, contentOf, expectThat, type Journey, type PeerStart, type RunningPeer } from './driver.ts'
import { installPeer } from './packages.ts'
import { untilAnswers } from './progress.ts'

const server = new URL('./vendure-server.ts', import.meta.url).pathname

/** Without tax and with free shipping, as in the others. An order in this state is paid. */
const paidOrders = `select count(*) from "order" where state = 'PaymentSettled'`

/** Settings: see vendure-server.ts. The worker does not run: its only work would be that of the index of searches. */
export const startVendure = async ({
  database,
  products,
  words,
  connections,
  say,
}: PeerStart): Promise<RunningPeer> => {
  const folder = await installPeer('vendure', say)
  const port = await freePort()
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    PEER_FOLDER: folder,
    PEER_CONNECTIONS: String(connections),
    DATABASE_URL: database.url,
    PORT: String(port),
    VENDURE_DISABLE_TELEMETRY: 'true',
  }
  if (!database.isFull) {
    await fill(env, products, say)
    const variants = await database.query('select id from product_variant order by id limit 5000')
    await database.markFull(JSON.stringify(variants.map(({ id }) => String(id))))
  }
  const variantIds: string[] = JSON.parse(await database.readNote())
  const [method] = await database.query('select id from shipping_method limit 1')
  const [payment] = await database.query('select code from payment_method limit 1')
  const child = spawn(process.execPath, [server, 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const stop = () => endChild(child)
  try {
    const url = `http://127.0.0.1:${port}`
    await untilAnswers(`${url}/health`, child)
    const journeys = [
      ...readsOf(products, words),
      ...purchasesOf(variantIds, { shippingMethod: String(method?.id), payment: String(payment?.code) }),
    ]
    return { url, pid: child.pid as number, journeys, paidOrders, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const fill = async (env: NodeJS.ProcessEnv, products: readonly PeerProduct[], say: PeerStart['say']) => {
  const folder = newEmptyDir()
  try {
    const file = join(folder, 'products.csv')
    const header =
      'name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,stockOnHand,trackInventory,variantAssets,variantFacets'
    const rows = products.map(({ name, slug, description, sku, priceMinor, stock }) =>
      [name, slug, description, '', '', '', '', sku, priceMinor / 100, 'standard', stock, 'true', '', ''].join(','),
    )
    writeFileSync(file, [header, ...rows, ''].join('\n'))
    say(`Vendure imports ${products.length} products`)
    const child = spawn(process.execPath, [server, 'fill', file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    createInterface(child.stdout).on('line', (line) => say(`Vendure: ${line}`))
    const [status] = await once(child, 'exit')
    if (status !== 0) throw new Error(`the import ended with ${status}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Reply = { errors?: unknown; data: Record<string, Record<string, unknown>> }

/** GraphQL reports errors with the status 200. */
const ask = async (call: Call, what: string, query: string, variables: object, token?: string) => {
  const answer = await call('POST', '/shop-api', token ? { authorization: `Bearer ${token}` } : {}, {
    query,
    variables,
  })
  const { data, errors }: Reply = contentOf(answer, what)
  expectThat(errors === undefined, what, answer)
  return { answer, data }
}

/** Lists are searches without a word, as Vendure's guide for shops has it. */
const searchQuery = `query ($input: SearchInput!) { search(input: $input) { totalItems items {
  productId productVariantId slug productName description currencyCode productAsset { preview }
  priceWithTax { ... on SinglePrice { value } ... on PriceRange { min max } } } } }`

const productQuery = `query ($slug: String!) { product(slug: $slug) { id name slug description
  featuredAsset { preview } variants { id sku name priceWithTax currencyCode stockLevel } } }`

const readsOf = (products: readonly PeerProduct[], words: readonly SearchedWord[]): Journey[] => [
  {
    ...{ name: 'list', row: 'Vendure' },
    run: async (call) => {
      const input = { take: 20, groupByProduct: true }
      const { answer, data } = await ask(call, 'list', searchQuery, { input })
      const found = data.search?.items
      expectThat(Array.isArray(found) && found.length === Math.min(20, products.length), 'list', answer)
    },
  },
  {
    ...{ name: 'product', row: 'Vendure' },
    run: async (call, n) => {
      const { slug } = pickRead(products, n)
      const { answer, data } = await ask(call, 'product', productQuery, { slug })
      expectThat(data.product?.slug === slug, 'product', answer)
    },
  },
  {
    ...{ name: 'search', row: 'Vendure' },
    run: async (call, n) => {
      const { word, matches } = pickNth(words, n)
      const input = { term: word, take: 20, groupByProduct: true }
      const { answer, data } = await ask(call, 'search', searchQuery, { input })
      expectThat(data.search?.totalItems === matches, `search for ${word}`, answer)
    },
  },
]

const errorPart = '... on ErrorResult { errorCode message }'

const addQuery = `mutation ($variant: ID!) { addItemToOrder(productVariantId: $variant, quantity: 1) {
  ... on Order { id code totalQuantity totalWithTax lines { id quantity unitPriceWithTax productVariant { id name } } }
  ${errorPart} } }`

const detailsQuery = `mutation ($customer: CreateCustomerInput!, $address: CreateAddressInput!, $methods: [ID!]!) {
  setCustomerForOrder(input: $customer) { ... on Order { id } ${errorPart} }
  setOrderShippingAddress(input: $address) { ... on Order { id } ${errorPart} }
  setOrderShippingMethod(shippingMethodId: $methods) { ... on Order { id } ${errorPart} }
  transitionOrderToState(state: "ArrangingPayment") { ... on Order { state } ${errorPart} } }`

const paymentQuery = `mutation ($payment: PaymentInput!) { addPaymentToOrder(input: $payment) {
  ... on Order { id code state totalWithTax } ${errorPart} } }`

const address = {
  ...{ fullName: 'Buyer', phoneNumber: '+919876543210', streetLine1: '1 Bench Road', streetLine2: '' },
  ...{ city: 'Pune', province: '', postalCode: '411001', countryCode: 'IN' },
}

type Methods = { shippingMethod: string; payment: string }

/** What a shopper enters on one page is sent in one request, which GraphQL allows. */
const purchasesOf = (variantIds: readonly string[], { shippingMethod, payment }: Methods): Journey[] => {
  const add = async (call: Call, n: number) => {
    const { answer, data } = await ask(call, 'cart', addQuery, { variant: pickNth(variantIds, n) })
    expectThat(data.addItemToOrder?.totalQuantity === 1, 'cart', answer)
    return String(answer.headers['vendure-auth-token'])
  }
  const run = Date.now().toString(36)
  return [
    { ...{ name: 'cart', row: 'Vendure' }, run: async (call, n) => void (await add(call, n)) },
    {
      ...{ name: 'order', row: 'Vendure' },
      run: async (call, n) => {
        const token = await add(call, n)
        const customer = { firstName: 'Buyer', lastName: String(n), emailAddress: `buyer-${run}-${n}@shop.example` }
        const details = await ask(
          call,
          'details',
          detailsQuery,
          { customer, address, methods: [shippingMethod] },
          token,
        )
        expectThat(details.data.transitionOrderToState?.state === 'ArrangingPayment', 'details', details.answer)
        const paid = await ask(call, 'payment', paymentQuery, { payment: { method: payment, metadata: {} } }, token)
        expectThat(paid.data.addPaymentToOrder?.state === 'PaymentSettled', 'payment', paid.answer)
      },
    },
  ]
}
