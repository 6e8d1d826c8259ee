import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { newStore, startTestService, type TestService, type TestStore } from './harness.ts'

let service: TestService
let shop: TestStore
before(async () => {
  service = await startTestService()
  shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 10 })
})
after(() => service.close())

type Heard = { status: number; headers: string; body: string; json?: { error: string; code: string } }

/** Says exactly this and hears everything until the line is closed. */
const say = (text: string | Buffer) =>
  new Promise<Heard[]>((resolve, reject) => {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname, () => socket.write(text))
    let heard = ''
    socket.setEncoding('utf8')
    socket.on('data', (piece) => {
      heard += piece
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(readAnswers(heard)))
  })

const readAnswers = (heard: string): Heard[] =>
  heard.split(/(?=HTTP\/1\.1 \d{3} )/).map((answer) => {
    const [headers = '', body = ''] = answer.split('\r\n\r\n')
    const isJson = /content-type: application\/json/i.test(headers) && body !== ''
    return { status: Number(answer.slice(9, 12)), headers, body, ...(isJson ? { json: JSON.parse(body) } : {}) }
  })

const assertRefused = async (text: string | Buffer, status: number, code: string, what = '') => {
  const [answer] = await say(text)
  assert.equal(answer?.status, status, `${what}: ${answer?.headers}`)
  assert.deepEqual(Object.keys(answer?.json ?? {}).sort(), ['code', 'error'], what)
  assert.equal(answer?.json?.code, code, what)
}

const usual = () => `Host: x\r\nX-Store-Key: ${shop.key}\r\nConnection: close\r\n`
const get = (target: string, headers = usual()) => say(`GET ${target} HTTP/1.1\r\n${headers}\r\n`)

test('input that is not HTTP gets a documented error', async () => {
  const nonsense = {
    'no request line': 'hello\r\n\r\n',
    'an unknown method': 'FROB /v1/products HTTP/1.1\r\nHost: x\r\n\r\n',
    'a method in small letters': 'get /v1/products HTTP/1.1\r\nHost: x\r\n\r\n',
    'an unknown version': 'GET /v1/products HTTP/9.9\r\nHost: x\r\n\r\n',
    'a space in the address': 'GET /v1/pro ducts HTTP/1.1\r\nHost: x\r\n\r\n',
    'a header without a colon': 'GET /v1/products HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n',
    'a header with a control character': 'GET /v1/products HTTP/1.1\r\nHost: x\r\nX-A: a\x01b\r\n\r\n',
    'a NUL in the address': 'GET /v1/\0 HTTP/1.1\r\nHost: x\r\n\r\n',
    'the greeting of TLS': Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
    'a length that is no number': 'POST /v1/products HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n',
    'two different lengths':
      'POST /v1/products HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'a length and chunks':
      'POST /v1/products HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  }
  for (const [what, text] of Object.entries(nonsense)) await assertRefused(text, 400, 'BAD_REQUEST', what)
})

test('headers of 16 kB are too large and get a documented error', async () => {
  const oneLarge = `X-Large: ${'x'.repeat(17_000)}\r\n`
  const many = Array.from({ length: 1000 }, (_, i) => `X-Header-${i}: some value\r\n`).join('')
  for (const headers of [oneLarge, many]) {
    await assertRefused(`GET /v1/store HTTP/1.1\r\n${usual()}${headers}\r\n`, 431, 'HEADERS_TOO_LARGE')
  }
  await assertRefused(`GET /v1/${'x'.repeat(17_000)} HTTP/1.1\r\n${usual()}\r\n`, 431, 'HEADERS_TOO_LARGE')
  const [fits] = await get('/v1/store', `${usual()}X-Large: ${'x'.repeat(12_000)}\r\n`)
  assert.equal(fits?.status, 200)
})

test('an address with scheme and host is the same address', async () => {
  const [whole] = await get('http://x/v1/products')
  const [plain] = await get('/v1/products')
  assert.equal(whole?.status, 200)
  assert.equal(whole?.body, plain?.body)
  const [guarded] = await get('http://x/v1/products', 'Host: x\r\nConnection: close\r\n')
  assert.equal(guarded?.json?.code, 'UNAUTHORIZED')
  for (const target of ['http://x/v1/nowhere', 'HTTP://x/v1/nowhere', '/v1/nowhere']) {
    const [unknown] = await get(target)
    assert.equal(unknown?.json?.code, 'NOT_FOUND', target)
    assert.match(unknown?.headers ?? '', /^ratelimit-remaining: /im, `${target} is counted`)
  }
})

test('addresses with double slashes, dots or stars are 404', async () => {
  for (const target of [
    '//v1//products',
    '/v1//products',
    '/./v1/products',
    '/v1/../v1/products',
    '/demo/images/../store.json',
  ]) {
    const [answer] = await get(target)
    assert.equal(answer?.json?.code, 'NOT_FOUND', `${target}: ${answer?.headers}`)
  }
  const [star] = await say('OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  assert.equal(star?.json?.code, 'NOT_FOUND')
})

test('no path leads out of the image folder', async () => {
  const [picture] = await get('/demo/images/logo.svg')
  assert.equal(picture?.status, 200)
  assert.match(picture?.body ?? '', /<svg/)
  for (const name of [
    '../store.json',
    '..%2fstore.json',
    '%2e%2e%2fstore.json',
    '%2e%2e/store.json',
    '....//store.json',
    '..%5cstore.json',
    '..%c0%afstore.json',
    'logo.svg/../../store.json',
    '/etc/passwd',
    '%2fetc%2fpasswd',
    'file:///etc/passwd',
    'logo.svg%00',
  ]) {
    const [answer] = await get(`/demo/images/${name}`)
    assert.ok(answer?.status === 404 || answer?.status === 400, `${name}: ${answer?.headers}`)
    assert.ok(answer?.json?.code, name)
  }
})

test('a request without Host is refused, except in HTTP/1.0', async () => {
  const key = `X-Store-Key: ${shop.key}\r\nConnection: close\r\n\r\n`
  await assertRefused(`GET /v1/store HTTP/1.1\r\n${key}`, 400, 'BAD_REQUEST')
  const [old] = await say(`GET /v1/store HTTP/1.0\r\n${key}`)
  assert.equal(old?.status, 200)
  const sound = `GET /v1/products?limit=3 HTTP/1.1\r\nHost: x\r\nX-Store-Key: ${shop.key}\r\n\r\n`
  const both = await say(`${sound}GET /v1/store HTTP/1.1\r\n${key}`)
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 400],
    'the answer before it goes out all the same',
  )
})

