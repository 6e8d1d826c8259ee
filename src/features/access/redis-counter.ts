import { createClient } from '@redis/client'
import { createLocalCounter, type RateCounter, windowMs, windowOf } from './rate-limit.ts'

export type RedisCounterOptions = {
  url: string
  prefix: string
  onError: (error: Error) => void
  onRecovery: () => void
}

const timeoutMs = 500
const pauseAfterErrorMs = 1_000

/**
 * Counts in Redis, exactly across all instances. While Redis is unavailable each process counts on its own: exceeding
 * the limits a little is better than refusing all requests.
 */
export const createRedisCounter = async (options: RedisCounterOptions): Promise<RateCounter> => {
  const { url, prefix } = options
  const local = createLocalCounter()
  let pausedUntil = 0
  let isFailing = false
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: 2_000, reconnectStrategy: (retries) => Math.min(100 * 2 ** retries, 5_000) },
  })

  const noteError = (error: Error) => {
    pausedUntil = Date.now() + pauseAfterErrorMs
    if (!isFailing) options.onError(error)
    isFailing = true
  }
  const noteRecovery = () => {
    pausedUntil = 0
    if (isFailing) options.onRecovery()
    isFailing = false
  }
  client.on('error', noteError)
  client.on('ready', noteRecovery)
  // The service must start without Redis, so the wait for the connection is limited.
  await Promise.race([client.connect().catch(noteError), new Promise((resolve) => setTimeout(resolve, 2_000))])

  const keyOf = (id: string, lengthMs: number, nowMs: number) => `${prefix}:rate:${id}:${windowOf(nowMs, lengthMs)}`
  const countInRedis = async (id: string, lengthMs: number, nowMs: number) => {
    const key = keyOf(id, lengthMs, nowMs)
    const [count] = await withTimeout(Promise.all([client.incr(key), client.pExpire(key, lengthMs + windowMs)]))
    noteRecovery()
    return count
  }
  const countOr = (here: () => number, id: string, lengthMs: number, nowMs: number) => {
    if (!client.isReady || Date.now() < pausedUntil) return here()
    return countInRedis(id, lengthMs, nowMs).catch((error: Error) => {
      noteError(error)
      return here()
    })
  }

  return {
    tallyOf: (keyId) => {
      const tallyHere = local.tallyOf(keyId)
      return (nowMs) => countOr(() => tallyHere(nowMs), keyId, windowMs, nowMs)
    },
    count: (id, lengthMs, nowMs) => countOr(() => local.count(id, lengthMs, nowMs), id, lengthMs, nowMs),
    uncount: async (id, lengthMs, nowMs) => {
      if (!client.isReady || Date.now() < pausedUntil) return local.uncount(id, lengthMs, nowMs)
      const key = keyOf(id, lengthMs, nowMs)
      // If the count was local, `decr` creates the key, so it needs an expiry too.
      await withTimeout(Promise.all([client.decr(key), client.pExpire(key, lengthMs + windowMs)])).catch(noteError)
    },
    close: async () => {
      client.destroy()
    },
  }
}

/** The timeout of the Redis client covers only sending a command, so a hanging Redis would block requests. */
const withTimeout = <Result>(answer: Promise<Result>) =>
  new Promise<Result>((resolve, reject) => {
    const giveUp = () => reject(new Error('Redis did not answer in time'))
    // If this process was blocked, the reply may already be in the socket: read it before giving up.
    const timer = setTimeout(() => setImmediate(giveUp), timeoutMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
