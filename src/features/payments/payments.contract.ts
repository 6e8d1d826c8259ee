import Type, { type Static } from 'typebox'
import { named, nullable, oneOf } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'
import { webhookEndpoint } from '../access/webhook.contract.ts'
import { orderStatuses, paymentStatuses } from '../orders/order.contract.ts'

export const Payment = named(
  'Payment',
  Type.Object({
    id: Type.String(),
    provider: Type.String(),
    status: oneOf(['starting', 'open', 'paid', 'failed', 'closed', 'refunded']),
    redirectUrl: nullable(
      Type.String({ description: 'Page on which the shopper pays; null if there is nothing to pay now' }),
    ),
    expiresAt: nullable(Type.String({ description: 'When `redirectUrl` expires' })),
  }),
)
export type PaymentView = Static<typeof Payment>

export const PaymentState = named(
  'PaymentState',
  Type.Object({
    ...Payment.properties,
    orderId: Type.String(),
    orderStatus: oneOf(orderStatuses, { description: 'The `status` of the order' }),
    paymentStatus: oneOf(paymentStatuses, { description: 'The `paymentStatus` of the order' }),
    amount: Type.Number(),
    currency: Type.String(),
  }),
)
export type PaymentState = Static<typeof PaymentState>

export const Received = named(
  'Received',
  Type.Object({
    received: Type.Boolean(),
    duplicate: Type.Boolean({ description: 'The event was received before and had no second effect' }),
  }),
)

const optionalText = (maxLength: number, description?: string) =>
  Type.Optional(nullable(Type.String({ maxLength, ...(description === undefined ? {} : { description }) })))

/** `status` is not an enumeration, because an event with an unknown status is stored before it is refused. */
export const PaymentNotice = named(
  'PaymentNotice',
  Type.Object({
    eventId: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Unique id; the same when the event is sent again',
    }),
    orderId: Type.String({ minLength: 1, maxLength: 100 }),
    transactionId: optionalText(200, "The provider's id of the payment; in the sandbox the `id` of the payment"),
    status: Type.String({ minLength: 1, maxLength: 50, description: '`success`, `failed`, `pending` or `refunded`' }),
    amount: Type.Optional(
      nullable(
        Type.Number({
          minimum: 0,
          maximum: 1e12,
          description: 'Total of the order; required with `success` and `refunded`',
        }),
      ),
    ),
    currency: optionalText(10, 'Required with `success` and `refunded`'),
    method: optionalText(50),
    last4: optionalText(20),
    upiId: optionalText(200),
    reference: optionalText(200),
    occurredAt: optionalText(50),
  }),
)

const exampleState: PaymentState = {
  id: 'pay_01k8x0v3m7q2w9c4t6y8za',
  provider: 'sandbox',
  status: 'open',
  redirectUrl: 'http://localhost:3000/sandbox/pay/store_01k8x0.pay_01k8x0.c2lnbmF0dXJl',
  expiresAt: '2026-03-01T10:25:00.000Z',
  orderId: 'ord_01k8x0v3m7q2w9c4t6y8za',
  orderStatus: 'pending',
  paymentStatus: 'pending',
  amount: 977,
  currency: 'INR',
}

const returned = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }))

