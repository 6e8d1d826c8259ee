import { type RunningPeer, runJourneys } from './driver.ts'
import type { PeerDatabase, PeerServer } from './server.ts'
import type { PeerRow } from './table.ts'

export type MeasureOptions = { connections: number; seconds: number; warmUpSeconds: number; say(text: string): void }

/** All journeys of a product, each after a run to warm up. Fails if the database does not have the orders as paid. */
export const measurePeer = async (
  peer: RunningPeer,
  server: Pick<PeerServer, 'readTimes'>,
  database: Pick<PeerDatabase, 'query'>,
  { connections, seconds, warmUpSeconds, say }: MeasureOptions,
): Promise<PeerRow[]> => {
  const rows: PeerRow[] = []
  let begun = 0
  for (const journey of peer.journeys) {
    const what = `${journey.row}: ${journey.name}`
    const shared = { url: peer.url, journey, connections }
    const countPaid = async () => Number((await database.query(peer.paidOrders))[0]?.count)
    say(what)
    const warm = await runJourneys({ ...shared, seconds: warmUpSeconds, from: begun })
    begun += warm.journeys + warm.failures
    if (warm.journeys === 0) throw new Error(`${what} failed: ${warm.firstFailure}`)
    const paid = await countPaid()
    const before = server.readTimes(peer.pid)
    const measured = await runJourneys({ ...shared, seconds, from: begun })
    const after = server.readTimes(peer.pid)
    begun += measured.journeys + measured.failures
    const expected = journey.name === 'order' ? measured.journeys : 0
    const added = (await countPaid()) - paid
    if (measured.failures === 0 && added !== expected)
      throw new Error(`${what}: ${added} orders are paid in the database, and not ${expected}`)
    if (measured.failures > 0) say(`${what}: ${measured.failures} failed, the first with ${measured.firstFailure}`)
    // Failed journeys took processor time too.
    const each = (spent: number) => (spent * 1000) / (measured.journeys + measured.failures)
    const { database: databaseBefore } = before
    const databaseMs =
      after.database === undefined || databaseBefore === undefined ? undefined : each(after.database - databaseBefore)
    const row = {
      ...measured,
      journey: journey.name,
      row: journey.row,
      nodeMs: each(after.node - before.node),
      databaseMs,
    }
    say(`${what}: ${row.perSecond.toFixed(1)} a second, ${row.nodeMs.toFixed(2)} and ${databaseMs?.toFixed(2)} ms`)
    rows.push(row)
  }
  return rows
}
