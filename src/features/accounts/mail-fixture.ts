import assert from 'node:assert/strict'
import { after, before, type TestContext } from 'node:test'
import { serviceFor, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { mailSealContext } from '../events/record.ts'
import { post } from './fixture.ts'
import { makeResetToken, makeVerifyToken } from './mail-links.ts'
import { createPasswordHasher } from './passwords.ts'

export const email = 'asha@example.com'
export const password = 'correct horse battery'
export const newPassword = 'another horse battery'

/** Hashes fast. */
export const fastPasswords = () => createPasswordHasher({ cost: { memory: 8, passes: 1, parallelism: 1 } })

/** Starts two instances before the tests of a file and closes them after the last. */
export const useInstances = (use: (service: TestService, neighbour: TestService) => void) => {
  const started: TestService[] = []
  const start = async () => {
    const service = await startTestService({ passwords: fastPasswords() })
    started.push(service)
    return service
  }
  before(async () => use(await start(), await start()))
  after(() => Promise.all(started.map((service) => service.close())))
}

/** A service for one test, which moves its clock. */
export const movableService = (t: TestContext) => serviceFor(t, { passwords: fastPasswords() })

export const signUp = (service: TestService, shop: TestStore, account: object = {}) =>
  post(service, shop, '/v1/signup', { name: 'Asha', email, password, ...account })

export const signIn = (service: TestService, shop: TestStore, change: object = {}) =>
  post(service, shop, '/v1/signin', { email, password, ...change })

export const forgot = (service: TestService, shop: Pick<TestStore, 'key'>, change: object = {}) =>
  post(service, shop, '/v1/auth/password/forgot', { email, ...change })

export const reset = (service: TestService, shop: Pick<TestStore, 'key'>, token: string, change: object = {}) =>
  post(service, shop, '/v1/auth/password/reset', { token, password: newPassword, ...change })

export const verifyByLink = (service: TestService, shop: Pick<TestStore, 'key'>, token: string) =>
  post(service, shop, '/v1/auth/email/verify', { token })

/** The calls of one session. */
export const withSession = (service: TestService, shop: Pick<TestStore, 'key'>, token: string) => {
  const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    service.call(path, {
      method,
      headers: {
        'x-store-key': shop.key,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return {
    call,
    isAlive: async () => (await call('GET', '/v1/customer')).status === 200,
    change: (body: object) => call('PATCH', '/v1/customer', body),
    setPassword: (body: object) => call('POST', '/v1/customer/password', body),
    askAgain: (body: object = {}) => call('POST', '/v1/auth/email/verify/request', body),
  }
}

/** The statements of an action, without those that read the key, which is cached for a second. */
export const recordStatements = async <Result>(service: TestService, work: () => Promise<Result>) => {
  const texts: string[] = []
  const stop = service.db.onStatement((text) => texts.push(text))
  const result = await work().finally(stop)
  return { result, texts: texts.filter((text) => !/ from store_key| from store s/.test(text)) }
}

export type QueuedMail = {
  message: string
  recipient: string
  language: string | null
  data: { origin?: string; customerId?: string; expiresAt?: string }
  sealed: string | null
}

/** The mail that waits for an address of a store, oldest first. */
export const mailTo = async (service: TestService, shop: TestStore, recipient = email, message?: string) => {
  const { id } = await shop.load()
  const all = await service.db.many<QueuedMail>`
    select message, recipient, language, data, sealed from mail
    where store_id = ${id} and recipient = ${recipient} order by created_at, id`
  return message === undefined ? all : all.filter((mail) => mail.message === message)
}

/** The code in the last mail to an address. */
export const codeMailedTo = async (service: TestService, shop: TestStore, recipient = email) => {
  const sealed = (await mailTo(service, shop, recipient, 'otp.code')).at(-1)?.sealed
  assert.ok(sealed, `no code was mailed to ${recipient}`)
  const code = service.app.services.mailSeal.open(sealed, mailSealContext(await shop.load(), recipient))
  assert.ok(code)
  return code
}

/** The token of a link, as the mail job makes it. */
export const newResetLink = async (service: TestService, shop: TestStore, recipient = email) => {
  const link = await makeResetToken(service.db, await shop.load(), recipient)
  assert.ok(link, `${recipient} signs nobody in`)
  return link.token
}

export const newVerifyLink = async (service: TestService, shop: TestStore, customerId: string, recipient = email) => {
  const link = await makeVerifyToken(service.db, await shop.load(), { email: recipient, customerId })
  assert.ok(link, `${recipient} is not to be confirmed`)
  return link.token
}
