import { type Failure, fail } from '../core/errors.ts'
import type { OnGone } from '../core/on-gone.ts'

/**
 * Who may use a connection, and when (decision 0021). Two rules, both applied before a connection is taken:
 * transactions of one name come one after another (`createLines`), and connections are shared out by lane
 * (`createLanes`), so that neither one shopper nor one store can hold all of them.
 */

/** For work that no caller waits for. */
export const neverGone: OnGone = () => () => {}

export type TurnOptions = {
  /** How long anyone waits before being told to try again. */
  patienceMs: number
}

type Waiter = { go(): void; refuse(failure: Failure): void }

/** The database is away, full, shutting down or too slow: the caller may try again. */
export const unavailable = (cause: unknown): Failure =>
  fail('SERVICE_UNAVAILABLE', undefined, { cause, headers: { 'retry-after': '1' } })

const waitedTooLong = () => unavailable(new Error('waited too long for a turn'))
const tooManyWait = () => unavailable(new Error('too many requests wait for a connection'))
/** Nobody reads it. It is a refusal and not a fault, so that hanging up fills no log. */
const callerIsGone = () => fail('BAD_REQUEST', 'The connection was closed before the request had its turn.')

/** Waits in a queue until told to go, until time is up, or until the caller is gone. */
const wait = (queue: Set<Waiter>, patienceMs: number, onGone: OnGone, onLeave?: () => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(patience)
      stopListening()
      queue.delete(waiter)
    }
    // What ends a wait may happen twice, such as a turn and a caller who hangs up. The first counts.
    const waiter: Waiter = {
      go: () => {
        if (!queue.has(waiter)) return
        end()
        resolve()
      },
      refuse: (failure) => {
        if (!queue.has(waiter)) return
        end()
        onLeave?.()
        reject(failure)
      },
    }
    queue.add(waiter)
    const patience = setTimeout(() => waiter.refuse(waitedTooLong()), patienceMs)
    const stopListening = onGone(() => waiter.refuse(callerIsGone()))
  })

/** What may wait for one shopper or one cart. A storefront that sends more than this at once is told to slow down. */
export const mostInLine = 500

type InLines = <Result>(names: readonly string[], onGone: OnGone, work: () => Promise<Result>) => Promise<Result>

/** Runs the work of each name one at a time, in the order in which it came. Names are entered in the order given. */
export const createLines = ({ patienceMs }: TurnOptions) => {
  // A name is here while someone is working under it; the set holds those who wait.
  const lines = new Map<string, Set<Waiter>>()
  let waiting = 0

  const enter = async (name: string, onGone: OnGone) => {
    const line = lines.get(name)
    if (line === undefined) return void lines.set(name, new Set())
    if (line.size >= mostInLine) {
      throw fail('RATE_LIMITED', 'Too many changes at once for one shopper or cart. Wait for the answers.', {
        headers: { 'retry-after': '1' },
      })
    }
    waiting++
    try {
      await wait(line, patienceMs, onGone)
    } finally {
      waiting--
    }
  }
  // The place is handed on, so that a newcomer cannot get in between.
  const leave = (name: string) => {
    const next = lines.get(name)?.values().next().value
    if (next === undefined) lines.delete(name)
    else next.go()
  }

  const inLines: InLines = async (names, onGone, work) => {
    const [name, ...others] = names
    if (name === undefined) return work()
    await enter(name, onGone)
    try {
      return await inLines(others, onGone, work)
    } finally {
      leave(name)
    }
  }
  return { inLines, waiting: () => waiting }
}

/** A kind of work: its name, and how many connections it may hold at once. */
export type Lane = { name: string; most: number; mayUseReserve: boolean }

/** How the connections of an instance are shared out. */
export const shareOut = (size: number) => {
  // Kept for health checks and for looking up keys, which every request needs before anything else.
  const reserved = size === 1 ? 0 : Math.max(1, Math.floor(size / 5))
  const common = size - reserved
  return { common, share: Math.max(1, Math.floor(common / 2)) }
}

export type LaneOptions = TurnOptions & { size: number; maxWaiting: number }

type OpenLane = Lane & { held: number; waiting: Set<Waiter> }

/** Hands out the right to use a connection: no lane holds more than its share, and lanes that wait take turns. */
export const createLanes = ({ size, maxWaiting, patienceMs }: LaneOptions) => {
  const { common } = shareOut(size)
  const lanes = new Map<string, OpenLane>()
  // In the order of their turns.
  const waitingLanes = new Set<OpenLane>()
  let held = 0
  let waiting = 0

  const openLane = (lane: Lane): OpenLane => {
    let open = lanes.get(lane.name)
    if (open === undefined) {
      open = { ...lane, held: 0, waiting: new Set() }
      lanes.set(lane.name, open)
    }
    return open
  }
  const tidy = (lane: OpenLane) => {
    if (lane.waiting.size > 0) return
    waitingLanes.delete(lane)
    if (lane.held === 0) lanes.delete(lane.name)
  }
  const hasRoom = (lane: OpenLane) => lane.held < lane.most && held < (lane.mayUseReserve ? size : common)
  const take = (lane: OpenLane) => {
    lane.held++
    held++
  }

  /** A lane that was served goes behind the others. */
  const serve = () => {
    for (const lane of waitingLanes) {
      if (held >= size) return
      if (!hasRoom(lane)) continue
      const next = lane.waiting.values().next().value
      waitingLanes.delete(lane)
      waiting--
      take(lane)
      next?.go()
      if (lane.waiting.size > 0) waitingLanes.add(lane)
    }
  }

  /** When too many wait, the newest of the longest lane gives way, so that one store cannot shut out the others. */
  const makeRoomFor = (lane: OpenLane) => {
    if (waiting < maxWaiting) return
    const longest = [...waitingLanes].reduce((a, b) => (b.waiting.size > a.waiting.size ? b : a))
    if (longest.waiting.size <= lane.waiting.size + 1) {
      tidy(lane)
      throw tooManyWait()
    }
    ;[...longest.waiting].at(-1)?.refuse(tooManyWait())
  }

  const enter = async (lane: Lane, onGone: OnGone): Promise<OpenLane> => {
    const mine = openLane(lane)
    if (mine.waiting.size === 0 && hasRoom(mine)) {
      take(mine)
      return mine
    }
    makeRoomFor(mine)
    waitingLanes.add(mine)
    waiting++
    await wait(mine.waiting, patienceMs, onGone, () => {
      waiting--
      tidy(mine)
    })
    return mine
  }
  const leave = (lane: OpenLane) => {
    lane.held--
    held--
    tidy(lane)
    if (waiting > 0) serve()
  }

  return { enter, leave, waiting: () => waiting }
}
