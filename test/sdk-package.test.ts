import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { newProgram } from './admin-callers.ts'
import { root } from './documents.ts'
import { newStore, serviceFor } from './harness.ts'
import { compile, runProgram } from './samples.ts'

/** The published client: packed, installed in an empty project, and compiled with all strict options. */
test('the packed client is installed in an empty project, compiled against and run', async (t) => {
  const service = await serviceFor(t)
  const store = await newStore(service)
  await store.add({ name: 'Mug', price: 449.5, stock: 7 })
  const project = await newProject(t)

  const files = readdirSync(join(project, 'node_modules/@vitrine/client')).sort()
  assert.deepEqual(files, ['LICENSE', 'README.md', 'dist', 'package.json'])
  assert.deepEqual(readdirSync(join(project, 'node_modules')).sort(), ['.package-lock.json', '@vitrine'])

  writeFileSync(join(project, 'program.ts'), program(service.url, store.key))
  await compile(project)
  assert.equal(await runProgram(project, 'program.js'), 'Mug 449.5\n2 INR null\nINSUFFICIENT_STOCK 409\nAsha 1\n')

  const { token } = await newProgram(service, store)
  writeFileSync(join(project, 'program.ts'), adminProgram(service.url, store.storeId, token))
  await compile(project)
  assert.equal(await runProgram(project, 'program.js'), 'Lamp 1\nLamp,Mug 2\ntrue\nPRECONDITION_FAILED 412\n')

  await assertRefused(project, mistakes)
  await assertRefused(project, adminMistakes)
})

/** The compiler complains about every line that is marked as wrong, and no other. */
const assertRefused = async (project: string, mistakes: string) => {
  writeFileSync(join(project, 'program.ts'), mistakes)
  const complaints = await compile(project).then(
    () => '',
    ({ message }: Error) => message,
  )
  const lines = [...complaints.matchAll(/program\.ts\((\d+),/g)].map(([, line]) => Number(line))
  const wrong = mistakes.split('\n').flatMap((line, i) => (line.includes('// wrong') ? [i + 1] : []))
  assert.deepEqual([...new Set(lines)], wrong, complaints)
}

/** Built and packed in a copy, so that concurrent runs do not overwrite each other. */
const newProject = async (t: TestContext) => {
  const project = mkdtempSync(join(tmpdir(), 'vitrine-client-'))
  t.after(() => rmSync(project, { recursive: true, force: true }))
  const copy = join(project, 'sdk')
  mkdirSync(copy)
  for (const part of ['package.json', 'tsconfig.json', 'README.md', 'LICENSE', 'src']) {
    cpSync(join(root, 'sdk', part), join(copy, part), { recursive: true })
  }
  const env = { ...process.env, PATH: [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter) }
  const npm = (cwd: string, ...args: string[]) => promisify(execFile)('npm', args, { cwd, env })
  await npm(copy, 'pack', '--pack-destination', project)
  rmSync(copy, { recursive: true })
  const { version } = JSON.parse(readFileSync(join(root, 'sdk/package.json'), 'utf8'))
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  await npm(project, 'install', '--offline', '--no-audit', '--no-fund', `./vitrine-client-${version}.tgz`)
  return project
}

const program = (url: string, key: string) => `
import { type Cart, createClient, isVitrineError, memoryStorage, type Product } from '@vitrine/client'

const shop = createClient({ url: '${url}', storeKey: '${key}', storage: memoryStorage() })

const products: Product[] = []
for await (const product of shop.listProducts({ sort: 'name', cursor: undefined })) products.push(product)
const mug = products[0]
if (mug === undefined) throw new Error('there is no mug')
console.log(mug.name, mug.price)

const cart: Cart = await shop.addToCart({ productId: mug.id, quantity: 2 })
console.log(cart.itemCount, cart.currency, cart.couponCode)

try {
  await shop.addToCart({ productId: mug.id, quantity: 6 })
} catch (error) {
  if (!isVitrineError(error, 'INSUFFICIENT_STOCK')) throw error
  const code: 'INSUFFICIENT_STOCK' = error.code
  console.log(code, error.status)
}

const account = { name: 'Asha', email: 'asha@example.com', password: 'a long password' }
const { user, merged } = await shop.signUp(account, { merge: true })
console.log(user.name, merged?.cartItems)
`

const mistakes = `
import { createClient, VitrineError } from '@vitrine/client'
const shop = createClient({ url: '', storeKey: '' })
createClient({ url: '' }) // wrong: no key
await shop.showProduct() // wrong: which one?
await shop.showProduct({ slug: 'mug' }) // wrong: it is called idOrSlug
await shop.listProducts({ sort: 'cheapest' }) // wrong: no such order
await shop.addToCart({ productId: 'prod_1', quantity: '2' }) // wrong: a number
await shop.showStore({ id: 'store_1' }) // wrong: it takes nothing
await shop.paymentWebhook({}) // wrong: no call of a shop
const page = await shop.listProducts()
const next: string = page.nextCursor // wrong: null on the last page
const total: number = page.total // wrong: only a search has one
const { merged } = await shop.signIn({ email: '', password: '' }) // wrong: only with merge
export const isKnown = (error: VitrineError) => error.code === 'NO_SUCH_CODE' // wrong: no such code
export { merged, next, total }
`

const adminProgram = (url: string, storeId: string, token: string) => `
import { type AdminProduct, createAdminClient, isVitrineError } from '@vitrine/client/admin'

const admin = createAdminClient({ url: '${url}', storeId: '${storeId}', token: '${token}' })

const lamp: AdminProduct = await admin.createProduct({ name: 'Lamp', price: 900 })
console.log(lamp.name, lamp.variants.length)

const names: string[] = []
for await (const { name } of admin.listProducts({ limit: 1 })) names.push(name)
console.log(names.sort().join(), (await admin.listProducts()).total)

const csv: string = await admin.listProducts({ format: 'csv' })
console.log(csv.includes(lamp.id))

const { etag } = await admin.getProduct({ productId: lamp.id })
await admin.updateProduct({ productId: lamp.id, price: 950 }, { ifMatch: etag })
try {
  await admin.updateProduct({ productId: lamp.id, price: 990 }, { ifMatch: etag })
} catch (error) {
  if (!isVitrineError(error, 'PRECONDITION_FAILED')) throw error
  console.log(error.code, error.status)
}
`

const adminMistakes = `
import { createAdminClient } from '@vitrine/client/admin'
const admin = createAdminClient({ url: '', storeId: '', token: '' })
createAdminClient({ url: '', token: '' }) // wrong: which store?
await admin.getProduct() // wrong: which one?
await admin.getProduct({ storeId: 'store_1', productId: 'prod_1' }) // wrong: the client knows its store
await admin.listProducts({ sort: 'cheapest' }) // wrong: no such order
await admin.listMedia({ format: 'csv' }) // wrong: not as CSV
await admin.uploadMedia({ file: 'teapot.jpg' }) // wrong: a name, not a file
await admin.getProduct({ productId: 'prod_1' }, { ifMatch: 'x' }) // wrong: only for changes
await admin.signIn({ email: '', password: '' }) // wrong: for people
const { etag } = await admin.getOrder({ id: '1' }) // wrong: orders have none
const page: string = await admin.listOrders() // wrong: only as CSV
export { etag, page }
`
