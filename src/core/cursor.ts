import { fail } from './errors.ts'
import type { Signer } from './secrets.ts'

/** Where a page ended: the sort values of its last row. */
export type Position = readonly (string | number)[]

/**
 * A cursor is a signed position. The signature covers the scope too (store, route, filters, sort), so that a cursor
 * edited by hand, taken from another store or used with other filters is refused instead of giving a wrong page.
 */
export const encodeCursor = (signer: Signer, scope: string, position: Position) => {
  const payload = Buffer.from(JSON.stringify(position)).toString('base64url')
  return `${payload}.${signer.sign(`${scope}\n${payload}`)}`
}

export const decodeCursor = (signer: Signer, scope: string, cursor: string): Position => {
  const [payload, signature, ...rest] = cursor.split('.')
  if (payload && signature && rest.length === 0 && signer.verify(`${scope}\n${payload}`, signature)) {
    return JSON.parse(Buffer.from(payload, 'base64url').toString())
  }
  throw fail('BAD_REQUEST', 'The cursor is not valid here. Start again without one.')
}
