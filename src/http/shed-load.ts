import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { fail } from '../core/errors.ts'

/**
 * Refuses requests with 503 while the event loop is delayed by half a second on average. Otherwise requests that each
 * block the process for less than a second would pile up unnoticed.
 */
export const shedLoad = async (server: FastifyInstance, maxLoopDelayMs = 500) => {
  await server.register(underPressure, {
    maxEventLoopDelay: maxLoopDelayMs,
    exposeStatusRoute: false,
    pressureHandler: ({ routeOptions }, _reply, _type, delayMs) => {
      // under-pressure reports Infinity before its first sample.
      if (delayMs === Number.POSITIVE_INFINITY || routeOptions.config.endpoint?.family.answersUnderLoad) return
      throw fail('SERVICE_UNAVAILABLE', undefined, { headers: { 'retry-after': '2' } })
    },
  })
}
