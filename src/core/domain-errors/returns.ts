import { type NoData, refusals } from './define.ts'

const { conflict, notFound } = refusals

export const returnErrors = {
  RETURN_NOT_FOUND: notFound(({ returnId }: { returnId: string }) => `There is no return ${returnId}.`),
  RETURN_ITEM_UNKNOWN: notFound((_: NoData) => 'The order has no such item.'),
  RETURN_TOO_EARLY: conflict(
    ({ order }: { order: string }) => `Items of order ${order} can be returned once they are delivered.`,
  ),
  RETURN_TOO_LATE: conflict(({ order, days }: { order: string; days: number }) =>
    days === 0
      ? 'This store takes no returns. Ask its support.'
      : `Order ${order} was delivered more than ${days} days ago.`,
  ),
  RETURN_OF_FILE: conflict(({ line }: { line: string }) => `The item ${line} is a file, which cannot be returned.`),
  RETURN_QUANTITY_INVALID: conflict(
    ({ line, left }: { line: string; left: number }) =>
      `Of the item ${line}, ${left} can be returned. The others were refunded or are being returned.`,
  ),
  RETURN_STATUS_WRONG: conflict(
    ({ returnId, status, allowed }: { returnId: string; status: string; allowed: readonly string[] }) =>
      `The return ${returnId} is ${status}. This needs one that is ${allowed.join(' or ')}.`,
  ),
}
