/** A sender: `name` is empty if there is none. */
export type Mailbox = { name: string; address: string }

const maxAddressLength = 254
const maxNameLength = 100

/**
 * Characters that have a meaning in an address header are refused, although quoting could allow them: a recipient such
 * as `a,b@shop.example` must never be read as two.
 */
export const isMailAddress = (text: string) =>
  text.length <= maxAddressLength &&
  /^[^\s@\p{C}"(),:;<>[\]\\]+@[^\s@.\p{C}"(),:;<>[\]\\]+(?:\.[^\s@.\p{C}"(),:;<>[\]\\]+)+$/u.test(text)

/** One line without control characters, for names and subjects in headers. A longer text is cut. */
export const toHeaderText = (text: string, maxLength = maxNameLength) =>
  Array.from(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim())
    .slice(0, maxLength)
    .join('')
