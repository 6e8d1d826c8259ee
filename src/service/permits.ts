import { createLru } from '../core/lru.ts'
import type { PermitAnswer, PermitAsk, PermitPlace, PermitReturn, PermitUse } from './permit-messages.ts'

/** Blocks of a key begin after this many calls in a minute, so `RateLimit-Remaining` is exact for keys with few. */
const callsBeforeBlocks = 100
/** Each block is up to twice as large as the one before. The main process also limits it by what is left. */
const firstBlock = 100
const maxBlock = 1_600
/**
 * Visitors make a few calls for each page, and lookups of staff follow each other, so both get a block at once. Without
 * it, a cached read of a visitor takes about 40 % more processor time than in one process.
 */
const startBlock = { key: 0, client: 8, lookup: 15 }
const maxClients = 100_000

export type PermitLine = {
  ask(asks: readonly PermitAsk[]): void
  giveBack(returned: PermitReturn): void
}

/** Who is counted. */
type Caller = { readonly use: PermitUse; readonly id: string; limit: number }

/** The permits of one id in one minute. */
export type Slot = {
  readonly caller: Caller
  readonly window: number
  /** Permits at hand. */
  left: number
  /** The total of the last answer. `total - left` is the count of the last call. */
  total: number
  /** With fewer at hand, more are asked for. */
  low: number
  /** How many to ask for in advance. */
  ahead: number
  blocks: number
  /** Calls that were granted one by one. */
  singles: number
  isAsking: boolean
  /** Called with the count. */
  waiting: ((count: number) => void)[]
  /** Nothing is left of a limit up to this one. */
  usedUpLimit: number
  /** Permits of lookups that are underway. */
  inUse: number
  /** What the main process takes this worker to hold. */
  told: number
  isScarce: boolean
}

/** The permits of one id. */
export type Purse = {
  readonly caller: Caller
  now: Slot
  /** Calls of the window before may still wait. */
  before: Slot | undefined
}

type Underway = { slot: Slot; calls: number; limit: number }

/**
 * The permits of a worker. The main process grants them (permit-keeper.ts), to all workers together no more than the
 * limit. An id with many calls gets blocks, from which calls are counted without waiting; the next block is asked for
 * before one is used up. Each id has at most one ask underway, so an ask tells exactly what this worker holds.
 */
