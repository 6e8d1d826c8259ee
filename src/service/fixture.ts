import { setImmediate as nextTurn } from 'node:timers/promises'
import { createPermitKeeper } from './permit-keeper.ts'
import { createPermits, type Permits } from './permits.ts'

type Delivery = () => void

export type PermitNetwork = ReturnType<typeof openPermitNetwork>

/**
 * Workers and a main process whose messages arrive when the test says so. Messages from one process to another keep their
 * order. Workers are numbered from 1.
 */
export const openPermitNetwork = (workers: number, recallMs = 60_000) => {
  const channels = new Map<string, Delivery[]>()
  const permits = new Map<number, Permits>()
  const held = new Set<string>()
  let messages = 0
  const put = (from: string, to: string, deliver: Delivery) => {
    messages++
    const channel = `${from} ${to}`
    channels.set(channel, [...(channels.get(channel) ?? []), deliver])
  }
  const keeper = createPermitKeeper(
    workers,
    {
      answer: (worker, answers) => put('main', String(worker), () => permits.get(worker)?.receive(answers)),
      recall: (worker, place) => put('main', String(worker), () => permits.get(worker)?.recall(place)),
    },
    recallMs,
  )
  const join = (worker: number) => {
    permits.set(
      worker,
      createPermits({
        ask: (asks) => put(String(worker), 'main', () => permits.has(worker) && keeper.receive(worker, asks)),
        giveBack: (returned) =>
          put(String(worker), 'main', () => permits.has(worker) && keeper.takeBack(worker, returned)),
      }),
    )
  }
  for (let worker = 1; worker <= workers; worker++) join(worker)

  /** Delivers one message of some channel. False: there is none. */
  const deliver = (pick = 0) => {
    const open = [...channels].filter(([channel, { length }]) => length > 0 && !held.has(channel))
    const next = open[pick % open.length]?.[1].shift()
    next?.()
    return next !== undefined
  }
  return {
    worker: (number: number) => permits.get(number) as Permits,
    messages: () => messages,
    deliver,
    /** The worker is busy: messages to it wait. */
    hold: (worker: number) => held.add(`main ${worker}`),
    release: (worker: number) => held.delete(`main ${worker}`),
    /** Delivers everything until no process has anything to say. */
    settle: async (pick: () => number = () => 0) => {
      for (let quiet = 0; quiet < 3; ) {
        await nextTurn()
        quiet = deliver(pick()) ? 0 : quiet + 1
      }
    },
    /** A worker that ends. What it has sent may still arrive. */
    end: (worker: number) => {
      while (channels.get(`${worker} main`)?.length) channels.get(`${worker} main`)?.shift()?.()
      permits.delete(worker)
      channels.delete(`main ${worker}`)
      keeper.forget(worker)
    },
    join,
  }
}
