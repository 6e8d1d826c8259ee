import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { after, before, test } from 'node:test'
import sharp from 'sharp'
import { newProgram } from '../../test/admin-callers.ts'
import { newStore, startTestService, type TestService, type TestStore, withinASecond } from '../../test/harness.ts'

/** On the endpoint for pictures, which takes files up to 10 MiB. */
let service: TestService
let shop: TestStore
let credentials: Record<string, string>
before(async () => {
  service = await startTestService()
  shop = await newStore(service)
  credentials = (await newProgram(service, shop)).credentials
})
after(() => service.close())

const boundary = 'xxVITRINExx'
const type = { 'content-type': `multipart/form-data; boundary=${boundary}` }
const part = (name: string, value: string, fileName?: string) =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n\r\n${value}\r\n`
const end = `--${boundary}--\r\n`

/** Sends the parts of a body one by one. `isComplete` false: never ends it. */
const send = (
  parts: readonly (string | Buffer)[],
  { headers = type, isComplete = true, abortAfterMs = 0, as = credentials }: SendOptions = {},
) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const url = `${service.url}/admin/v1/stores/${shop.storeId}/media`
    const call = request(url, { method: 'POST', headers: { ...as, ...headers } }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, text })
        call.destroy()
      })
    })
    call.on('error', reject)
    for (const one of parts) call.write(one)
    if (isComplete) call.end()
    if (abortAfterMs > 0) setTimeout(() => call.destroy(new Error('aborted')), abortAfterMs)
  })
type SendOptions = {
  headers?: Record<string, string>
  isComplete?: boolean
  abortAfterMs?: number
  as?: Record<string, string>
}

const temporaryFiles = () => readdirSync(tmpdir()).filter((name) => name.startsWith('vitrine-upload-'))

const assertError = ({ status, text }: { status: number; text: string }, wanted: number, message: RegExp) => {
  assert.equal(status, wanted, text)
  const body = JSON.parse(text)
  assert.deepEqual(Object.keys(body).sort(), ['code', 'error'])
  assert.match(body.error, message)
}

test('access is judged by the headers, before any of the file arrives', async () => {
  const viewer = await newProgram(service, shop, { role: 'viewer' })
  const half = [part('alt', 'x'), part('file', 'half of', 'a.png')]
  assert.equal((await send(half, { isComplete: false, as: viewer.credentials })).status, 403)
  assert.equal((await send(half, { isComplete: false, as: {} })).status, 401)
})

test('a body that is no form, or a form without its file, is refused clearly', async () => {
  assertError(await send(['{}'], { headers: { 'content-type': 'application/json' } }), 415, /multipart\/form-data/)
  assertError(await send(['a'], { headers: { 'content-type': 'multipart/form-data' } }), 400, /form/)
  assertError(await send([], { headers: {} }), 400, /multipart\/form-data/)
  assertError(await send(['no form at all']), 400, /not a complete and valid form/)
  assertError(await send([end]), 400, /needs a file/)
  assertError(await send([part('alt', 'x'), end]), 400, /needs a file/)
  assertError(await send([part('file', 'text'), end]), 400, /needs a file/)
  assertError(await send([part('picture', 'x', 'a.png'), end]), 400, /in the field "file"/)
  assertError(await send([part('file', 'x', 'a.png'), part('file', 'y', 'b.png'), end]), 400, /more than one file/)
  assertError(await send([part('alt', 'a'), part('alt', 'b'), part('file', 'x', 'a.png'), end]), 400, /field twice/)
  assertError(await send([part('alt', 'a'.repeat(70_000)), part('file', 'x', 'a'), end]), 400, /too long/)
  assertError(await send([part('alt', 'a\0b'), part('file', 'x', 'a'), end]), 400, /NUL/)
  assertError(await send([part('file', 'x', 'a\0b.png'), end]), 400, /NUL/)
  assertError(await send([part('__proto__', 'a'), part('file', 'x', 'a'), end]), 400, /form/)
  const many = Array.from({ length: 40 }, (_, n) => part(`f${n}`, 'x'))
  assertError(await send([...many, part('file', 'x', 'a'), end]), 400, /more than 30 fields/)
  assertError(await send([part('alt', 'a'.repeat(3_000)), part('file', 'x', 'a'), end]), 400, /alt/)
  assertError(await send([part('file', '<svg></svg>', 'a.png'), end]), 400, /SVG/)
})

test('a file needs no name', async () => {
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"\r\ncontent-type: application/octet-stream\r\n\r\n`
  const picture = await sharp({ create: { width: 2, height: 2, channels: 3, background: '#0a5c36' } })
    .png()
    .toBuffer()
  const { status, text } = await send([head, picture, `\r\n${end}`])
  assert.deepEqual([status, JSON.parse(text).name], [201, ''], text)
})

