import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '../../../test/harness.ts'
import { changePaymentAccount } from './accounts.ts'
import { openScene, scriptedProvider } from './fixture.ts'
import { createPayments, openAccount } from './providers.ts'

const keyed = { ...scriptedProvider('keyed').provider, credentials: ['keyId', 'keySecret'] }
let service: TestService
before(async () => {
  service = await startTestService({ paymentProviders: [keyed] })
})
after(() => service.close())

const credentials = { keyId: 'rzp_live_1', keySecret: 'a very secret key' }

const newScene = async () => {
  const scene = await openScene(service, { provider: 'keyed' })
  const { payments } = scene.ctx
  return {
    ...scene,
    change: (given: Record<string, string>, provider = 'keyed') =>
      service.db.tx((tx) => changePaymentAccount(tx, payments, scene.store, { provider, credentials: given })),
    stored: async () =>
      (
        await service.db.one<{ credentials: string }>`
        select credentials from payment_account where store_id = ${scene.store.id}`
      ).credentials,
  }
}

test('credentials are encrypted in the database and decrypted for the provider', async () => {
  const scene = await newScene()
  await scene.change(credentials)
  const stored = await scene.stored()
  for (const value of Object.values(credentials)) assert.ok(!stored.includes(value))
  const { account } = await openAccount(scene.ctx, 'keyed')
  assert.deepEqual(account, { storeId: scene.shop.storeId, credentials })
})

test('one credential can be changed without the others', async () => {
  const scene = await newScene()
  await scene.change(credentials)
  await scene.change({ keySecret: 'a newer key' })
  const { account } = await openAccount(scene.ctx, 'keyed')
  assert.deepEqual(account.credentials, { ...credentials, keySecret: 'a newer key' })
})

test('unknown and missing credentials are refused with a reason, and nothing is changed', async () => {
  const scene = await newScene()
  await assert.rejects(scene.change({ keyId: 'x' }), { code: 'CREDENTIALS_MISSING' })
  await assert.rejects(scene.change({ ...credentials, colour: 'red' }), /no credential "colour"/)
  await assert.rejects(scene.change({ keyId: 'x' }, 'sandbox'), /Valid credentials: none/)
  await assert.rejects(scene.change({}, 'stripes'), /Valid providers: sandbox, cod, juspay, razorpay, stripe, keyed\./)
  await assert.rejects(scene.change({}, 'constructor'), { code: 'PROVIDER_UNKNOWN' })
  await assert.rejects(scene.stored())
  await assert.rejects(openAccount(scene.ctx, 'keyed'), /missing or unreadable/)
})

test('encrypted credentials of one store cannot be used in the row of another', async () => {
  const [mine, theirs] = [await newScene(), await newScene()]
  await mine.change(credentials)
  await theirs.change({ keyId: 'b', keySecret: 'c' })
  const moved = await mine.stored()
  await service.db.run`update payment_account set credentials = ${moved} where store_id = ${theirs.store.id}`
  await assert.rejects(openAccount(theirs.ctx, 'keyed'), /missing or unreadable/)
})

test('after rotating the secret, old credentials can still be decrypted', async () => {
  const scene = await newScene()
  await scene.change(credentials)
  const urls = { juspay: '', razorpay: '', stripe: '' }
  const withSecrets = (...secrets: string[]) => ({
    ...scene.ctx,
    payments: createPayments({ db: service.db, publicUrl: '', production: false, secrets, urls, more: [keyed] }),
  })
  const old = 'a secret for tests that is long enough to be one'
  const { account } = await openAccount(withSecrets('a brand new secret of the service', old), 'keyed')
  assert.deepEqual(account.credentials, credentials)
  await assert.rejects(openAccount(withSecrets('a brand new secret of the service'), 'keyed'))
})
