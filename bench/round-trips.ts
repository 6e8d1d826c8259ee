import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { EmbeddedServer } from '../src/db/embedded.ts'

/** A way to the database that counts how often something is sent after an answer: as often as the service waits for it. */
export const openRelay = async ({ host, port, user, password, database }: EmbeddedServer['connection']) => {
  let roundTrips = 0
  const server = createServer((near) => {
    const far = host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host)
    let isAnswered = true
    near.on('data', (bytes) => {
      if (isAnswered) roundTrips++
      isAnswered = false
      far.write(bytes)
    })
    far.on('data', (bytes) => {
      isAnswered = true
      near.write(bytes)
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => {}).on('close', () => other.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as AddressInfo
  return {
    url: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${own}/${database}`,
    count: () => roundTrips,
    close: () => server.close(),
  }
}
