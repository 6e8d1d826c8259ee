import { randomFillSync } from 'node:crypto'

/** Ids are opaque to callers. The prefix helps people who read logs. */
export type IdPrefix =
  | 'store'
  | 'outlet'
  | 'key'
  | 'prod'
  | 'var'
  | 'cat'
  | 'menu'
  | 'cpn'
  | 'cus'
  | 'addr'
  | 'line'
  | 'wish'
  | 'ord'
  | 'item'
  | 'pay'
  | 'ref'
  | 'ship'
  | 'dl'
  | 'evt'
  | 'whk'
  | 'dlv'
  | 'mail'
  | 'stf'
  | 'sss'
  | 'tok'
  | 'aud'
  | 'note'
  | 'ret'
  | 'job'
  | 'med'

/** A cheap check of untrusted text before it is looked up. */
export const isIdShaped = (prefix: IdPrefix, text: string) =>
  text.length <= 64 && text.startsWith(`${prefix}_`) && /^\w+$/.test(text)

/** The time comes first, so that rows created together are close in an index. 65 random bits follow. */
export const newId = (prefix: IdPrefix, nowMs: number = Date.now()) => `${prefix}_${encodeTime(nowMs)}${randomText(13)}`

/** For ids that grant access without further credentials: 130 random bits and no time. */
export const newCapabilityId = (prefix: string) => `${prefix}_${randomText(26)}`

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

const encodeTime = (ms: number) => {
  let text = ''
  for (let rest = ms, i = 0; i < 9; i++, rest = Math.floor(rest / 32)) text = alphabet[rest % 32] + text
  return text
}

/** Five random bits per character. */
export const randomText = (length: number) => {
  let text = ''
  for (let i = 0; i < length; i++) text += alphabet[nextByte() & 31]
  return text
}

// Asking for random bytes takes longer than using them, so many are asked for at once.
const random = Buffer.alloc(2048)
let used = random.length

const nextByte = (): number => {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  return random.readUInt8(used++)
}