export const paymentsContract = {
  startPayment: endpoint({
    method: 'POST',
    path: '/v1/payment',
    tag: 'Checkout',
    summary: 'Start or retry a payment',
    description: 'Works while the order is unpaid and has not expired. If a payment is already open, it is returned.',
    access: 'customer',
    lateSession: true,
    scope: 'checkout:write',
    once: true,
    body: Type.Object({ orderId: Type.String({ minLength: 1, maxLength: 100 }) }),
    ok: PaymentState,
    errors: ['NOT_FOUND', 'CONFLICT', 'BAD_GATEWAY'],
    example: exampleState,
  }),
  showPayment: endpoint({
    method: 'GET',
    path: '/v1/payment/{orderId}',
    tag: 'Checkout',
    summary: 'Show the payment of an order',
    access: 'customer',
    lateSession: true,
    scope: 'checkout:write',
    params: Type.Object({ orderId: Type.String({ minLength: 1, maxLength: 100 }) }),
    ok: PaymentState,
    errors: ['NOT_FOUND'],
    example: exampleState,
  }),
  paymentCallback: endpoint({
    method: 'GET',
    path: '/payment/callback',
    tag: 'Webhooks',
    summary: 'Return from the payment page',
    description:
      "Checks a pending payment at the provider, then redirects the browser to `/payment/callback?orderId=…&status=success|failed|pending` of the storefront: the order's `storefrontUrl`, or the domain of the store.",
    access: 'public',
    query: Type.Object({ orderId: Type.String({ minLength: 1, maxLength: 100 }) }),
    ok: null,
    okStatus: 302,
    headers: ['location'],
    errors: ['NOT_FOUND', 'INTERNAL', 'SERVICE_UNAVAILABLE'],
  }),
  providerCallback: endpoint({
    method: 'GET',
    path: '/payment/callback/{provider}',
    tag: 'Webhooks',
    summary: 'Return from the payment page of a provider',
    description:
      'Like `/payment/callback`, with the query that the provider appends. Only the names of the payment are read from it. Juspay does not follow a redirect: it gets a page that leads to the same address by itself.',
    access: 'public',
    params: Type.Object({ provider: Type.String({ minLength: 1, maxLength: 50 }) }),
    query: Type.Object({
      orderId: returned('From Stripe'),
      razorpay_payment_link_id: returned('From Razorpay'),
      order_id: returned('From Juspay'),
      status: returned('From Juspay; only its signature is checked'),
      status_id: returned('From Juspay; only its signature is checked'),
      signature: returned('From Juspay, if the account has a response key'),
      signature_algorithm: returned('From Juspay'),
    }),
    ok: Type.String(),
    okStatus: 302,
    otherStatus: 200,
    contentType: 'text/html; charset=utf-8',
    headers: ['location'],
    errors: ['NOT_FOUND', 'INTERNAL', 'SERVICE_UNAVAILABLE'],
    example: '',
  }),
}

export const paymentWebhooksContract = {
  paymentWebhook: webhookEndpoint({
    method: 'POST',
    path: '/webhook/payment',
    tag: 'Webhooks',
    summary: 'Receive a payment event',
    description:
      "Send the store's basic credentials, and its id as `X-Store-Id`. Every event is stored, and takes effect once even if it is repeated or out of order. 404: the store has no such order. 409: amount or currency differ from those of the order. Events refused with 404 or 409 are stored too, and may be sent again.",
    access: 'provider',
    body: PaymentNotice,
    ok: Received,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { received: true, duplicate: false },
  }),
  providerWebhook: webhookEndpoint({
    method: 'POST',
    path: '/webhook/{provider}',
    tag: 'Webhooks',
    summary: "Receive a payment event in the provider's own format",
    description:
      '`juspay` sends the webhook credentials of its account and `X-Store-Id`; the `sandbox` uses the format and credentials of `/webhook/payment`. Returns 200 once the event is stored, even if it cannot be applied. 404: there is no such provider.',
    access: 'provider',
    params: Type.Object({ provider: Type.String({ minLength: 1, maxLength: 50 }) }),
    body: Type.Object({}),
    ok: Received,
    errors: ['NOT_FOUND'],
    example: { received: true, duplicate: false },
  }),
  providerWebhookOfStore: webhookEndpoint({
    method: 'POST',
    path: '/webhook/{provider}/{storeId}',
    tag: 'Webhooks',
    summary: 'Receive a signed payment event of a store',
    description:
      "For providers that sign their events and cannot send the store's id: `stripe` and `razorpay`. Returns 200 once the event is stored, even if it cannot be applied. 401: the signature is not valid, and nothing is stored.",
    access: 'provider',
    params: Type.Object({
      provider: Type.String({ minLength: 1, maxLength: 50 }),
      storeId: Type.String({ minLength: 1, maxLength: 100 }),
    }),
    body: Type.Object({}),
    ok: Received,
    errors: ['NOT_FOUND'],
    example: { received: true, duplicate: false },
  }),
}
