import { hash } from 'node:crypto'
import { minutes } from '../../core/clock.ts'
import type { Fields } from '../../core/fields.ts'
import { currencyExponent, toWire } from '../../core/money.ts'
import { callProviderApi, type ProviderAnswer, toProviderError } from '../http.ts'
import { fieldsAt, readList, readText, readTextOrNull } from '../read-fields.ts'
import { isSignedReturn } from './juspay-return.ts'
import {
  amountOf,
  juspayWebhook,
  paymentStatusOf,
  readJuspayInstrument,
  readJuspayRefundStatus,
} from './juspay-webhook.ts'
import {
  type Charge,
  isRefundRefused,
  noNames,
  type PaymentProvider,
  type PaymentRef,
  type ProviderAccount,
  type ProviderPayment,
  ProviderRecordMissing,
  type RefundResult,
  SessionLost,
} from './provider.ts'

const apiVersion = '2024-06-24'

/** Juspay HyperCheckout: the shopper pays on a page of Juspay. */
export const createJuspay = (origin: string): PaymentProvider => {
  const call = callJuspay(origin)
  return {
    name: 'juspay',
    credentials: ['merchantId', 'apiKey', 'clientId', 'webhookUsername', 'webhookPassword'],
    optionalCredentials: ['responseKey'],
    isForTesting: false,
    sessionMs: minutes(25),
    minSessionMs: minutes(1),
    holdMs: minutes(30),
    takesCustomer: true,
    canRefundPart: true,
    cannotClose: true,
    refuseAmount: () => null,
    referenceOf,
    refundReferenceOf,
    start: async (account, charge, signal) => {
      const reference = referenceOf(charge.paymentId)
      const json = sessionOf(account, charge, reference)
      const answer = await call(account, reference, signal, { method: 'POST', path: '/session', json })
      const order =
        codeOf(answer) === 'ALREADY_EXISTS' ? await readOrder(call, account, reference, signal) : accepted(answer)
      const links = fieldsAt(order, 'payment_links')
      const redirectUrl = readText(links, 'web')
      if (redirectUrl === '') throw new SessionLost('Juspay has made an order for this payment before.')
      return { reference, redirectUrl, expiresAt: earlier(charge.expiresAt, readText(links, 'expiry')) }
    },
    status: async (account, payment, signal) =>
      providerPaymentOf(payment, await readOrder(call, account, referenceOfPayment(payment), signal)),
    // Juspay has no call that ends a session. One that nobody has begun to pay counts as closed; a payment that comes
    // after that is settled like any late payment.
    close: async (account, payment, signal) => {
      const { status } = providerPaymentOf(payment, await readOrder(call, account, referenceOfPayment(payment), signal))
      if (status === 'success') return 'paid'
      return status === 'pending' ? 'in_progress' : 'closed'
    },
    refund: async (account, payment, refund, signal) => {
      const reference = referenceOfPayment(payment)
      const requestId = refund.reference ?? refundReferenceOf(refund.refundId)
      const before = refund.isRepeated ? await readOrder(call, account, reference, signal) : {}
      const made = findRefund(before, requestId)
      if (made !== undefined) return made
      if (refund.isMade) throw new ProviderRecordMissing(`Juspay does not list the refund ${requestId}.`)
      const amount = formatAmount(refund.amountMinor, payment.currency)
      const path = `/orders/${reference}/refunds`
      const answer = await call(account, reference, signal, {
        method: 'POST',
        path,
        json: { unique_request_id: requestId, amount },
      })
      // A refusal counts only if the refund is not there: an earlier try, whose answer was lost, may have made it.
      const after = answer.status < 300 ? answer.body : await readOrder(call, account, reference, signal)
      const result = findRefund(after, requestId)
      if (result !== undefined) return result
      const isDuplicate = codeOf(answer) === 'DUPLICATE_REQUEST'
      if (isRefundRefused(answer.status) && !isDuplicate) {
        return { status: 'failed', reference: null, detail: messageOf(answer), isRefused: true }
      }
      if (!isDuplicate) accepted(answer)
      throw new ProviderRecordMissing(`Juspay answered without the refund ${requestId}.`)
    },
    check: async (account, signal) => {
      // Any order will do: whether it exists is not the question.
      const reference = referenceOf('check')
      const answer = await call(account, reference, signal, { method: 'GET', path: `/orders/${reference}` })
      if (answer.status !== 404 && !isUnknownOrder(answer)) accepted(answer)
      return 'Juspay accepted the merchant id and the API key.'
    },
    // Test mode has a host of its own, and so have the test systems of the banks that offer Juspay.
    isTestAccount: () => origin.includes('sandbox') || origin.includes('uat'),
    webhook: juspayWebhook,
    readReturn: ({ order_id: reference }) => ({ ...noNames, reference: reference?.toLowerCase() ?? null }),
    isReturnGenuine: ({ credentials: { responseKey } }, query) => !responseKey || isSignedReturn(responseKey, query),
    refusesRedirect: true,
  }
}

