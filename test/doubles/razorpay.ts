import { createHmac, randomBytes } from 'node:crypto'
import { type Fields, toFields } from '../../src/core/fields.ts'
import { describeAmount } from '../../src/core/money.ts'
import { allChoices, type Double, type DoubleAnswer, type DoubleRequest, payPage, startDouble } from './double.ts'
import type { PaymentDouble, PaymentDoubleOptions } from './payment-double.ts'

type Account = { keyId: string; keySecret: string; webhookSecret: string; webhookUrl: string; storeId: string }

type Link = {
  id: string
  account: Account
  request: Fields
  referenceId: string
  amount: number
  currency: string
  expireBy: number
  status: 'created' | 'paid' | 'cancelled' | 'expired'
  payment: Payment | null
}

type Payment = { id: string; link: Link; method: string; orderId: string; status: 'captured' | 'failed' }
type Refund = {
  id: string
  payment: Payment
  amount: number
  receipt: string | null
  notes: unknown
  status: 'pending' | 'processed' | 'failed'
}

const quarterHour = 15 * 60
const halfYear = 183 * 24 * 3600

/** A test double of Razorpay: payment links, refunds and signed events. */
export const startRazorpayDouble = async ({
  now = Date.now,
  ...listening
}: PaymentDoubleOptions = {}): Promise<PaymentDouble> => {
  const accounts = new Map<string, Account>()
  const links = new Map<string, Link>()
  const refunds: Refund[] = []
  const refundKeys = new Map<string, { request: string; refund: Refund }>()
  const behaviour = { refund: 'succeeded' as 'pending' | 'succeeded' | 'failed' }
  const seconds = () => Math.floor(now() / 1000)
  const newId = (prefix: string) => `${prefix}_${randomBytes(7).toString('hex')}`
  let double: Double

  const lapse = (link: Link) => {
    if (link.status === 'created' && link.expireBy <= seconds()) link.status = 'expired'
    return link
  }

  const report = (account: Account, event: string, payload: Record<string, unknown>) => {
    const body = JSON.stringify({
      ...{ entity: 'event', account_id: 'acc_double', event, contains: Object.keys(payload) },
      payload: Object.fromEntries(Object.entries(payload).map(([name, entity]) => [name, { entity }])),
      created_at: seconds(),
    })
    const signature = createHmac('sha256', account.webhookSecret).update(body).digest('hex')
    const headers = { 'x-razorpay-signature': signature, 'x-razorpay-event-id': newId('evt') }
    return double.notify({
      url: account.webhookUrl,
      headers: () => headers,
      body,
    })
  }

  const createLink = (account: Account, request: Fields): DoubleAnswer => {
    const wrong = findWrongField(request, seconds())
    if (wrong !== null) return refused(wrong)
    const referenceId = String(request.reference_id)
    if ([...links.values()].some((link) => link.account === account && link.referenceId === referenceId)) {
      return refused(`payment link creation with reference ID (${referenceId}) already attempted`)
    }
    const link: Link = {
      ...{ id: newId('plink'), account, request, referenceId, status: 'created', payment: null },
      ...{ amount: Number(request.amount), currency: String(request.currency), expireBy: Number(request.expire_by) },
    }
    links.set(link.id, link)
    return { status: 200, body: showLink(double.url, link) }
  }

  const refund = async (payment: Payment, request: Fields): Promise<DoubleAnswer> => {
    const made = refunds.filter((other) => other.payment === payment && other.status !== 'failed')
    const left = payment.link.amount - made.reduce((sum, { amount }) => sum + amount, 0)
    const amount = request.amount === undefined ? left : Number(request.amount)
    if (left === 0) return refused('The payment has been fully refunded already')
    if (!Number.isInteger(amount) || amount < 1 || amount > left) {
      return refused('The refund amount provided is greater than amount captured')
    }
    const created: Refund = {
      ...{ id: newId('rfnd'), payment, amount, notes: request.notes ?? [] },
      receipt: typeof request.receipt === 'string' ? request.receipt : null,
      status: behaviour.refund === 'succeeded' ? 'processed' : behaviour.refund,
    }
    refunds.push(created)
    const payload = { refund: showRefund(created), payment: showPayment(payment) }
    await report(payment.link.account, 'refund.created', payload)
    if (created.status === 'processed') await report(payment.link.account, 'refund.processed', payload)
    return { status: 200, body: showRefund(created) }
  }

  /** The same key again gets the first refund, and another request under it is refused. */
  const refundOnce = async (payment: Payment, { headers, text }: DoubleRequest): Promise<DoubleAnswer> => {
    const key = headers['x-refund-idempotency']
    if (typeof key !== 'string' || !/^[A-Za-z0-9_-]{10,}$/.test(key)) return refused('The idempotency key is not valid')
    const name = `${payment.id} ${key}`
    const known = refundKeys.get(name)
    if (known !== undefined && known.request !== text) return refused('Different request with the same idempotency key')
    if (known !== undefined) return { status: 200, body: showRefund(known.refund) }
    const answer = await refund(payment, readJson(text))
    const made = refunds.at(-1)
    if (answer.status === 200 && made !== undefined) refundKeys.set(name, { request: text, refund: made })
    return answer
  }

  const api = async (request: DoubleRequest): Promise<DoubleAnswer | undefined> => {
    const account = accounts.get(request.headers.authorization ?? '')
    if (account === undefined) return { status: 401, body: errorBody('Authentication failed') }
    const mine = [...links.values()].filter((link) => link.account === account).map(lapse)
    const route = `${request.method} ${request.path}`
    if (route === 'GET /v1/payments') return { status: 200, body: { entity: 'collection', count: 0, items: [] } }
    if (route === 'POST /v1/payment_links') return createLink(account, readJson(request.text))
    if (route === 'GET /v1/payment_links') {
      const wanted = request.query.get('reference_id')
      const found = mine.filter(({ referenceId }) => referenceId === wanted)
      return { status: 200, body: { payment_links: found.map((link) => showLink(double.url, link)) } }
    }
    const [, linkId, action] = /^\/v1\/payment_links\/(plink_\w+)(\/cancel)?$/.exec(request.path) ?? []
    const link = mine.find(({ id }) => id === linkId)
    if (linkId !== undefined) {
      if (link === undefined) return refused('The id provided does not exist')
      if (action === undefined) return { status: 200, body: showLink(double.url, link) }
      if (link.status !== 'created') return refused(`Payment Link cannot be cancelled, it is ${link.status}`)
      link.status = 'cancelled'
      await report(account, 'payment_link.cancelled', { payment_link: showLink(double.url, link) })
      return { status: 200, body: showLink(double.url, link) }
    }
    const [, paymentId, what] = /^\/v1\/payments\/(pay_\w+)(\/refunds?)?$/.exec(request.path) ?? []
    const payment = mine.map((other) => other.payment).find((other) => other?.id === paymentId)
    if (!payment) return refused('The id provided does not exist')
    if (what === undefined) return { status: 200, body: showPayment(payment) }
    if (what === '/refund' && request.method === 'POST') return refundOnce(payment, request)
    const items = refunds.filter((other) => other.payment === payment).map(showRefund)
    return { status: 200, body: { entity: 'collection', count: items.length, items } }
  }

  const play = async (link: Link, choice: string) => {
    if (lapse(link).status !== 'created') return
    const method = choice === 'pay-by-upi' ? 'upi' : 'card'
    const payment: Payment = {
      id: newId('pay'),
      link,
      method,
      orderId: randomBytes(7).toString('hex'),
      status: 'failed',
    }
    if (choice === 'fail') await report(link.account, 'payment.failed', { payment: showPayment(payment) })
    if (choice !== 'pay' && choice !== 'pay-by-upi') return
    payment.status = 'captured'
    link.status = 'paid'
    link.payment = payment
    await report(link.account, 'payment.captured', { payment: showPayment(payment) })
    await report(link.account, 'payment_link.paid', {
      payment_link: showLink(double.url, link),
      // Without the prefix that the payment has, as Razorpay sends it.
      order: { id: payment.orderId, entity: 'order', receipt: link.referenceId, status: 'paid' },
      payment: showPayment(payment),
    })
  }

  const findPaid = (reference?: string): Payment => {
    const isMeant = ({ id, status }: Link) => status === 'paid' && (reference ?? id) === id
    const payment = [...links.values()].findLast(isMeant)?.payment
    if (!payment) throw new Error('Nothing is paid.')
    return payment
  }

  double = await startDouble({
    ...listening,
    api,
    page: async ({ method, path, text }) => {
      const link = links.get(path.slice('/pay/'.length))
      if (link === undefined || !path.startsWith('/pay/')) return undefined
      const title = String(link.request.description)
      const amount = describeAmount(link.amount, link.currency)
      // A payment link is paid or not.
      const choices = allChoices.filter((choice) => choice !== 'pay-later')
      if (method === 'GET') return { status: 200, html: payPage({ provider: 'Razorpay', title, amount, choices }) }
      await play(link, new URLSearchParams(text).get('choice') ?? '')
      return { status: 303, location: returnAddress(link) }
    },
  })

  return {
    ...double,
    name: 'razorpay',
    behaviour,
    openAccount: (serviceUrl, storeId) => {
      const [keyId, keySecret, webhookSecret] = ['rzp_test_', '', ''].map(
        (prefix) => prefix + randomBytes(9).toString('hex'),
      )
      const credentials = { keyId: keyId ?? '', keySecret: keySecret ?? '', webhookSecret: webhookSecret ?? '' }
      const basic = `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`
      accounts.set(basic, { ...credentials, storeId, webhookUrl: `${serviceUrl}/webhook/razorpay/${storeId}` })
      return credentials
    },
    settleLater: async () => {},
    settleRefunds: async (outcome, storeId) => {
      for (const made of refunds) {
        const { account } = made.payment.link
        if ((storeId ?? account.storeId) !== account.storeId) continue
        const status = outcome === 'succeeded' ? 'processed' : 'failed'
        if (made.status === status || (made.status === 'failed' && outcome === 'succeeded')) continue
        made.status = status
        const payload = { refund: showRefund(made), payment: showPayment(made.payment) }
        await report(account, `refund.${status}`, payload)
      }
    },
    refundInDashboard: async (minor, reference) => {
      const { status } = await refund(findPaid(reference), { amount: minor })
      if (status !== 200) throw new Error('The refund was refused.')
    },
    dispute: async (state, reference) => {
      const payment = findPaid(reference)
      const name = state === 'opened' ? 'created' : state
      await report(payment.link.account, `payment.dispute.${name}`, {
        dispute: { id: newId('disp'), entity: 'dispute', payment_id: payment.id, reason_code: 'goods_not_received' },
        payment: showPayment(payment),
      })
    },
    ledger: (storeId) =>
      [...links.values()]
        .filter(({ account }) => account.storeId === storeId)
        .map(({ id, status, amount, payment }) => ({
          reference: id,
          takenMinor: status === 'paid' ? amount : 0,
          returnedMinor: sumOf(refunds.filter((made) => made.payment === payment && made.status === 'processed')),
        })),
    taken: () => sumOf([...links.values()].filter(({ status }) => status === 'paid')),
    returned: () => sumOf(refunds.filter(({ status }) => status === 'processed')),
    payable: () => [...links.values()].filter((link) => lapse(link).status === 'created').length,
  }
}

