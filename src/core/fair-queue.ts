import { fail } from './errors.ts'

export type FairQueueOptions = { maxRunning: number; maxWaiting: number; maxWaitMs: number }

/** The queue that a task joins. Queues take turns: first stores, then the clients within a store. */
export type QueuedClient = { storeId: number; client: string }

export type FairQueue = <Result>(client: QueuedClient, work: () => Promise<Result>) => Promise<Result>

type Waiter = { start: () => void; refuse: () => void }

/** The queues of one store, one for each client, and the number of waiters in all of them. */
type StoreQueue = { waiting: number; clients: Map<string, Waiter[]> }

/**
 * Limits how many tasks run at once. The rest wait in a queue per store and client. Stores take turns, and so do the
 * clients within a store, so a flood of requests delays only its sender.
 *
 * When `maxWaiting` is reached, a new request from a shorter queue displaces the last waiter of the longest queue. So
 * one queue can use all slots while the others are empty, but it cannot block them.
 */
export const createFairQueue = ({ maxRunning, maxWaiting, maxWaitMs }: FairQueueOptions): FairQueue => {
  let running = 0
  const queues = createFairQueues()

  const enter = async (client: QueuedClient) => {
    if (running < maxRunning) {
      running++
      return
    }
    if (queues.size() >= maxWaiting && !queues.makeRoomFor(client)) throw queueIsFull()
    await new Promise<void>((resolve, reject) => {
      const refuse = () => {
        clearTimeout(timer)
        reject(queueIsFull())
      }
      const waiter: Waiter = {
        start: () => {
          clearTimeout(timer)
          resolve()
        },
        refuse,
      }
      const timer = setTimeout(() => {
        queues.remove(client, waiter)
        refuse()
      }, maxWaitMs)
      queues.add(client, waiter)
    })
  }

  // The slot passes directly to the next waiter, so a new request cannot jump the queue.
  const leave = () => {
    const next = queues.takeNext()
    if (next === undefined) running--
    else next.start()
  }

  return async (client, work) => {
    await enter(client)
    try {
      return await work()
    } finally {
      leave()
    }
  }
}

const queueIsFull = () => fail('SERVICE_UNAVAILABLE', undefined, { headers: { 'retry-after': '2' } })

const createFairQueues = () => {
  const stores = new Map<number, StoreQueue>()
  let waiting = 0

  const dropEmpty = (storeId: number, queue: StoreQueue, client: string) => {
    if (queue.clients.get(client)?.length === 0) queue.clients.delete(client)
    if (queue.waiting === 0) stores.delete(storeId)
  }
  const countOne = (queue: StoreQueue, change: 1 | -1) => {
    queue.waiting += change
    waiting += change
  }

  return {
    size: () => waiting,

    add: ({ storeId, client }: QueuedClient, waiter: Waiter) => {
      const queue = stores.get(storeId) ?? { waiting: 0, clients: new Map<string, Waiter[]>() }
      stores.set(storeId, queue)
      const waiters = queue.clients.get(client) ?? []
      queue.clients.set(client, waiters)
      waiters.push(waiter)
      countOne(queue, 1)
    },

    remove: ({ storeId, client }: QueuedClient, waiter: Waiter) => {
      const queue = stores.get(storeId)
      const waiters = queue?.clients.get(client)
      const index = waiters?.indexOf(waiter) ?? -1
      if (queue === undefined || waiters === undefined || index < 0) return
      waiters.splice(index, 1)
      countOne(queue, -1)
      dropEmpty(storeId, queue, client)
    },

    /** The next waiter of the store and client that were served longest ago. Both move to the end of the rotation. */
    takeNext: (): Waiter | undefined => {
      for (const [storeId, queue] of stores) {
        for (const [client, waiters] of queue.clients) {
          const next = waiters.shift()
          countOne(queue, -1)
          moveToEnd(queue.clients, client, waiters)
          moveToEnd(stores, storeId, queue)
          dropEmpty(storeId, queue, client)
          return next
        }
      }
      return undefined
    },

    /** Refuses the last waiter of the longest queue, unless the queue of the new request would become as long. */
    makeRoomFor: ({ storeId, client }: QueuedClient): boolean => {
      const longest = longestOf(stores, (queue) => queue.waiting)
      if (longest === undefined) return false
      const [longestStoreId, longestQueue] = longest
      const longestEntry = longestOf(longestQueue.clients, ({ length }) => length)
      if (longestEntry === undefined) return false
      const [longestClient, waiters] = longestEntry
      const own = stores.get(storeId)
      const isShorter =
        longestStoreId === storeId
          ? (own?.clients.get(client)?.length ?? 0) + 1 < waiters.length
          : (own?.waiting ?? 0) + 1 < longestQueue.waiting
      if (!isShorter) return false
      const last = waiters.pop()
      countOne(longestQueue, -1)
      dropEmpty(longestStoreId, longestQueue, longestClient)
      last?.refuse()
      return true
    },
  }
}

const moveToEnd = <Key, Value>(map: Map<Key, Value>, key: Key, value: Value) => {
  map.delete(key)
  map.set(key, value)
}

const longestOf = <Key, Value>(map: Map<Key, Value>, lengthOf: (value: Value) => number) => {
  let longest: [Key, Value] | undefined
  for (const entry of map) if (longest === undefined || lengthOf(entry[1]) > lengthOf(longest[1])) longest = entry
  return longest
}
