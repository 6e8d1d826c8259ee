import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { fail } from '../core/errors.ts'

const sampleMs = 1_000

/**
 * Refuses requests with 503 while the event loop is delayed by half a second on average. Otherwise requests that each
 * block the process for less than a second would pile up unnoticed. Returns whether it refuses them now.
 */
export const shedLoad = (server: FastifyInstance, maxLoopDelayMs = 500) => {
  let isOverloaded = false
  const judge = judgeDelays(maxLoopDelayMs)
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()
  const timer = setInterval(() => {
    isOverloaded = judge(delays.mean / 1e6)
    delays.reset()
  }, sampleMs).unref()
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer)
    delays.disable()
    done()
  })
  server.addHook('onRequest', ({ routeOptions }, _reply, done) => {
    if (!isOverloaded || routeOptions.config.endpoint?.family.answersUnderLoad) return done()
    done(fail('SERVICE_UNAVAILABLE', undefined, { headers: { 'retry-after': '2' } }))
  })
  return () => isOverloaded
}

/**
 * Whether a process is overloaded, by its mean delay in each second. One slow second is not enough: the whole machine may
 * have stood still for a moment. Once overloaded, one is enough, until two seconds were not slow.
 */
export const judgeDelays = (maxMs: number) => {
  let slowSeconds = 0
  return (meanMs: number) => {
    const isSlow = meanMs > maxMs
    slowSeconds = isSlow ? Math.min(2, slowSeconds + 1) : Math.max(0, slowSeconds - 1)
    return isSlow && slowSeconds === 2
  }
}
