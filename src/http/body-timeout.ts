import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerBrokenConnection } from './errors.ts'

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()

/** Ends a request whose body has not arrived in time. Node has one limit for all requests, and uploads need a longer one. */
export const limitBodyTime = (request: IncomingMessage, response: ServerResponse, limitMs: number) => {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
  if (length === '0' && encoding === undefined) return
  const timer = setTimeout(() => {
    if (request.complete) return
    if (response.headersSent) return void request.socket.destroy()
    const error = Object.assign(new Error('the body took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    answerBrokenConnection(error, request.socket)
  }, limitMs)
  timers.set(request, timer)
  request.once('close', () => clearTimeout(timer))
}

/** Leaves only the limit of the server, for an upload by a caller that was admitted. */
export const allowSlowBody = (request: IncomingMessage) => clearTimeout(timers.get(request))