test('an unknown expectation is ignored', async () => {
  const [answer] = await get('/v1/store', `${usual()}Expect: a-miracle\r\n`)
  assert.equal(answer?.status, 200)
})

test('a request to upgrade the protocol is ignored', async () => {
  const upgrade = `Host: x\r\nX-Store-Key: ${shop.key}\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n`
  const [answer] = await get('/v1/store', upgrade)
  assert.equal(answer?.status, 200)
})

test('pipelined requests are answered in order', async () => {
  const one = (path: string, last = false) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Store-Key: ${shop.key}\r\n${last ? 'Connection: close\r\n' : ''}\r\n`
  const answers = await say(one('/v1/store') + one('/v1/nowhere') + one('/v1/menu') + one('/v1/products', true))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 404, 200, 200],
  )
  assert.match(answers[0]?.body ?? '', /"defaultOutletId"/)
  assert.match(answers[2]?.body ?? '', /^\{"items":/)
  assert.match(answers[3]?.body ?? '', /^\[/)
})

test('a request cannot inject a response header', async () => {
  const [answer] = await get('/v1/products?limit=1&x=%0d%0aset-cookie:%20a=b', `${usual()}X-Request-Id: a%0d%0ab\r\n`)
  assert.equal(answer?.status, 200)
  assert.doesNotMatch(answer?.headers ?? '', /^set-cookie/im)
  assert.match(answer?.headers ?? '', /^x-request-id: [\w-]{10}\r?$/im, 'one of our own instead')
})

test('the service is healthy afterwards', async () => {
  assert.equal((await service.call('/health')).status, 200)
  const failures = service.logLines.filter((line) => JSON.parse(line).level >= 50)
  assert.deepEqual(failures, [])
})
