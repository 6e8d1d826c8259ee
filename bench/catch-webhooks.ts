import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OneRequest } from './send-each.ts'

/** Takes the webhooks of a double in the place of the service, so that the bench decides when they arrive there. */
export const catchWebhooks = async (serviceUrl: string) => {
  const caught: OneRequest[] = []
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part)
    const kept = Object.entries(incoming.headers).filter(([name]) => isPassedOn(name))
    caught.push({
      url: `${serviceUrl}${incoming.url}`,
      headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
      body: Buffer.concat(parts).toString('utf8'),
    })
    response.end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Does not keep the bench running after its end.
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    /** Those since the last call. */
    take: () => caught.splice(0),
  }
}

const isPassedOn = (header: string) => /^(content-type|authorization|x-store-id|x-razorpay-.*|stripe-.*)$/.test(header)
