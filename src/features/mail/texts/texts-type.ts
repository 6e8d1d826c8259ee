/** A message in three parts. `heading` is the title inside the mail, `text` its first paragraph. */
type Wording<Data> = {
  subject(data: Data & Shop): string
  heading(data: Data & Shop): string
  text(data: Data & Shop): string
}
type Shop = { store: string }
type OrderNumber = { number: string }

/**
 * Every text of every message in one language. All languages have this type, so a missing translation does not compile.
 * Amounts and dates arrive formatted.
 */
export type Texts = {
  /** `name` is empty if it is not known. */
  greeting(name: string): string
  labels: {
    order: string
    orderedOn: string
    item: string
    amount: string
    subtotal: string
    discount: string
    /** With the code of the coupon. */
    coupon(code: string): string
    shipping: string
    free: string
    tax: string
    taxIncluded: string
    total: string
    deliverTo: string
    payment: string
    cashOnDelivery: string
    courier: string
    trackingNumber: string
    expectedOn: string
    deliveredOn: string
    refund: string
    refundedSoFar: string
    inStock: string
    webhookId: string
    webhookAddress: string
    webhookReason: string
    /** A command follows, as in the next one. */
    webhookEnable: string
    webhookRedeliver: string
  }
  /** `2 × ₹549.00` */
  quantity(data: { quantity: string; price: string }): string
  /** How many units are left of a variant. */
  unitsLeft(data: { units: number; formatted: string }): string
  moreItems(count: number): string
  buttons: {
    visitShop: string
    /** Leads to the page of the order in the storefront. */
    viewOrder: string
    track: string
    resetPassword: string
    confirmAddress: string
    acceptInvitation: string
  }
  /** For people who cannot press a button. The link follows. */
  linkBelow: string
  reasons: {
    order(data: Shop): string
    account(data: Shop): string
    merchant(data: Shop): string
  }
  orderPlaced: Wording<OrderNumber> & { awaitingPayment: string; payOnDelivery(data: { amount: string }): string }
  orderPaid: Wording<OrderNumber & { amount: string }> & { downloads: string }
  orderPaymentFailed: Wording<OrderNumber> & { payUntil(data: { time: string }): string; payAgain: string }
  orderCancelled: Wording<OrderNumber> & { willBeRefunded: string; notPaid: string }
  orderShipped: Wording<OrderNumber>
  orderDelivered: Wording<OrderNumber>
  orderRefunded: Wording<OrderNumber & { amount: string }> & { whenItArrives: string }
  passwordReset: Wording<object> & { validity: string; notYou: string }
  emailVerify: Wording<object> & { validity: string; notYou: string }
  otpCode: Wording<{ code: string }> & { validity: string; notYou: string }
  staffInvitation: Wording<{ invitedBy: string }> & { validity: string; notYou: string }
  staffReset: Wording<object> & { validity: string; notYou: string }
  stockLow: Wording<{ count: number }> & { whatToDo: string }
  webhookDisabled: Wording<object> & {
    reasons: { gone: string; failing: string; merchant: string }
    whatToDo: string
  }
}