const sumOf = (rows: readonly { amount: number }[]) => rows.reduce((sum, { amount }) => sum + amount, 0)

const errorBody = (description: string) => ({
  error: {
    code: 'BAD_REQUEST_ERROR',
    description,
    source: 'business',
    step: 'payment_initiation',
    reason: 'input_validation_failed',
    metadata: {},
  },
})
const refused = (description: string): DoubleAnswer => ({ status: 400, body: errorBody(description) })

const readJson = (text: string): Fields => {
  try {
    return toFields(JSON.parse(text))
  } catch {
    return {}
  }
}

const linkFields = new Set([
  ...['amount', 'currency', 'accept_partial', 'reference_id', 'description', 'customer', 'notify', 'reminder_enable'],
  ...['expire_by', 'notes', 'callback_url', 'callback_method'],
])

const findWrongField = (request: Fields, nowSeconds: number): string | null => {
  const surplus = Object.keys(request).find((name) => !linkFields.has(name))
  if (surplus !== undefined) return `${surplus} is/are not required and should not be sent`
  const {
    amount,
    currency,
    reference_id: reference,
    description,
    expire_by: expireBy,
    notes,
    callback_url: back,
  } = request
  const customer = toFields(request.customer)
  const checks: [name: string, isRight: boolean][] = [
    ['amount', Number.isInteger(amount) && Number(amount) >= (currency === 'INR' ? 100 : 1)],
    ['currency', typeof currency === 'string' && /^[A-Z]{3}$/.test(currency)],
    ['reference_id', typeof reference === 'string' && reference.length >= 1 && reference.length <= 40],
    ['description', typeof description === 'string' && description.length <= 2048],
    ['expire_by', Number(expireBy) >= nowSeconds + quarterHour && Number(expireBy) <= nowSeconds + halfYear],
    ['notes', Object.values(toFields(notes)).every((note) => String(note).length <= 256)],
    ['callback_url', typeof back === 'string' && URL.canParse(back)],
    ['callback_method', request.callback_method === 'get'],
    ['customer.contact', customer.contact === undefined || /^\+?\d{8,15}$/.test(String(customer.contact))],
    ['customer.email', customer.email === undefined || /^\S+@\S+\.\S+$/.test(String(customer.email))],
  ]
  const wrong = checks.find(([, isRight]) => !isRight)
  return wrong === undefined ? null : `The ${wrong[0]} is invalid.`
}

