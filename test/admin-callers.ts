import assert from 'node:assert/strict'
import { randomText } from '../src/core/ids.ts'
import type { StaffRole } from '../src/features/access/admin.contract.ts'
import { commandLine } from '../src/features/audit/record.ts'
import { addMember } from '../src/features/staff/members.ts'
import { createToken, type NewToken } from '../src/features/staff/tokens.ts'
import type { Answer, TestService, TestStore } from './harness.ts'

/** The origin of the service's own pages in tests. */
export const ownOrigin = 'http://vitrine.test'

export const staffPassword = 'a good password'

export const jsonBody = (body: unknown) => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** The cookie that an answer sets, as the browser sends it back. */
export const cookieOf = (answer: Answer) => {
  const [cookie] = (answer.headers.get('set-cookie') ?? '').split(';')
  assert.match(cookie ?? '', /^vitrine_staff=sst_/)
  return cookie as string
}

export type StaffCaller = Awaited<ReturnType<typeof newStaff>>

/** A staff member of the store who is signed in. */
export const newStaff = async (service: TestService, shop: TestStore, role: StaffRole = 'owner') => {
  const store = await shop.load()
  const email = `${randomText(10)}@staff.example`
  const { staffId, link } = await addMember(service.app.services, { store }, commandLine, {
    email,
    role,
    name: 'Meera',
  })
  const token = new URL(link ?? '').searchParams.get('token')
  const answer = await service.call('/admin/v1/password', {
    method: 'POST',
    ...jsonBody({ token, password: staffPassword }),
  })
  assert.equal(answer.status, 200, answer.text)
  return { id: staffId, email, ...callerWith(service, shop, { cookie: cookieOf(answer) }) }
}

/** A program with a token of the store. */
export const newProgram = async (service: TestService, shop: TestStore, rights: NewToken = { role: 'owner' }) => {
  const store = await shop.load()
  const { id, token } = await createToken(service.app.services, { store }, commandLine, rights)
  return { id, token, ...callerWith(service, shop, { authorization: `Bearer ${token}` }) }
}

const callerWith = (service: TestService, shop: TestStore, credentials: Record<string, string>) => {
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const sent = body === undefined ? { headers: {} } : jsonBody(body)
    return service.call(`/admin/v1${path}`, {
      method,
      ...sent,
      headers: { ...credentials, origin: ownOrigin, ...sent.headers, ...headers },
    })
  }
  return {
    credentials,
    call,
    /** A call about the store: `path` begins behind its id. */
    inStore: (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      call(method, `/stores/${shop.storeId}${path}`, body, headers),
    /** Sends a form with a file. */
    upload: async (path: string, { bytes, name, fields = {}, headers = {} }: UploadedForm): Promise<Answer> => {
      const form = new FormData()
      for (const [field, value] of Object.entries(fields)) form.set(field, value)
      form.set('file', new Blob([new Uint8Array(Buffer.from(bytes))]), name)
      const answer = await fetch(`${service.url}/admin/v1/stores/${shop.storeId}${path}`, {
        ...{ method: 'POST', body: form, headers: { ...credentials, ...headers } },
      })
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) }
    },
  }
}

export type UploadedForm = {
  bytes: Uint8Array | string
  name: string
  fields?: Record<string, string>
  headers?: Record<string, string>
}

/** The link in the last mail of this name to an address. The service has its own database: see `serviceAlone`. */
export const mailedLink = async (service: TestService, address: string, name: string): Promise<string> => {
  for (;;) {
    await service.app.jobs.runDue()
    const mail = service.mails.findLast((sent) => sent.to === address && sent.name === name)
    const [link] = /https?:\/\/\S+\/admin\/set-password\?token=\w+/.exec(mail?.text ?? '') ?? []
    if (link !== undefined) return link
  }
}
