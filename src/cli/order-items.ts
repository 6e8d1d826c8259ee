import { OperatorError } from '../core/operator-error.ts'
import { wholeNumber } from './output.ts'

/** A line of an order with a quantity, as `--item` names it. */
export const readItem = (text: string) => {
  const [, line, quantity] = /^(.+)=(\d+)$/.exec(text) ?? []
  if (line === undefined || quantity === undefined) {
    throw new OperatorError(`--item must be a line and a quantity, such as KC-MUG-OAT=1, not "${text}".`)
  }
  return { line, quantity: wholeNumber('--item', quantity, { min: 1, max: 999 }) }
}