const showLink = (url: string, link: Link) => ({
  id: link.id,
  ...link.request,
  status: link.status,
  short_url: `${url}/pay/${link.id}`,
  amount_paid: link.status === 'paid' ? link.amount : 0,
  order_id: link.payment === null ? undefined : `order_${link.payment.orderId}`,
  payments:
    link.payment === null
      ? null
      : [
          {
            amount: link.amount,
            method: link.payment.method,
            payment_id: link.payment.id,
            plink_id: link.id,
            status: 'captured',
          },
        ],
})

const showPayment = ({ id, link, method, orderId, status }: Payment) => ({
  id,
  entity: 'payment',
  amount: link.amount,
  currency: link.currency,
  status,
  order_id: `order_${orderId}`,
  method,
  captured: status === 'captured',
  ...(method === 'card' ? { card: { last4: '1111', network: 'Visa', type: 'credit' }, vpa: null } : {}),
  ...(method === 'upi' ? { vpa: 'asha@bank', upi: { vpa: 'asha@bank' } } : {}),
  notes: link.request.notes ?? [],
  acquirer_data: method === 'upi' ? { rrn: '123456789012', upi_transaction_id: 'UPI1' } : { auth_code: '828553' },
})

const showRefund = ({ id, payment, amount, receipt, notes, status }: Refund) => ({
  ...{ id, entity: 'refund', amount, currency: payment.link.currency, payment_id: payment.id, notes, receipt, status },
  ...{ acquirer_data: { arn: null }, batch_id: null, speed_processed: 'normal', speed_requested: 'normal' },
})

const returnAddress = (link: Link) => {
  const status = link.status === 'paid' ? 'paid' : 'created'
  const paymentId = link.payment?.id ?? ''
  const signed = `${link.id}|${link.referenceId}|${status}|${paymentId}`
  const query = new URLSearchParams({
    razorpay_payment_id: paymentId,
    razorpay_payment_link_id: link.id,
    razorpay_payment_link_reference_id: link.referenceId,
    razorpay_payment_link_status: status,
    razorpay_signature: createHmac('sha256', link.account.keySecret).update(signed).digest('hex'),
  })
  return `${link.request.callback_url}?${query}`
}