test('a file over the limit is refused: at once if the length is known, otherwise at the limit', async () => {
  const length = { ...type, 'content-length': String(300 * 1024 * 1024) }
  assertError(await send([part('file', 'x', 'a')], { headers: length, isComplete: false }), 413, /10 MiB/)
  const megabyte = Buffer.alloc(1024 * 1024)
  const head = part('file', '', 'a.png').trimEnd()
  const body = [`${head}\r\n\r\n`, ...Array.from({ length: 11 }, () => megabyte)]
  assertError(await send(body, { isComplete: false }), 413, /10 MiB/)
})

test('an upload that is aborted or refused leaves no file behind', async () => {
  const head = part('file', '', 'a.png').trimEnd()
  const started = [`${head}\r\n\r\n`, Buffer.alloc(300_000)]
  await assert.rejects(send(started, { isComplete: false, abortAfterMs: 100 }), /aborted/)
  await send([part('file', 'no picture', 'a.png'), end])
  assert.ok(await withinASecond(async () => temporaryFiles().length === 0), temporaryFiles().join())
})

test('uploads under way are limited, for all stores and for one of them, and further ones get 503', async (t) => {
  const limited = await startTestService({ maxUploads: 4 })
  t.after(() => limited.close())
  const openShop = async () => {
    const { storeId, ...opened } = await newStore(limited)
    const { credentials: as } = await newProgram(limited, { storeId, ...opened })
    return (body: string, isComplete = false) => {
      const state: { status?: number; retryAfter?: string | undefined } = {}
      const options = { method: 'POST', headers: { ...as, ...type } }
      const call = request(`${limited.url}/admin/v1/stores/${storeId}/media`, options, (answer) => {
        state.status = answer.statusCode ?? 0
        state.retryAfter = answer.headers['retry-after']
        answer.resume()
      })
      call.on('error', () => {})
      call.write(body)
      if (isComplete) call.end()
      t.after(() => call.destroy())
      return { call, state }
    }
  }
  const [first, second, third] = [await openShop(), await openShop(), await openShop()]
  /** Begins three uploads, of which a store gets two. */
  const fill = async (begin: typeof first) => {
    const begun = [begin(part('alt', 'x')), begin(part('alt', 'x')), begin(part('alt', 'x'))]
    assert.ok(await withinASecond(async () => begun.some(({ state }) => state.status !== undefined)))
    const refused = begun.filter(({ state }) => state.status !== undefined)
    assert.deepEqual(
      refused.map(({ state }) => state),
      [{ status: 503, retryAfter: '5' }],
    )
    return begun.filter((one) => !refused.includes(one))
  }
  const [held] = await fill(first)
  await fill(second)
  const statusOf = async () => {
    const { state } = third(part('file', 'no picture', 'a.png') + end, true)
    assert.ok(await withinASecond(async () => state.status !== undefined))
    return state.status
  }
  assert.equal(await statusOf(), 503, 'all are taken')
  held?.call.destroy()
  assert.ok(await withinASecond(async () => (await statusOf()) === 400), 'an upload that ended leaves its place')
})
