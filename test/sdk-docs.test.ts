import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { findStoreByPublicId } from '../src/features/access/directory.ts'
import { commandLine } from '../src/features/audit/record.ts'
import { type DemoKeys, seedDemo } from '../src/features/demo-store/demo-store.ts'
import { newDataDir, newPicture } from '../src/features/media/fixture.ts'
import { createToken } from '../src/features/staff/tokens.ts'
import { freePort } from './document-shop.ts'
import { startTestService, type TestService } from './harness.ts'
import { runTypeScriptSamples } from './samples.ts'

let service: TestService
let demo: DemoKeys
const dataDir = newDataDir()
before(async () => {
  // The samples pay, so the address of the payment page must point to this service.
  const port = await freePort()
  service = await startTestService({ port, publicUrl: `http://127.0.0.1:${port}`, dataDir: dataDir.folder })
  demo = await service.db.tx(seedDemo)
})
after(async () => {
  await service.close()
  dataDir.remove()
})

test('the sample of README.md compiles, runs, and prints the documented output', () =>
  runTypeScriptSamples('README.md', { url: service.url, storeKey: demo.browserKey }))

test('the samples of sdk/README.md compile, run, and print the documented output', () =>
  runTypeScriptSamples('sdk/README.md', { url: service.url, storeKey: demo.browserKey }))

test('the samples of docs/sdk.md compile, run, and print the documented output', async (t) => {
  // Replaces the person who reads the code.
  const reader = createServer((_, response) => response.end(service.codeFor('+919876500002'))).listen(0, '127.0.0.1')
  await once(reader, 'listening')
  t.after(() => {
    reader.close()
    reader.closeAllConnections()
  })
  const { port } = reader.address() as { port: number }
  await runTypeScriptSamples('docs/sdk.md', {
    url: service.url,
    storeKey: demo.browserKey,
    env: { VITRINE_URL: service.url, VITRINE_KEY: demo.serverKey },
    epilogue: `
      const code = () => fetch('http://127.0.0.1:${port}').then((answer) => answer.text())
      const { customer } = await signInByPhone('+919876500002', code)
      if (!customer.phoneVerified) throw new Error('signing in by phone did not work')`,
  })
})

test('the samples of docs/admin-client.md compile, run, and print the documented output', async () => {
  const store = await findStoreByPublicId(service.db, demo.storeId)
  assert.ok(store)
  const { token } = await createToken(service.app.services, { store }, commandLine, { role: 'manager' })
  await runTypeScriptSamples('docs/admin-client.md', {
    ...{ url: service.url, admin: { storeId: demo.storeId, token } },
    files: { 'teapot.jpg': await newPicture({ format: 'jpeg' }) },
  })
})

test('a sample that does not compile, fails, or prints something else is found', async () => {
  const options = { url: service.url, storeKey: demo.browserKey }
  await assert.rejects(runTypeScriptSamples('docs/sdk.md', { ...options, epilogue: 'shop.noSuchCall()' }), /noSuchCall/)
  await assert.rejects(runTypeScriptSamples('docs/sdk.md', { ...options, storeKey: 'vpk_wrong' }), /UNAUTHORIZED/)
  const more = { ...options, epilogue: `console.log('more')` }
  await assert.rejects(runTypeScriptSamples('sdk/README.md', more), /but got 2inthecartmore/)
})
