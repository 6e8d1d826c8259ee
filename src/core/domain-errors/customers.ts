import { type NoData, refusals } from './define.ts'

const { conflict, notFound } = refusals

export const customerErrors = {
  CUSTOMER_NOT_FOUND: notFound(({ customerId }: { customerId: string }) => `There is no customer ${customerId}.`),
  CUSTOMER_ERASED: conflict(({ customerId }: { customerId: string }) => `The customer ${customerId} was erased.`),
  CUSTOMER_HAS_OPEN_ORDERS: conflict(
    ({ orders }: { orders: readonly string[] }) =>
      `The customer has orders that are not completed: ${orders.join(', ')}. Cancel, refund or deliver them first.`,
  ),
  CUSTOMER_HAS_OPEN_RETURNS: conflict(
    ({ orders }: { orders: readonly string[] }) =>
      `The customer has returns that are not completed, of these orders: ${orders.join(', ')}. Refund or reject them first.`,
  ),
  CUSTOMER_EMAIL_TAKEN: conflict(({ email }: { email: string }) => `Another customer signs in with ${email}.`),
  CUSTOMER_EMAIL_NEEDED: conflict(
    (_: NoData) => 'The customer signs in with this email. It can be replaced but not removed.',
  ),
  CUSTOMER_ONLY_SIGN_IN: conflict(
    ({ field }: { field: 'email' | 'phone' }) =>
      `The ${field} is the only way for this customer to sign in, so only the customer can change it.`,
  ),
  COUPON_USED: conflict(
    ({ coupon }: { coupon: string }) =>
      `The coupon ${coupon} was used, so its discount stays as it is. Stop it and create another.`,
  ),
  COUPON_LIMIT_BELOW_USES: conflict(
    ({ coupon, used }: { coupon: string; used: number }) =>
      `The coupon ${coupon} was used ${used} times already. The limit cannot be lower.`,
  ),
  NOTE_NOT_FOUND: notFound(({ noteId }: { noteId: string }) => `There is no note ${noteId}.`),
}
