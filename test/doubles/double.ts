import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A request as a double sees it. */
export type DoubleRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  text: string
}

export type DoubleAnswer = { status: number; body: unknown; headers?: Record<string, string> }

/** HTML, for the page on which a person pays. */
export type PageAnswer = { status: number; html: string } | { status: 303; location: string }

/**
 * What goes wrong at the provider. Each number counts down with the requests that it hits.
 * `fail`: 503 without an effect. `failAfter`: 503 after the effect. `drop`: the effect, then a closed connection.
 * `silent`: no answer at all. `slowMs` delays every answer, and all answers wait for `until`.
 */
export type Faults = {
  fail: number
  failAfter: number
  drop: number
  silent: number
  slowMs: number
  until: Promise<unknown>
}

export const noFaults = (): Faults => ({
  ...{ fail: 0, failAfter: 0, drop: 0, silent: 0, slowMs: 0 },
  until: Promise.resolve(),
})

/**
 * How webhooks are delivered. `hold`: they wait until `release`. `duplicate`: each is sent twice. `reorder`: those that
 * were held are sent newest first. `lose`: they are never sent.
 */
export type Delivery = { hold: boolean; duplicate: boolean; reorder: boolean; lose: boolean }

/** `headers` is called when the webhook is sent, because some signatures hold the time. */
export type Webhook = { url: string; headers: () => Record<string, string>; body: string }
/** `status` is 0 if nothing answered. */
export type Delivered = Omit<Webhook, 'headers'> & {
  headers: Record<string, string>
  status: number
  answerMs: number
}

/** `onDelivered` is called after each webhook. */
export type ListenOptions = { port?: number; onDelivered?: (webhook: Delivered) => void }

export type DoubleOptions = ListenOptions & {
  /** Answers calls of the API. Undefined: there is no such path. */
  api: (request: DoubleRequest) => Promise<DoubleAnswer | undefined> | DoubleAnswer | undefined
  /** Answers browsers. */
  page?: (request: DoubleRequest) => Promise<PageAnswer | undefined> | PageAnswer | undefined
}

export type Double = {
  url: string
  faults: Faults
  delivery: Delivery
  /** Calls of the API so far, as `POST /v1/refunds`. */
  calls: string[]
  delivered: Delivered[]
  /** Sends a webhook, or holds it back. */
  notify(webhook: Webhook): Promise<void>
  /** Sends what was held back. */
  release(): Promise<void>
  close(): Promise<void>
}

