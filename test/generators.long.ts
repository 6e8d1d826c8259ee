import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { newStore, serviceFor } from './harness.ts'

/** Clients that public generators make from `/openapi.json`. Needs the network, to fetch the generators. */
const generators = {
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  '@hey-api/openapi-ts': '0.99.0',
  // Both generators are made with the compiler that they bring along.
  typescript: '5.9.3',
}

const newProject = async (t: TestContext, ...packages: (keyof typeof generators)[]) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-generators-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  const run = async (command: string, ...args: string[]) => {
    try {
      return (await promisify(execFile)(command, args, { cwd: folder, env, maxBuffer: 2 ** 26 })).stdout
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: string; stderr?: string }
      throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error })
    }
  }
  const exact = packages.map((name) => `${name}@${generators[name]}`)
  await run('npm', 'install', '--no-audit', '--no-fund', '--save-exact', ...exact)
  return { folder, run }
}

const compileAndRun = async ({ folder, run }: Awaited<ReturnType<typeof newProject>>, program: string) => {
  writeFileSync(join(folder, 'program.ts'), program)
  const compilerOptions = {
    ...{ target: 'es2022', module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'dom', 'dom.iterable'] },
    ...{ types: [], strict: true, noUncheckedIndexedAccess: true, noEmit: true, skipLibCheck: true },
    ...{ allowImportingTsExtensions: true },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
  await run('npx', 'tsc')
  // Generated code leaves out the endings that Node wants, so it is bundled as an app would be.
  const { build } = await import('esbuild')
  await build({
    ...{ entryPoints: [join(folder, 'program.ts')], outfile: join(folder, 'program.mjs'), bundle: true },
    ...{ platform: 'node', format: 'esm', logLevel: 'silent' },
  })
  return run(process.execPath, 'program.mjs')
}

const openShop = async (t: TestContext) => {
  const service = await serviceFor(t)
  const store = await newStore(service)
  await store.add({ name: 'Mug', price: 10, stock: 5 })
  return { url: service.url, key: store.key }
}

test('types made by openapi-typescript compile, and a client on them works', async (t) => {
  const { url, key } = await openShop(t)
  const project = await newProject(t, 'openapi-typescript', 'openapi-fetch', 'typescript')
  await project.run('npx', 'openapi-typescript', `${url}/openapi.json`, '-o', 'api.ts')
  const printed = await compileAndRun(
    project,
    `
    import createClient from 'openapi-fetch'
    import type { components, paths } from './api.ts'
    const client = createClient<paths>({ baseUrl: '${url}', headers: { 'x-store-key': '${key}' } })
    const { data = [] } = await client.GET('/v1/products', { params: { query: { limit: 5, sort: 'price' } } })
    const mug: components['schemas']['Product'] | undefined = data[0]
    const added = await client.POST('/v1/cart', { body: { productId: mug?.id ?? '', quantity: 2 } })
    console.log(mug?.name, added.response.status, added.data?.itemCount)
    const missing = await client.GET('/v1/products/{idOrSlug}', { params: { path: { idOrSlug: 'none' } } })
    console.log(missing.error?.code)
    `,
  )
  assert.equal(printed, 'Mug 201 2\nNOT_FOUND\n')
})

test('a client made by @hey-api/openapi-ts compiles and works', async (t) => {
  const { url, key } = await openShop(t)
  const project = await newProject(t, '@hey-api/openapi-ts', 'typescript')
  await project.run('npx', 'openapi-ts', '-i', `${url}/openapi.json`, '-o', 'api')
  assert.ok(existsSync(join(project.folder, 'api/sdk.gen.ts')))
  const printed = await compileAndRun(
    project,
    `
    import { addToCart, listProducts, showProduct } from './api/index.ts'
    import { client } from './api/client.gen.ts'
    client.setConfig({ baseUrl: '${url}', headers: { 'x-store-key': '${key}' } })
    const { data = [] } = await listProducts({ query: { limit: 5, sort: 'price' } })
    const added = await addToCart({ body: { productId: data[0]?.id ?? '', quantity: 2 } })
    console.log(data[0]?.name, added.response?.status, added.data?.itemCount)
    const missing = await showProduct({ path: { idOrSlug: 'none' } })
    console.log(missing.error?.code)
    `,
  )
  assert.equal(printed, 'Mug 201 2\nNOT_FOUND\n')
})
