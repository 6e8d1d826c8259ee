import type { Language } from '../../core/languages.ts'
import { currencyExponent } from '../../core/money.ts'
import type { Store } from '../context.ts'
import type { MessageName } from '../events/messages.ts'
import type { OrderSnapshot } from '../orders/order-events.ts'
import { emailVerify, otpCode, passwordReset, staffInvitation, staffReset } from './messages/account-messages.ts'
import { stockLow, webhookDisabled } from './messages/merchant-messages.ts'
import { createMessageCtx } from './messages/message.ts'
import { isOrderMessage, orderMessages } from './messages/order-messages.ts'
import type { MailContent } from './render/blocks.ts'

const person = 'Asha Rao'

/** A message with example data, for a preview and for test mail. */
export const composeExample = (store: Store, name: MessageName, language: Language, now: Date): MailContent => {
  const ctx = createMessageCtx(store, language)
  const link = { name: person, url: `${store.domain}/reset-password?token=rst_00000000000000000000000000000000` }
  if (isOrderMessage(name)) return orderMessages[name](ctx, makeExampleOrder(store, name, now))
  switch (name) {
    case 'password.reset':
      return passwordReset(ctx, link)
    case 'email.verify':
      return emailVerify(ctx, link.url.replace('reset-password', 'verify-email'))
    case 'otp.code':
      return otpCode(ctx, '123456')
    case 'staff.invitation':
      return staffInvitation(ctx, { ...link, invitedBy: 'Meera Iyer' })
    case 'staff.reset':
      return staffReset(ctx, link)
    case 'stock.low':
      return stockLow(ctx, {
        products: 3,
        total: 3,
        variants: [
          { name: 'Café au lait mug', variant: 'Oat', sku: 'MUG-OAT', outlet: 'Main', units: 0 },
          { name: 'Applique sling bag', variant: '', sku: '', outlet: 'Main', units: 2 },
          { name: 'Brass lamp', variant: 'Large', sku: 'LAMP-L', outlet: 'Main', units: 5 },
        ],
      })
    case 'webhook.disabled':
      return webhookDisabled(ctx, {
        ...{ endpointId: 'whk_01k8x0v3m7q2w9c4t6y8za', url: 'https://erp.shop.example/vitrine', reason: 'failing' },
      })
  }
}

const dayMs = 86_400_000

export const makeExampleOrder = (store: Store, name: MessageName, now: Date): OrderSnapshot => {
  const unit = 10 ** currencyExponent(store.currency)
  const at = (days: number) => new Date(now.getTime() + days * dayMs).toISOString()
  const isPaid = !['order.placed', 'order.payment_failed', 'order.cancelled'].includes(name)
  const isShipped = name === 'order.shipped' || name === 'order.delivered'
  return {
    id: 'ord_01k8x0v3m7q2w9c4t6y8za',
    number: 1001,
    customerId: 'cus_01k8x0v3m7q2w9c4t6y8ze',
    outletId: store.defaultOutlet.id,
    cartId: '',
    cartVersion: 1,
    requestHash: '',
    status: 'pending',
    paymentStatus: isPaid ? 'paid' : 'pending',
    paymentMethod: 'online',
    stockState: 'sold',
    currency: store.currency,
    subtotalMinor: 1597 * unit,
    discountMinor: 110 * unit,
    shippingMinor: 49 * unit,
    taxMinor: 73 * unit,
    totalMinor: store.taxIncluded ? 1536 * unit : 1609 * unit,
    taxIncluded: store.taxIncluded,
    couponId: null,
    couponCode: 'WELCOME10',
    payment: isPaid ? { method: 'upi', last4: '', upiId: 'asha@upi', reference: '4471' } : null,
    needsAttention: null,
    storefrontUrl: null,
    shippingAddress: {
      ...{ name: person, phone: '+919876543210', line1: '12 Temple Road', line2: '', landmark: '' },
      ...{ city: 'Bengaluru', state: 'Karnataka', postalCode: '560001', country: 'IN' },
    },
    billingAddress: null,
    note: '',
    deliveryStatus: null,
    deliveryPartner: null,
    estimatedDelivery: null,
    deliveredAt: name === 'order.delivered' ? at(0) : null,
    trackingUrl: null,
    isErased: false,
    expiresAt: isPaid ? null : at(1 / 48),
    createdAt: at(isShipped ? -2 : 0),
    updatedAt: at(0),
    lines: [
      exampleLine('item_1', 'Café au lait mug', 'Oat', 2, 549 * unit),
      exampleLine('item_2', 'Applique sling bag with a long shoulder strap', '', 1, 499 * unit),
    ],
    shipments: isShipped
      ? [
          {
            ...{ id: 'ship_1', trackingNumber: 'BB123456789IN', partner: 'Bluebird', status: 'in_transit', items: [] },
            ...{ estimatedDelivery: at(3), deliveredAt: null, updatedAt: at(0) },
            trackingUrl: 'https://bluebird.example/BB123456789IN',
          },
        ]
      : [],
    refunds: [
      {
        ...{ id: 'ref_1', amountMinor: 549 * unit, status: 'succeeded', reason: '', items: [], isOfDuplicate: false },
        createdAt: at(0),
      },
    ],
    timeline: [],
    language: null,
    customer: { id: 'cus_01k8x0v3m7q2w9c4t6y8ze', name: person, email: 'asha@example.com', phone: '' },
  }
}

const exampleLine = (
  id: string,
  name: string,
  variant: string,
  quantity: number,
  unitMinor: number,
): OrderSnapshot['lines'][number] => ({
  ...{ id, position: 0, productId: '', variantId: '', name, variant, image: '', sku: '', quantity, unitMinor },
  ...{ lineTotalMinor: unitMinor * quantity, discountMinor: 0, taxMinor: 0, digital: null, refunded: 0, restocked: 0 },
  stockCounted: true,
})
