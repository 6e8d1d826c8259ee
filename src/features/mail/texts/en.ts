import type { Texts } from './texts-type.ts'

/** Ends a sentence with a name, which may end in a full stop itself, such as `Kavya & Co.` */
const end = (text: string) => ('.!?…'.includes(text.at(-1) ?? ' ') ? text : `${text}.`)

export const en: Texts = {
  greeting: (name) => (name === '' ? 'Hello,' : `Hello ${name},`),
  labels: {
    order: 'Order',
    orderedOn: 'Ordered on',
    item: 'Item',
    amount: 'Amount',
    subtotal: 'Subtotal',
    discount: 'Discount',
    coupon: (code) => `Discount (${code})`,
    shipping: 'Shipping',
    free: 'Free',
    tax: 'Tax',
    taxIncluded: 'Tax included',
    total: 'Total',
    deliverTo: 'Deliver to',
    payment: 'Payment',
    cashOnDelivery: 'Cash on delivery',
    courier: 'Courier',
    trackingNumber: 'Tracking number',
    expectedOn: 'Expected on',
    deliveredOn: 'Delivered on',
    refund: 'Refund',
    refundedSoFar: 'Total refunded',
    inStock: 'Left',
    webhookId: 'Endpoint',
    webhookAddress: 'Address',
    webhookReason: 'Reason',
    webhookEnable: 'To switch it on',
    webhookRedeliver: 'To repeat what failed',
  },
  quantity: ({ quantity, price }) => `${quantity} × ${price}`,
  unitsLeft: ({ units, formatted }) => (units === 0 ? 'sold out' : `${formatted} left`),
  moreItems: (count) => (count === 1 ? 'and 1 more' : `and ${count} more`),
  buttons: {
    visitShop: 'Go to the shop',
    viewOrder: 'View the order',
    track: 'Track the parcel',
    resetPassword: 'Choose a new password',
    confirmAddress: 'Confirm the address',
    acceptInvitation: 'Accept the invitation',
  },
  linkBelow: 'If the button does not work, copy this link into your browser:',
  reasons: {
    order: ({ store }) => end(`You are receiving this email because you ordered from ${store}`),
    account: ({ store }) => end(`You are receiving this email because this address was entered at ${store}`),
    merchant: ({ store }) => end(`You are receiving this email because it is the contact address of ${store}`),
  },
  orderPlaced: {
    subject: ({ number, store }) => `Your order ${number} at ${store}`,
    heading: () => 'Thank you for your order',
    text: ({ number }) => `We have received your order ${number}.`,
    awaitingPayment: 'We will start preparing it once your payment is complete.',
    payOnDelivery: ({ amount }) => `Please have ${amount} ready when it is delivered.`,
  },
  orderPaid: {
    subject: ({ number }) => `Payment received for order ${number}`,
    heading: () => 'Your payment has arrived',
    text: ({ number, amount }) => `We have received ${amount} for your order ${number}. Thank you!`,
    downloads: 'Your downloads are ready in your account.',
  },
  orderPaymentFailed: {
    subject: ({ number }) => `The payment for order ${number} failed`,
    heading: () => 'Your payment failed',
    text: ({ number }) =>
      `The payment for your order ${number} did not go through. If money left your account, your bank will return it.`,
    payUntil: ({ time }) => `We hold the items for you until ${time}. You can pay again on the page of the order.`,
    payAgain: 'You can pay again on the page of the order.',
  },
  orderCancelled: {
    subject: ({ number }) => `Order ${number} was cancelled`,
    heading: () => 'Your order was cancelled',
    text: ({ number }) => `Your order ${number} was cancelled and will not be delivered.`,
    willBeRefunded: 'We will refund what you paid.',
    notPaid: 'You have nothing to pay. Should a payment still arrive, we will refund it.',
  },
  orderShipped: {
    subject: ({ number }) => `Order ${number} is on its way`,
    heading: () => 'Your parcel is on its way',
    text: ({ number }) => `We have handed a parcel of your order ${number} to the courier.`,
  },
  orderDelivered: {
    subject: ({ number }) => `Order ${number} was delivered`,
    heading: () => 'Your order was delivered',
    text: ({ number }) => `Your order ${number} was delivered. We hope you enjoy it.`,
  },
  orderRefunded: {
    subject: ({ number, amount }) => `Refund of ${amount} for order ${number}`,
    heading: () => 'Your refund',
    text: ({ number, amount }) => `We have refunded ${amount} of your order ${number}.`,
    whenItArrives: 'The amount goes back the way you paid. Your bank may need a few working days to show it.',
  },
  passwordReset: {
    subject: ({ store }) => `Choose a new password for ${store}`,
    heading: () => 'Choose a new password',
    text: ({ store }) => end(`Someone, hopefully you, has asked for a new password for your account at ${store}`),
    validity: 'The link works once, for 30 minutes.',
    notYou: 'If it was not you, ignore this email. Your password stays as it is.',
  },
  emailVerify: {
    subject: ({ store }) => `Confirm your email address for ${store}`,
    heading: () => 'Confirm your email address',
    text: ({ store }) => end(`Please confirm that this address belongs to your account at ${store}`),
    validity: 'The link works once, for 24 hours.',
    notYou:
      'If you did not sign up there, do not confirm the address: someone else may know the password of that account. You can ignore this email.',
  },
  otpCode: {
    subject: ({ code, store }) => `${code} is your code for ${store}`,
    heading: () => 'Your code',
    text: ({ store }) => `Enter this code to sign in at ${store}:`,
    validity: 'The code works once, for 5 minutes.',
    notYou: 'Do not pass it on, not even to us. If you did not ask for it, ignore this email.',
  },
  staffInvitation: {
    subject: ({ store }) => `Invitation to manage ${store}`,
    heading: ({ store }) => `Manage ${store}`,
    text: ({ store, invitedBy }) =>
      end(invitedBy === '' ? `You are invited to manage ${store}` : `${invitedBy} invites you to manage ${store}`),
    validity: 'The link lets you choose a password. It works once, for one day.',
    notYou: 'If you did not expect this invitation, ignore it.',
  },
  staffReset: {
    subject: ({ store }) => `Choose a new password for managing ${store}`,
    heading: () => 'Choose a new password',
    text: ({ store }) => end(`Someone, hopefully you, has asked for a new password for managing ${store}`),
    validity: 'The link works once, for one day.',
    notYou: 'If it was not you, ignore this email. Your password stays as it is.',
  },
  stockLow: {
    subject: ({ count, store }) =>
      count === 1 ? `1 product is running low at ${store}` : `${count} products are running low at ${store}`,
    heading: () => 'Running low',
    text: ({ count }) =>
      count === 1
        ? 'One product has few units left or is sold out.'
        : `${count} products have few units left or are sold out.`,
    whatToDo: 'Each line is one variant at one outlet. This email is sent at most once a day.',
  },
  webhookDisabled: {
    subject: ({ store }) => `A webhook endpoint of ${store} was switched off`,
    heading: () => 'Webhook endpoint switched off',
    text: ({ store }) => `We no longer send events of ${store} to this endpoint.`,
    reasons: {
      gone: 'It answered 410 Gone.',
      failing: 'Every attempt of the last three days failed.',
      merchant: 'The store switched it off.',
    },
    whatToDo:
      'Repair the receiver, then switch the endpoint on again. Events that happen until then are not sent to it.',
  },
}
