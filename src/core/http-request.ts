import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { seconds } from './clock.ts'

export class AnswerTooLong extends Error {
  override name = 'AnswerTooLong'
}

export type OutgoingRequest = {
  method: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string>>
  body?: string
  signal: AbortSignal
  maxAnswerBytes: number
}

export type HttpAnswer = { status: number; headers: IncomingHttpHeaders; text: string }

/** Idle connections are closed before a server with the usual limit of 5 s does it while a request is on its way. */
const agentOptions = { keepAlive: true, timeout: seconds(4) }
const clients = {
  'http:': { request: httpRequest, agent: new HttpAgent(agentOptions) },
  'https:': { request: httpsRequest, agent: new HttpsAgent(agentOptions) },
}

/**
 * Sends a request and reads the answer, whatever its status. Redirects are not followed. Node's own client instead of
 * `fetch`, which needs twice the processor time: a checkout waits for this.
 */
export const sendRequest = ({ maxAnswerBytes, ...outgoing }: OutgoingRequest): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    const { method, url, body, signal } = outgoing
    const target = new URL(url)
    if (target.protocol !== 'http:' && target.protocol !== 'https:') throw new TypeError(`${url} is not an HTTP URL.`)
    const { request, agent } = clients[target.protocol]
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const sent = request(target, { method, agent, signal, headers: { ...outgoing.headers, ...length } }, (answer) => {
      readText(answer, maxAnswerBytes).then(
        (text) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })

const readText = async (answer: IncomingMessage, maxBytes: number): Promise<string> => {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of answer) {
    bytes += part.byteLength
    // Leaving the loop closes the connection.
    if (bytes > maxBytes) throw new AnswerTooLong(`The answer is longer than ${maxBytes} bytes.`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
