import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { verifyWebhook, WebhookError } from '../sdk/src/webhooks.ts'
import { webhookDeclarations } from '../src/contract.ts'
import { freePort } from './document-shop.ts'
import { blocksOf } from './documents.ts'
import { compile, installClient } from './samples.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

const sign = (secret: string, id: string, timestamp: number, body: string) => {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

const now = () => Math.floor(Date.now() / 1000)

/** The headers of a request that is signed with this secret. */
const headersOf = (secret: string, body: string, id = 'evt_1', timestamp = now()) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': sign(secret, id, timestamp, body),
})

const bodyOf = (type: keyof typeof webhookDeclarations, sequence = 1) =>
  JSON.stringify({
    ...{ type, timestamp: '2026-11-15T09:30:00.000Z', storeId: 'store_1', sequence },
    data: webhookDeclarations[type].example,
  })

test('the client verifies the signature of the published vector', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_700_000_000_000 })
  const event = await verifyWebhook({
    secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': 'v1,zrQUmCMn5mX39vfp196qfxo3mHoIRkGOWYHPLsTyK68=',
    },
    body: '{"type":"order.paid","timestamp":"2026-11-15T09:30:00Z","data":{"id":"ord_1"}}',
  })
  assert.deepEqual([event.id, event.type, event.data], ['msg_1', 'order.paid', { id: 'ord_1' }])
})

const capitalised = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.replaceAll(/\b[a-z]/g, (c) => c.toUpperCase()), value]),
  )

test('an event is accepted with either secret, from Headers and from bytes', async () => {
  const [old, next] = [newSecret(), newSecret()]
  const body = bodyOf('order.paid')
  const headers = headersOf(old, body)
  const both = { ...headers, 'webhook-signature': `v1a,AAAA ${sign(next, 'evt_1', now(), body)} not-base64` }
  for (const request of [
    { secret: old, headers, body },
    { secret: [next, old], headers: new Headers(headers), body: new TextEncoder().encode(body) },
    { secret: next, headers: both, body },
    { secret: old, headers: capitalised(headers), body },
  ]) {
    const event = await verifyWebhook(request)
    assert.equal(event.type === 'order.paid' && event.data.customer.name, 'Asha Rao')
  }
})

test('a changed, old, future or unsigned request is refused', async () => {
  const secret = newSecret()
  const body = bodyOf('order.paid')
  const good = headersOf(secret, body)
  const refused: [name: string, request: Parameters<typeof verifyWebhook>[0]][] = [
    ['another body', { secret, headers: good, body: body.replace('order.paid', 'order.lost') }],
    ['another id', { secret, headers: { ...good, 'webhook-id': 'evt_2' }, body }],
    ['another secret', { secret: newSecret(), headers: good, body }],
    ['no secret', { secret: [], headers: good, body }],
    ['a secret that is none', { secret: 'whsec_%', headers: good, body }],
    ['an old time', { secret, headers: headersOf(secret, body, 'evt_1', now() - 301), body }],
    ['a future time', { secret, headers: headersOf(secret, body, 'evt_1', now() + 302), body }],
    ['no time', { secret, headers: { ...good, 'webhook-timestamp': 'soon' }, body }],
    ['no signature', { secret, headers: { ...good, 'webhook-signature': undefined }, body }],
    ['an empty signature', { secret, headers: { ...good, 'webhook-signature': 'v1,' }, body }],
    ['two ids', { secret, headers: { ...good, 'webhook-id': ['evt_1', 'evt_1'] }, body }],
  ]
  for (const text of ['', '{', '[]', 'null', '"order.paid"', '{}']) {
    refused.push([`the signed body ${text}`, { secret, headers: headersOf(secret, text), body: text }])
  }
  for (const [name, request] of refused) await assert.rejects(verifyWebhook(request), WebhookError, name)
  await assert.rejects(verifyWebhook({ secret: newSecret(), headers: good, body }), /The signature does not match\./)
})

/** Starts a receiver of the guide, and returns its address and what it has printed. */
const startReceiver = async (t: TestContext, folder: string, file: string, secret: string) => {
  const port = await freePort()
  const env = { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: secret }
  const child: ChildProcess = spawn(process.execPath, [join(folder, file)], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill())
  let printed = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const prints = async (text: string) => {
    while (!printed.includes(text)) await once(child.stdout as NonNullable<typeof child.stdout>, 'data')
  }
  await prints('waiting for events')
  return { url: `http://127.0.0.1:${port}`, prints, printed: () => printed }
}

test('the receivers of the guide take authentic events and refuse others', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-receivers-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const { info, text } of blocksOf('docs/receiving-webhooks.md')) {
    const [, file] = info.split(' ')
    if (file?.startsWith('receiver.')) writeFileSync(join(folder, file), text)
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  await installClient(folder)
  await compile(folder, { types: ['node'] })
  for (const [file, line] of [
    ['receiver.mjs', 'order.paid 1 1001'],
    ['receiver.js', 'ship order 1001 to Asha Rao'],
  ] as const) {
    const secret = newSecret()
    const receiver = await startReceiver(t, folder, file, secret)
    const send = async (headers: Record<string, string>, body: string) =>
      (await fetch(receiver.url, { method: 'POST', headers, body })).status
    const body = bodyOf('order.paid')
    assert.equal(await send(headersOf(newSecret(), body), body), 400, file)
    assert.equal(await send(headersOf(secret, body), body), 204, file)
    await receiver.prints(line)
    const probe = bodyOf('webhook.test')
    assert.equal(await send(headersOf(secret, probe, 'evt_2'), probe), 204, file)
    if (file === 'receiver.mjs') await receiver.prints('webhook.test 1')
    assert.equal(receiver.printed().includes('undefined'), false)
  }
})
