import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { createLogger } from '../../logging.ts'
import type { SmsMessage, SmsSender } from './sender.ts'

export type Seen = { method: string; path: string; headers: IncomingHttpHeaders; body: string }
export type Reply = (response: ServerResponse) => void

/** A local vendor that records its requests and sends the given reply. */
export const startVendor = async (t: TestContext, reply: Reply) => {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    request.setEncoding('utf8')
    let body = ''
    for await (const part of request) body += part
    seen.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body })
    reply(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  t.after(close)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close }
}

export const answer =
  (status: number, body: string, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response.writeHead(status, headers).end(body)

/** Sends the headers and half of the body, then closes the connection. */
export const cutOff =
  (status: number, body: string): Reply =>
  (response) => {
    response.writeHead(status, { 'content-length': body.length })
    response.write(body.slice(0, body.length / 2), () => response.destroy())
  }

export const hangUp: Reply = (response) => response.destroy()
export const saysNothing: Reply = () => {}

/** Sends a body that never ends. */
export const endless =
  (status: number): Reply =>
  (response) => {
    response.writeHead(status)
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
    }
    response.on('drain', more)
    more()
  }

export const message: SmsMessage = {
  phone: '+919876543210',
  code: '493817',
  text: '493817 is your code for Kavya & Co.',
  storeId: 'store_01k8x0v3m7q2w9c4t6y8za',
  storeName: 'Kavya & Co.',
}

/** The error of a failed send. */
export const failureOf = (sender: SmsSender): Promise<Error> =>
  sender.send(message).then(
    () => assert.fail('the message was sent'),
    (error) => error,
  )

/** The log line of an error, with causes and stacks. */
export const logged = (error: Error) => {
  const lines: string[] = []
  createLogger({ logLevel: 'info' }, { write: (line) => void lines.push(line) }).warn({ err: error }, error.message)
  return lines.join('')
}
