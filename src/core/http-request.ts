import type { LookupAddress } from 'node:dns'
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https'
import type { LookupFunction } from 'node:net'
import { seconds } from './clock.ts'
import { failSpan, inChildSpan, isTracing, SpanKind, traceHeaders } from './tracing.ts'

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
  /** Reads only the beginning of an answer that is longer than `maxAnswerBytes`. By default it is an error. */
  cutsLongAnswer?: boolean
  /** Connects to one of these addresses and never looks up the host name (`address-guard.ts`). */
  addresses?: readonly LookupAddress[] | undefined
}

export type HttpAnswer = { status: number; headers: IncomingHttpHeaders; text: string }

/** Idle connections are closed before a server with the usual limit of 5 s does it while a request is on its way. */
const agentOptions = { keepAlive: true, timeout: seconds(4) }
type Pinned = { pinnedTo?: string }

/** Reuses a connection only for requests that are limited to the same addresses, or only for those without a limit. */
const separateByAddress = <A extends HttpAgent>(agent: A): A => {
  const nameOf = agent.getName.bind(agent)
  agent.getName = (options?: Parameters<typeof nameOf>[0] & Pinned) => `${nameOf(options)}:${options?.pinnedTo ?? ''}`
  return agent
}
const clients = {
  'http:': { request: httpRequest, agent: separateByAddress(new HttpAgent(agentOptions)) },
  'https:': { request: httpsRequest, agent: separateByAddress(new HttpsAgent(agentOptions)) },
}

/**
 * Sends a request and reads the answer, whatever its status. Redirects are not followed. Node's own client instead of
 * `fetch`, which needs twice the processor time: a checkout waits for this.
 */
export const sendRequest = (outgoing: OutgoingRequest): Promise<HttpAnswer> =>
  isTracing() ? sendInSpan(outgoing) : send(outgoing)

/** The address is not in the span: its path and query may name a payment or a customer. */
const sendInSpan = async (outgoing: OutgoingRequest): Promise<HttpAnswer> => {
  const { hostname, port, protocol } = new URL(outgoing.url)
  const attributes = {
    'http.request.method': outgoing.method,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  }
  return inChildSpan(outgoing.method, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    const answer = await send({ ...outgoing, headers: { ...outgoing.headers, ...traceHeaders() } })
    span?.setAttribute('http.response.status_code', answer.status)
    if (span !== undefined && answer.status >= 400) failSpan(span, String(answer.status))
    return answer
  })
}

const send = async (outgoing: OutgoingRequest): Promise<HttpAnswer> => {
  const answer = await openAnswer(outgoing)
  const text = await readText(answer, outgoing)
  return { status: answer.statusCode ?? 0, headers: answer.headers, text }
}

/** Resolves when the status and the headers have arrived. The caller reads the rest, or destroys the answer. */
export const openAnswer = (outgoing: Omit<OutgoingRequest, 'maxAnswerBytes'>): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { method, url, body, signal, addresses } = outgoing
    const target = new URL(url)
    if (target.protocol !== 'http:' && target.protocol !== 'https:') throw new TypeError(`${url} is not an HTTP URL.`)
    const { request, agent } = clients[target.protocol]
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const options: RequestOptions & Pinned = {
      ...{ method, agent, signal, headers: { ...outgoing.headers, ...length } },
      ...(addresses === undefined ? {} : pinTo(addresses)),
    }
    let isAnswered = false
    const sent = request(target, options, (answer) => {
      isAnswered = true
      resolve(answer)
    })
    sent.on('error', reject)
    // Without a listener the connection is closed and nothing else is emitted.
    sent.on('upgrade', (_answer, socket) => {
      socket.destroy()
      reject(new Error('The server has switched to another protocol.'))
    })
    // No effect after an answer.
    sent.on('close', () => {
      if (!isAnswered) reject(new Error('The connection was closed without an answer.'))
    })
    sent.end(body)
  })

/**
 * How long one address may take before the next is tried. Node's 250 ms are too short for hosts far away: with two slow
 * addresses no attempt would ever succeed.
 */
const addressAttemptMs = seconds(3)

/** The client does not call `lookup` for a host that is an address. Such a host must be one of `addresses`. */
const pinTo = (addresses: readonly LookupAddress[]) => ({
  autoSelectFamilyAttemptTimeout: addressAttemptMs,
  lookup: ((hostname, { all }, callback) => {
    const [first] = addresses
    if (first === undefined) callback(Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' }), '')
    else if (all) callback(null, [...addresses])
    else callback(null, first.address, first.family)
  }) satisfies LookupFunction,
  pinnedTo: addresses
    .map(({ address }) => address)
    .sort()
    .join(),
})

type AnswerLimit = Pick<OutgoingRequest, 'maxAnswerBytes' | 'cutsLongAnswer'>

const readText = async (answer: IncomingMessage, { maxAnswerBytes, cutsLongAnswer }: AnswerLimit): Promise<string> => {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of answer) {
    bytes += part.byteLength
    // Leaving the loop closes the connection.
    if (bytes > maxAnswerBytes && !cutsLongAnswer) {
      throw new AnswerTooLong(`The answer is longer than ${maxAnswerBytes} bytes.`)
    }
    parts.push(part)
    if (bytes > maxAnswerBytes) break
  }
  return Buffer.concat(parts).subarray(0, maxAnswerBytes).toString('utf8')
}
