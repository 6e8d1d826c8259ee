import { createClient } from '@redis/client'
import { createLocalCounter, type RateCounter, windowMs, windowOf } from './rate-limit.ts'

export type RedisCounterOptions = {
  url: string
  onTrouble: (error: Error) => void
  onRecovery: () => void
}

const answerWithinMs = 500
const restAfterFaultMs = 1_000

/**
 * Counts in Redis, exactly across all instances: one increment decides. While Redis is away this process counts for
 * itself, because a shop that serves a little too much is better than one that serves nothing.
 */
export const createRedisCounter = async (options: RedisCounterOptions): Promise<RateCounter> => {
  const { url } = options
  const local = createLocalCounter()
  let restingUntil = 0
  let troubled = false
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: 2_000, reconnectStrategy: (retries) => Math.min(100 * 2 ** retries, 5_000) },
  })

  const noteTrouble = (error: Error) => {
    restingUntil = Date.now() + restAfterFaultMs
    if (!troubled) options.onTrouble(error)
    troubled = true
  }
  const noteRecovery = () => {
    restingUntil = 0
    if (troubled) options.onRecovery()
    troubled = false
  }
  client.on('error', noteTrouble)
  client.on('ready', noteRecovery)
  // Not awaited to the end: an absent Redis must not keep the service from starting.
  await Promise.race([client.connect().catch(noteTrouble), new Promise((resolve) => setTimeout(resolve, 2_000))])

  const keyOf = (id: string, lengthMs: number, nowMs: number) => `vitrine:rate:${id}:${windowOf(nowMs, lengthMs)}`
  const countInRedis = async (id: string, lengthMs: number, nowMs: number) => {
    const key = keyOf(id, lengthMs, nowMs)
    const [count] = await inTime(Promise.all([client.incr(key), client.pExpire(key, lengthMs + windowMs)]))
    noteRecovery()
    return count
  }
  const countOr = (here: () => number, id: string, lengthMs: number, nowMs: number) => {
    if (!client.isReady || Date.now() < restingUntil) return here()
    return countInRedis(id, lengthMs, nowMs).catch((error: Error) => {
      noteTrouble(error)
      return here()
    })
  }

  return {
    tallyOf: (keyId) => {
      const tallyHere = local.tallyOf(keyId)
      return (nowMs) => countOr(() => tallyHere(nowMs), keyId, windowMs, nowMs)
    },
    count: (id, lengthMs, nowMs) => countOr(() => local.count(id, lengthMs, nowMs), id, lengthMs, nowMs),
    giveBack: async (id, lengthMs, nowMs) => {
      if (!client.isReady || Date.now() < restingUntil) return local.giveBack(id, lengthMs, nowMs)
      const key = keyOf(id, lengthMs, nowMs)
      // One that was counted here and not in Redis must not leave a key without an end behind.
      await inTime(Promise.all([client.decr(key), client.pExpire(key, lengthMs + windowMs)])).catch(noteTrouble)
    },
    close: async () => {
      client.destroy()
    },
  }
}

/** The client's own timeout ends with the sending of a command, and a Redis that hangs must not hold up a request. */
const inTime = <Result>(answer: Promise<Result>) =>
  new Promise<Result>((resolve, reject) => {
    const giveUp = () => reject(new Error('Redis did not answer in time'))
    // When this process itself was late, the answer lies in the socket: it is read before giving up.
    const timer = setTimeout(() => setImmediate(giveUp), answerWithinMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
