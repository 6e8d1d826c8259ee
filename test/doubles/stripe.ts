import { createHmac, randomBytes } from 'node:crypto'
import { describeAmount } from '../../src/core/money.ts'
import { type Double, type DoubleAnswer, type DoubleRequest, payPage, startDouble } from './double.ts'
import type { PaymentDouble, PaymentDoubleOptions } from './payment-double.ts'
import { findWrongParameter, invalid, metadataOf, type StripeForm, type StripeMetadata } from './stripe-form.ts'

type Account = { secretKey: string; webhookSecret: string; webhookUrl: string; storeId: string }

type Session = {
  id: string
  account: Account
  form: StripeForm
  status: 'open' | 'complete' | 'expired'
  paymentStatus: 'unpaid' | 'paid'
  amount: number
  currency: string
  expiresAt: number
  intent: Intent | null
}

type Intent = {
  id: string
  session: Session
  status: 'succeeded' | 'processing' | 'requires_payment_method'
  charge: string
  method: string
}
type Refund = {
  id: string
  intent: Intent
  amount: number
  metadata: StripeMetadata
  status: 'pending' | 'succeeded' | 'failed'
}

export const stripeVersion = '2026-10-28.endive'

/** A test double of Stripe: Checkout Sessions, refunds, idempotency keys and signed events. */
export const startStripeDouble = async ({
  now = Date.now,
  ...listening
}: PaymentDoubleOptions = {}): Promise<PaymentDouble> => {
  const accounts = new Map<string, Account>()
  const sessions = new Map<string, Session>()
  const refunds = new Map<string, Refund>()
  const remembered = new Map<string, { request: string; answer: DoubleAnswer }>()
  const underway = new Set<string>()
  const behaviour = { refund: 'succeeded' as 'pending' | 'succeeded' | 'failed' }
  const seconds = () => Math.floor(now() / 1000)
  const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`
  let double: Double

  const lapse = (session: Session) => {
    if (session.status === 'open' && session.expiresAt <= seconds()) session.status = 'expired'
    return session
  }

  const showIntent = (intent: Intent, expand: boolean) =>
    expand
      ? {
          id: intent.id,
          object: 'payment_intent',
          status: intent.status,
          latest_charge: {
            id: intent.charge,
            object: 'charge',
            payment_method_details:
              intent.method === 'upi'
                ? { type: 'upi', upi: { vpa: 'asha@bank' } }
                : {
                    type: 'card',
                    card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2034, funding: 'credit' },
                  },
          },
        }
      : intent.id

  const showSession = (session: Session, expand = false) => ({
    id: session.id,
    object: 'checkout.session',
    url: session.status === 'open' ? `${double.url}/pay/${session.id}` : null,
    status: session.status,
    payment_status: session.paymentStatus,
    amount_total: session.amount,
    currency: session.currency,
    client_reference_id: session.form.get('client_reference_id') ?? null,
    metadata: metadataOf(session.form, 'metadata'),
    payment_intent: session.intent === null ? null : showIntent(session.intent, expand),
    payment_method_types: ['card', 'upi'],
    expires_at: session.expiresAt,
    livemode: false,
    success_url: session.form.get('success_url'),
    cancel_url: session.form.get('cancel_url'),
  })

  const showRefund = (refund: Refund) => ({
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    currency: refund.intent.session.currency,
    charge: refund.intent.charge,
    payment_intent: refund.intent.id,
    status: refund.status,
    metadata: refund.metadata,
    reason: null,
    ...(refund.status === 'failed' ? { failure_reason: 'expired_or_canceled_card' } : {}),
  })

  const report = (account: Account, type: string, object: unknown) => {
    const body = JSON.stringify({
      ...{ id: newId('evt'), object: 'event', api_version: stripeVersion, created: seconds(), livemode: false },
      ...{ pending_webhooks: 1, request: { id: null, idempotency_key: null }, type, data: { object } },
    })
    const headers = () => {
      const time = seconds()
      const signature = createHmac('sha256', account.webhookSecret).update(`${time}.${body}`).digest('hex')
      return { 'stripe-signature': `t=${time},v1=${signature}` }
    }
    return double.notify({ url: account.webhookUrl, headers, body })
  }

  const createSession = (account: Account, form: StripeForm): DoubleAnswer => {
    const wrong = findWrongParameter(form, seconds())
    if (wrong !== null) return invalid(wrong.message, wrong.param)
    const session: Session = {
      id: `cs_test_${randomBytes(20).toString('hex')}`,
      account,
      form,
      status: 'open',
      paymentStatus: 'unpaid',
      amount: Number(form.get('line_items[0][price_data][unit_amount]')),
      currency: form.get('line_items[0][price_data][currency]') ?? '',
      expiresAt: Number(form.get('expires_at')),
      intent: null,
    }
    sessions.set(session.id, session)
    return { status: 200, body: showSession(session) }
  }

  const createRefund = async (account: Account, form: StripeForm): Promise<DoubleAnswer> => {
    const allowed = /^(payment_intent|amount|metadata\[\w+\])$/
    const surplus = [...form.keys()].find((name) => !allowed.test(name))
    if (surplus !== undefined) return invalid(`Received unknown parameter: ${surplus}`, surplus)
    const intent = [...sessions.values()]
      .filter((session) => session.account === account)
      .map((session) => session.intent)
      .find((found) => found?.id === form.get('payment_intent'))
    if (!intent) return invalid('No such payment_intent', 'payment_intent', 404, 'resource_missing')
    const made = [...refunds.values()].filter((refund) => refund.intent === intent && refund.status !== 'failed')
    const left = intent.session.amount - made.reduce((sum, { amount }) => sum + amount, 0)
    const amount = form.has('amount') ? Number(form.get('amount')) : left
    if (left === 0)
      return invalid('Charge has already been refunded.', 'payment_intent', 400, 'charge_already_refunded')
    if (!Number.isInteger(amount) || amount < 1 || amount > left) {
      return invalid('Refund amount is greater than unrefunded amount on charge', 'amount')
    }
    const metadata = metadataOf(form, 'metadata')
    const refund: Refund = { id: newId('re'), intent, amount, metadata, status: behaviour.refund }
    refunds.set(refund.id, refund)
    await report(account, 'refund.created', showRefund(refund))
    return { status: 200, body: showRefund(refund) }
  }

  /** As Stripe does: the first answer under a key is repeated, a changed request is refused, a validation error is forgotten. */
  const withKey = async (
    account: Account,
    request: DoubleRequest,
    make: () => Promise<DoubleAnswer> | DoubleAnswer,
  ) => {
    const header = request.headers['idempotency-key']
    if (typeof header !== 'string' || header.length > 255) return invalid('An idempotency key is required here.')
    const key = `${account.secretKey} ${header}`
    const text = `${request.path} ${request.text}`
    const known = remembered.get(key)
    if (known !== undefined && known.request !== text) {
      const message =
        'Keys for idempotent requests can only be used with the same parameters they were first used with.'
      return { status: 400, body: { error: { type: 'idempotency_error', message } } }
    }
    if (known !== undefined) return { ...known.answer, headers: { 'idempotent-replayed': 'true' } }
    if (underway.has(key))
      return { status: 409, body: { error: { type: 'invalid_request_error', code: 'lock_timeout' } } }
    underway.add(key)
    try {
      const answer = await make()
      if (answer.status < 400 || answer.status >= 500) remembered.set(key, { request: text, answer })
      return answer
    } finally {
      underway.delete(key)
    }
  }

  const api = async (request: DoubleRequest): Promise<DoubleAnswer | undefined> => {
    const [, bearer = ''] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? []
    const account = accounts.get(bearer)
    if (account === undefined) return invalid('Invalid API Key provided', undefined, 401)
    if (request.headers['stripe-version'] !== stripeVersion) return invalid('Pin a Stripe-Version.')
    const route = `${request.method} ${request.path}`
    if (route === 'GET /v1/checkout/sessions')
      return { status: 200, body: { object: 'list', data: [], has_more: false } }
    if (route === 'GET /v1/refunds') {
      const intent = request.query.get('payment_intent')
      const data = [...refunds.values()].filter((refund) => refund.intent.id === intent).map(showRefund)
      return { status: 200, body: { object: 'list', data, has_more: false } }
    }
    const form: StripeForm = new Map(new URLSearchParams(request.text))
    if (route === 'POST /v1/checkout/sessions') return withKey(account, request, () => createSession(account, form))
    if (route === 'POST /v1/refunds') return withKey(account, request, () => createRefund(account, form))
    const [, id = '', action = ''] = /^\/v1\/checkout\/sessions\/(cs_\w+)(\/expire)?$/.exec(request.path) ?? []
    const session = sessions.get(id)
    if (session === undefined || session.account !== account)
      return invalid('No such checkout.session', 'id', 404, 'resource_missing')
    lapse(session)
    if (action === '') return { status: 200, body: showSession(session, request.query.has('expand[]')) }
    if (session.status !== 'open') {
      return invalid(
        `Only Checkout Sessions with a status in ["open"] can be expired. This session has a status of ${session.status}.`,
      )
    }
    session.status = 'expired'
    await report(account, 'checkout.session.expired', showSession(session))
    return { status: 200, body: showSession(session) }
  }

  const complete = (session: Session, status: Intent['status'], method: string) => {
    session.status = 'complete'
    session.paymentStatus = status === 'succeeded' ? 'paid' : 'unpaid'
    session.intent = { id: newId('pi'), session, status, charge: newId('ch'), method }
  }

  const play = async (session: Session, choice: string) => {
    if (lapse(session).status !== 'open') return
    if (choice === 'fail') {
      await report(session.account, 'payment_intent.payment_failed', {
        ...{ id: newId('pi'), object: 'payment_intent', status: 'requires_payment_method' },
        metadata: metadataOf(session.form, 'payment_intent_data[metadata]'),
      })
    }
    if (choice === 'pay' || choice === 'pay-by-upi') {
      complete(session, 'succeeded', choice === 'pay' ? 'card' : 'upi')
      await report(session.account, 'checkout.session.completed', showSession(session))
    }
    if (choice === 'pay-later') {
      complete(session, 'processing', 'card')
      await report(session.account, 'checkout.session.completed', showSession(session))
    }
  }

  const sessionsOf = (storeId?: string) =>
    [...sessions.values()].filter(({ account }) => (storeId ?? account.storeId) === account.storeId)

  const findPaid = (reference?: string): Intent => {
    const isMeant = ({ id, paymentStatus }: Session) => paymentStatus === 'paid' && (reference ?? id) === id
    const intent = [...sessions.values()].findLast(isMeant)?.intent
    if (!intent) throw new Error('Nothing is paid.')
    return intent
  }

  double = await startDouble({
    ...listening,
    api,
    page: async ({ method, path, text }) => {
      const [, id = ''] = /^\/pay\/(cs_\w+)$/.exec(path) ?? []
      const session = sessions.get(id)
      if (session === undefined) return undefined
      const amount = describeAmount(session.amount, session.currency.toUpperCase())
      const title = session.form.get('payment_intent_data[description]') ?? ''
      if (method === 'GET') return { status: 200, html: payPage({ provider: 'Stripe', title, amount }) }
      const choice = new URLSearchParams(text).get('choice') ?? ''
      await play(session, choice)
      const back = choice === 'pay' ? 'success_url' : 'cancel_url'
      return { status: 303, location: session.form.get(back) ?? '' }
    },
  })

  return {
    ...double,
    name: 'stripe',
    behaviour,
    openAccount: (serviceUrl, storeId) => {
      const account: Account = {
        secretKey: `sk_test_${randomBytes(12).toString('hex')}`,
        webhookSecret: `whsec_${randomBytes(12).toString('hex')}`,
        webhookUrl: `${serviceUrl}/webhook/stripe/${storeId}`,
        storeId,
      }
      accounts.set(account.secretKey, account)
      return { secretKey: account.secretKey, webhookSecret: account.webhookSecret }
    },
    settleLater: async (outcome, storeId) => {
      for (const session of sessionsOf(storeId)) {
        if (session.intent?.status !== 'processing') continue
        const isPaid = outcome === 'success'
        session.intent.status = isPaid ? 'succeeded' : 'requires_payment_method'
        session.paymentStatus = isPaid ? 'paid' : 'unpaid'
        const type = `checkout.session.async_payment_${isPaid ? 'succeeded' : 'failed'}`
        await report(session.account, type, showSession(session))
      }
    },
    settleRefunds: async (outcome, storeId) => {
      for (const refund of refunds.values()) {
        const { account } = refund.intent.session
        if ((storeId ?? account.storeId) !== account.storeId) continue
        if (refund.status === outcome || (refund.status === 'failed' && outcome === 'succeeded')) continue
        refund.status = outcome
        const type = outcome === 'failed' ? 'refund.failed' : 'refund.updated'
        await report(account, type, showRefund(refund))
      }
    },
    refundInDashboard: async (minor, reference) => {
      const intent = findPaid(reference)
      const form = new Map([
        ['payment_intent', intent.id],
        ['amount', String(minor)],
      ])
      const { status } = await createRefund(intent.session.account, form)
      if (status !== 200) throw new Error('The refund was refused.')
    },
    dispute: async (state, reference) => {
      const intent = findPaid(reference)
      const type = state === 'opened' ? 'charge.dispute.created' : 'charge.dispute.closed'
      const object = {
        id: newId('dp'),
        object: 'dispute',
        payment_intent: intent.id,
        charge: intent.charge,
        reason: 'fraudulent',
      }
      await report(intent.session.account, type, { ...object, status: state === 'opened' ? 'needs_response' : state })
    },
    ledger: (storeId) =>
      sessionsOf(storeId).map(({ id, paymentStatus, amount, intent }) => ({
        reference: id,
        takenMinor: paymentStatus === 'paid' ? amount : 0,
        returnedMinor: [...refunds.values()]
          .filter((refund) => refund.intent === intent && refund.status === 'succeeded')
          .reduce((sum, refund) => sum + refund.amount, 0),
      })),
    taken: () =>
      [...sessions.values()]
        .filter(({ paymentStatus }) => paymentStatus === 'paid')
        .reduce((sum, { amount }) => sum + amount, 0),
    returned: () =>
      [...refunds.values()].filter(({ status }) => status === 'succeeded').reduce((sum, { amount }) => sum + amount, 0),
    payable: () => [...sessions.values()].filter((session) => lapse(session).status === 'open').length,
  }
}
