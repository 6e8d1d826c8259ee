import { readdirSync, readFileSync } from 'node:fs'
import { findServer } from './buying-cpu.ts'
import { type Read, readsOf } from './reads.ts'
import type { Shop } from './shop.ts'

/**
 * Processor time of reads from the database, one request at a time. The lowest fifth of the requests counts, because other
 * load on the machine only adds to it: caches of the processor are then cold. So it can be compared where rates cannot.
 */
export const measureProcessor = async (shops: readonly Shop[], only: string, print: (text: string) => void) => {
  print(`${'read'.padEnd(36)} ${'products'.padStart(9)}  service ms  database ms     cost`)
  const servers = await Promise.all(shops.map((shop) => findServer(shop.database.connection)))
  for (const read of readsOf()) {
    const isMeasured = read.uncached && !read.anyPage && !read.path.includes('{deep}') && read.name.includes(only)
    if (!isMeasured) continue
    const times: Times[] = []
    for (const [i, shop] of shops.entries()) times.push(await measureRead(read, shop, servers[i] as number))
    for (const [i, { service, database }] of times.entries()) {
      const first = times[0] as Times
      const cost = i === 0 ? '' : `${((service + database) / (first.service + first.database)).toFixed(1)} ×`
      const cells = [
        (shops[i] as Shop).products.toLocaleString('en').padStart(9),
        service.toFixed(2).padStart(11),
        database.toFixed(2).padStart(12),
        cost.padStart(8),
      ]
      print(`${read.name.padEnd(36)} ${cells.join(' ').trimEnd()}`)
    }
  }
}

type Times = { service: number; database: number }

const requests = 40

const measureRead = async ({ path, paths = [path] }: Read, shop: Shop, server: number): Promise<Times> => {
  const measured = paths.map((): Times[] => [])
  for (let round = -requests / 4; round < requests; round++) {
    for (const [i, address] of paths.entries()) {
      const place = address.replace('{product}', shop.someProduct)
      const url = `${shop.service.url}${place}${place.includes('?') ? '&' : '?'}_=${Math.random()}`
      const before = readTimes(shop.service.pid, server)
      const response = await fetch(url, { headers: shop.headers })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`${place}: the answer was ${response.status}`)
      const after = readTimes(shop.service.pid, server)
      if (round >= 0)
        measured[i]?.push({ service: after.service - before.service, database: after.database - before.database })
    }
  }
  const mean = (side: keyof Times) =>
    measured.reduce((sum, list) => sum + lowestFifth(list.map((times) => times[side])), 0) / measured.length
  return { service: mean('service'), database: mean('database') }
}

const lowestFifth = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 5)] ?? 0

const readTimes = (servicePid: number, serverPid: number): Times => ({
  service: millisecondsOf(servicePid),
  database: childrenOf(serverPid).reduce((sum, pid) => sum + millisecondsOf(pid), 0),
})

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** Of all threads. 0 if the process has ended since it was listed. */
const millisecondsOf = (pid: number) => {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const nanos = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]))
    return nanos.reduce((sum, time) => sum + time, 0) / 1e6
  } catch {
    return 0
  }
}