/** An HTTP server in the place of a provider, with faults and webhooks. What it speaks comes with the options. */
export const startDouble = async ({ port = 0, onDelivered, api, page }: DoubleOptions): Promise<Double> => {
  const faults = noFaults()
  const delivery: Delivery = { hold: false, duplicate: false, reorder: false, lose: false }
  const calls: string[] = []
  const delivered: Delivered[] = []
  const held: Webhook[] = []
  const stop = new AbortController()

  const take = (fault: 'fail' | 'failAfter' | 'drop' | 'silent') => {
    if (faults[fault] === 0) return false
    faults[fault]--
    return true
  }

  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await readRequest(incoming)
    const shown = await page?.(request)
    if (shown !== undefined) return sendPage(response, shown)
    calls.push(`${request.method} ${request.path}`)
    if (take('silent')) return
    await faults.until
    if (faults.slowMs > 0) await sleep(faults.slowMs, undefined, { signal: stop.signal })
    if (take('fail')) return sendJson(response, unavailable)
    const answer = (await api(request)) ?? { status: 404, body: { error: { message: 'There is no such path.' } } }
    if (take('drop')) return response.destroy()
    return sendJson(response, take('failAfter') ? unavailable : answer)
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: Error) => {
      if (!response.headersSent) sendJson(response, { status: 500, body: { error: { message: error.message } } })
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo

  const send = async (webhook: Webhook) => {
    for (let copies = delivery.duplicate ? 2 : 1; copies > 0; copies--) {
      const startMs = performance.now()
      const headers = webhook.headers()
      const status = await post(webhook.url, headers, webhook.body)
      const sent = { ...webhook, headers, status, answerMs: performance.now() - startMs }
      delivered.push(sent)
      onDelivered?.(sent)
    }
  }

  return {
    url: `http://127.0.0.1:${taken}`,
    faults,
    delivery,
    calls,
    delivered,
    notify: async (webhook) => {
      if (delivery.lose) return
      if (delivery.hold) held.push(webhook)
      else await send(webhook)
    },
    release: async () => {
      const waiting = held.splice(0)
      for (const webhook of delivery.reorder ? waiting.reverse() : waiting) await send(webhook)
    },
    close: async () => {
      stop.abort()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** 0 without an answer: a provider's page works while the store's server is down. */
const post = async (url: string, headers: Record<string, string>, body: string): Promise<number> => {
  try {
    const request = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
    return (await fetch(url, { ...request, signal: AbortSignal.timeout(webhookLimitMs) })).status
  } catch {
    return 0
  }
}

const webhookLimitMs = 30_000

const unavailable: DoubleAnswer = { status: 503, body: { error: { message: 'Try again later.' } } }

const maxBodyBytes = 1024 * 1024

const readRequest = async (incoming: IncomingMessage): Promise<DoubleRequest> => {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of incoming) {
    bytes += part.length
    if (bytes > maxBodyBytes) throw new Error('The body is too large.')
    parts.push(part)
  }
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://double')
  return {
    method: incoming.method ?? 'GET',
    path: pathname,
    query: searchParams,
    headers: incoming.headers,
    text: Buffer.concat(parts).toString('utf8'),
  }
}

const sendJson = (response: ServerResponse, { status, body, headers }: DoubleAnswer) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

const sendPage = (response: ServerResponse, answer: PageAnswer) => {
  if ('location' in answer) response.writeHead(answer.status, { location: answer.location }).end()
  else response.writeHead(answer.status, { 'content-type': 'text/html; charset=utf-8' }).end(answer.html)
}

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

const choiceNames = {
  pay: 'Pay by card',
  'pay-by-upi': 'Pay by UPI',
  'pay-later': 'Pay, and leave the result undecided',
  fail: 'Let the payment fail',
  leave: 'Go back without paying',
}

export type Choice = keyof typeof choiceNames
export const allChoices: readonly Choice[] = ['pay', 'pay-by-upi', 'pay-later', 'fail', 'leave']

type PaidPage = { provider: string; title: string; amount: string; choices?: readonly Choice[] }

/** The page on which a person pays at a double. */
export const payPage = ({ provider, title, amount, choices = allChoices }: PaidPage): string =>
  htmlPage(
    `${provider} double`,
    `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(amount)} to pay at a test double of ${escapeHtml(provider)} on this machine. No money moves.</p>
<form method="post">
${choices.map((choice) => `<button name="choice" value="${choice}">${choiceNames[choice]}</button>`).join('\n')}
</form>`,
  )

const scanNames = { 42: 'Picked up', 18: 'In transit', 17: 'Out for delivery', 7: 'Delivered' }

/** The page on which a person moves parcels at a double. */
export const parcelPage = (provider: string, parcels: readonly { awb: string; reference: string }[]): string =>
  htmlPage(
    `${provider} double`,
    `<h1>Parcels at a test double of ${escapeHtml(provider)}</h1>
${parcels.length === 0 ? '<p>No parcel has a courier yet.</p>' : parcels.map(showParcel).join('\n')}`,
  )

const showParcel = ({ awb, reference }: { awb: string; reference: string }) => `<h2>${escapeHtml(awb)}</h2>
<p>${escapeHtml(reference)}</p>
<form method="post"><input type="hidden" name="awb" value="${escapeHtml(awb)}">
${Object.entries(scanNames)
  .map(([id, label]) => `<button name="statusId" value="${id}">${label}</button>`)
  .join('\n')}
</form>`

const htmlPage = (title: string, body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>body{font:1.125rem/1.5 system-ui,sans-serif;max-width:28rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}button{display:block;width:100%;min-height:3rem;margin:.75rem 0;font:inherit}</style></head>
<body><main>${body}</main></body></html>`
