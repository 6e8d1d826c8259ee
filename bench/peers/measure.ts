import { type MeasuredJourney, type RunningPeer, runJourneys } from './driver.ts'
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
  const spent = () => {
    const { node, database } = server.readTimes(peer.pid)
    return node + (database ?? 0)
  }
  const runFor = (limit: number, run: (isOver: () => boolean) => Promise<MeasuredJourney>) =>
    withinLimit(limit, spent, run)
  for (const journey of peer.journeys) {
    const what = `${journey.row}: ${journey.name}`
    const shared = { url: peer.url, journey, connections }
    const countPaid = async () => Number((await database.query(peer.paidOrders))[0]?.count)
    say(what)
    const warm = await runFor(warmUpSeconds, (isOver) => runJourneys({ ...shared, isOver, from: begun }))
    begun += warm.journeys + warm.failures
    if (warm.journeys === 0) throw new Error(`${what} failed: ${warm.firstFailure}`)
    const paid = await countPaid()
    const before = server.readTimes(peer.pid)
    const measured = await runFor(seconds, (isOver) => runJourneys({ ...shared, isOver, from: begun }))
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

const checkEveryMs = 250
/** On a machine that gives a process less than this share of a core, the run ends without having used its time. */
const leastShare = 0.02

/**
 * Runs until this many seconds of processor time are spent. On a busy machine a run by the clock would measure programs
 * that Node has not optimized yet, and the larger the program, the more so.
 */
const withinLimit = async (
  limit: number,
  spent: () => number,
  run: (isOver: () => boolean) => Promise<MeasuredJourney>,
) => {
  const [before, began] = [spent(), performance.now()]
  let over = limit === 0
  const timer = setInterval(() => {
    over ||= spent() - before >= limit || performance.now() - began > (limit * 1000) / leastShare
  }, checkEveryMs)
  try {
    return await run(() => over)
  } finally {
    clearInterval(timer)
  }
}