export const createPermits = (line: PermitLine) => {
  const keys = new Map<string, Purse>()
  const clients = createLru<string, Purse>(maxClients)
  const pursesOf = (use: PermitUse) => (use === 'key' ? keys : clients)
  const underway = new Map<number, Underway>()
  let asking: Slot[] = []
  let lastAsk = 0

  const openPurse = (use: PermitUse, id: string, limit: number) => {
    let purse = pursesOf(use).get(id)
    if (purse === undefined) {
      const caller = { use, id, limit }
      purse = { caller, now: newSlot(caller, -1, 0), before: undefined }
      pursesOf(use).set(id, purse)
    }
    purse.caller.limit = limit
    return purse
  }

  /** The count of this call, or a promise of it. It is above the limit if the call is refused. */
  const count = (slot: Slot) => takeNow(slot) ?? new Promise<number>((resolve) => wait(slot, resolve))

  /** The same for a lookup, which `finish` must follow unless it is refused. */
  const startLookup = (slot: Slot) => {
    const begin = (counted: number) => {
      if (counted <= slot.caller.limit) slot.inUse++
      return counted
    }
    const counted = takeNow(slot)
    if (counted !== undefined) return begin(counted)
    return new Promise<number>((resolve) => wait(slot, (later) => resolve(begin(later))))
  }

  const takeNow = (slot: Slot) => {
    if (slot.left > 0) {
      const left = --slot.left
      if (left < slot.low && !slot.isAsking) ask(slot)
      return slot.total - left
    }
    const { limit } = slot.caller
    return slot.usedUpLimit >= limit ? limit + 1 : undefined
  }

  const wait = (slot: Slot, resolve: (count: number) => void) => {
    slot.waiting.push(resolve)
    if (!slot.isAsking) ask(slot)
  }

  const ask = (slot: Slot) => {
    slot.isAsking = true
    // All asks of one turn of the event loop are one message.
    if (asking.push(slot) === 1) setImmediate(flush)
  }

  const flush = () => {
    const asks = asking.map((slot): PermitAsk => {
      const { window, ahead, caller, waiting } = slot
      const { use, id, limit } = caller
      const calls = waiting.length
      underway.set(++lastAsk, { slot, calls, limit })
      slot.told = slot.left + slot.inUse
      return { ask: lastAsk, use, id, window, limit, held: slot.told, calls, ahead }
    })
    asking = []
    line.ask(asks)
  }

  const receive = (answers: readonly PermitAnswer[]) => {
    for (const answer of answers) {
      const known = underway.get(answer.ask)
      underway.delete(answer.ask)
      if (known !== undefined) accept(known, answer)
    }
  }

  const accept = ({ slot, calls, limit }: Underway, answer: PermitAnswer) => {
    const { caller, waiting } = slot
    const isLookup = caller.use === 'lookup'
    slot.isAsking = false
    slot.left += answer.granted
    slot.told += isLookup ? answer.granted : Math.max(0, answer.granted - calls)
    slot.total = answer.total
    slot.isScarce ||= answer.isScarce
    if (answer.isFinal) slot.usedUpLimit = limit
    serve(slot)
    const refused = slot.usedUpLimit >= caller.limit ? waiting.length : answer.refused
    for (const resolve of waiting.splice(0, refused)) resolve(caller.limit + 1)
    if (slot.isScarce) returnUnused(slot)
    else if (!isLookup) growBlocks(slot, calls)
    slot.low = Math.floor(slot.left / 2)
    if (waiting.length > 0) ask(slot)
  }

  /** Returns the permit of a lookup unless it has missed. */
  const finish = (slot: Slot, isMiss: boolean) => {
    slot.inUse--
    if (!isMiss) slot.left++
    if (slot.isScarce) returnUnused(slot)
    else serve(slot)
  }

  const returnUnused = (slot: Slot, answersRecall = false) => {
    const { window, left: returned, told, inUse } = slot
    const { use, id } = slot.caller
    const used = told - returned - inUse
    slot.left = 0
    slot.low = 0
    slot.told = inUse
    if (returned > 0 || used > 0 || answersRecall) line.giveBack({ use, id, window, returned, used, answersRecall })
  }

  const recall = ({ use, id, window }: PermitPlace) => {
    const purse = pursesOf(use).get(id)
    const slot = purse && slotIn(purse, window)
    if (slot === undefined) {
      // Forgotten, among very many clients: what it held counts as used.
      return line.giveBack({ use, id, window, returned: 0, used: Number.MAX_SAFE_INTEGER, answersRecall: true })
    }
    slot.isScarce = use === 'lookup'
    returnUnused(slot, true)
  }

  return { openPurse, count, startLookup, finish, receive, recall }
}

export type Permits = ReturnType<typeof createPermits>

/** Lets calls that wait use what is at hand. */
const serve = (slot: Slot) => {
  for (const resolve of slot.waiting.splice(0, slot.left)) resolve(slot.total - --slot.left)
}

const growBlocks = (slot: Slot, calls: number) => {
  if (slot.left > 0) {
    slot.blocks++
    slot.ahead = Math.min(2 * slot.ahead, maxBlock)
  } else if (slot.ahead === 0) {
    slot.singles += calls
    if (slot.singles >= callsBeforeBlocks) slot.ahead = firstBlock
  }
}

const slotIn = ({ now, before }: Purse, window: number) => [now, before].find((slot) => slot?.window === window)

/** The permits of a minute. */
export const slotOf = (purse: Purse, window: number) =>
  purse.now.window === window ? purse.now : (slotIn(purse, window) ?? enterWindow(purse, window))

const enterWindow = (purse: Purse, window: number) => {
  const { caller, now: last } = purse
  // A key that was busy a minute ago starts with a block.
  const isBusy = last.blocks > 1 && last.window === window - 1
  const slot = newSlot(caller, window, isBusy ? Math.ceil(last.ahead / 2) : startBlock[caller.use])
  // A call that began before the turn of the minute may be counted after it.
  if (window < last.window) purse.before = slot
  else Object.assign(purse, { now: slot, before: isIdle(last) ? undefined : last })
  return slot
}

/** Nothing of it is worth keeping. */
const isIdle = ({ left, isAsking, inUse }: Slot) => left === 0 && !isAsking && inUse === 0

const newSlot = (caller: Caller, window: number, ahead: number): Slot => ({
  caller,
  window,
  left: 0,
  total: 0,
  low: 0,
  ahead,
  blocks: 0,
  singles: 0,
  isAsking: false,
  waiting: [],
  usedUpLimit: -1,
  inUse: 0,
  told: 0,
  isScarce: false,
})