/**
 * The order id at Juspay: letters and digits, at most 17, whatever the case. It is derived from the id of the payment, so
 * that a repeated call names the same order, with 80 bits of it, so that two payments never share one.
 */
const referenceOf = (paymentId: string) => `v${shortName(paymentId, 16)}`

/** At most 20 letters and digits. */
const refundReferenceOf = (refundId: string) => shortName(refundId, 20)

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

const shortName = (id: string, length: number) =>
  [...hash('sha256', id, 'buffer').subarray(0, length)].map((byte) => alphabet[byte & 31]).join('')

const referenceOfPayment = ({ reference, paymentId }: PaymentRef) => reference ?? referenceOf(paymentId)

type JuspayRequest = { method: 'GET' | 'POST'; path: string; json?: unknown }
type CallJuspay = (
  account: ProviderAccount,
  reference: string,
  signal: AbortSignal,
  request: JuspayRequest,
) => Promise<ProviderAnswer>

/** Juspay routes all calls with one `x-routing-id` alike; here it is the order. */
const callJuspay =
  (origin: string): CallJuspay =>
  ({ credentials: { apiKey, merchantId } }, reference, signal, { method, path, json }) =>
    callProviderApi({
      provider: 'Juspay',
      method,
      url: `${origin}${path}`,
      headers: {
        authorization: `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`,
        'x-merchantid': merchantId ?? '',
        'x-routing-id': reference,
        version: apiVersion,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      signal,
    })

const codeOf = ({ status, body }: ProviderAnswer) =>
  status < 300 ? '' : readText(fieldsAt(body, 'error_info'), 'code') || readText(body, 'error_code')

const messageOf = ({ status, body }: ProviderAnswer) => {
  const info = fieldsAt(body, 'error_info')
  const message =
    readText(info, 'developer_message') || readText(body, 'error_message') || readText(body, 'user_message')
  return `Juspay: ${message || `answered with ${status}.`}`
}

const accepted = (answer: ProviderAnswer): Fields => {
  if (answer.status < 300) return answer.body
  throw toProviderError(messageOf(answer), { status: answer.status, code: codeOf(answer) })
}

const sessionOf = ({ credentials }: ProviderAccount, charge: Charge, reference: string) => {
  const { customer } = charge
  const phone = /^\+(91)(\d{10})$/.exec(customer.phone)
  return {
    order_id: reference,
    amount: formatAmount(charge.amountMinor, charge.currency),
    currency: charge.currency,
    customer_id: '',
    customer_email: customer.email,
    ...(phone === null ? {} : { mobile_country_code: `+${phone[1]}`, customer_phone: phone[2] }),
    payment_page_client_id: credentials.clientId,
    action: 'paymentPage',
    return_url: charge.returnUrl,
    description: `Order ${charge.orderNumber}`,
    // The first five allow no special characters, and ids have an underscore.
    udf6: charge.orderId,
    udf7: charge.paymentId,
  }
}

const formatAmount = (minor: number, currency: string) => toWire(minor, currency).toFixed(currencyExponent(currency))

const earlier = (planned: Date, said: string): Date => {
  const time = Date.parse(said)
  return Number.isNaN(time) || time > planned.getTime() ? planned : new Date(time)
}

/** No fields for an order that Juspay does not have. */
const readOrder = async (call: CallJuspay, account: ProviderAccount, reference: string, signal: AbortSignal) => {
  const answer = await call(account, reference, signal, { method: 'GET', path: `/orders/${reference}` })
  return answer.status === 404 || isUnknownOrder(answer) ? {} : accepted(answer)
}

const isUnknownOrder = (answer: ProviderAnswer) =>
  codeOf(answer) === 'RESOURCE_NOT_FOUND' || readText(answer.body, 'status') === 'NOT_FOUND'

const providerPaymentOf = (payment: PaymentRef, order: Fields): ProviderPayment => ({
  status: paymentStatusOf(order),
  amount: amountOf(order) ?? toWire(payment.amountMinor, payment.currency),
  currency: readText(order, 'currency') || payment.currency,
  transaction: readTextOrNull(order, 'txn_id'),
  instrument: readJuspayInstrument(order),
})

const findRefund = (order: Fields, requestId: string): RefundResult | undefined => {
  const refund = readList(order, 'refunds').find((made) => readText(made, 'unique_request_id') === requestId)
  return (
    refund && {
      status: readJuspayRefundStatus(readText(refund, 'status')),
      reference: requestId,
      detail: readText(refund, 'error_message'),
    }
  )
}
