import { createHmac, randomBytes } from 'node:crypto'

/** Time-based one-time passwords (RFC 6238) as authenticator apps make them: SHA-1, 6 digits, 30 seconds. */
const stepSeconds = 30
const digits = 6

/** 160 bits, as RFC 4226 recommends, in base32. */
export const newTotpSecret = () => encodeBase32(randomBytes(20))

export const totpCode = (secret: string, step: number): string => {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  // The last four bits say where the number begins.
  const number = mac.readUInt32BE(mac.readUInt8(19) & 15) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

export const totpStep = (nowMs: number) => Math.floor(nowMs / 1000 / stepSeconds)

/** The step of a valid code, now or one step away, because clocks differ. Undefined: the code is wrong. */
export const matchTotp = (secret: string, code: string, nowMs: number): number | undefined => {
  const now = totpStep(nowMs)
  return [now, now - 1, now + 1].find((step) => totpCode(secret, step) === code)
}

/** What the QR code of an authenticator app contains. */
export const totpUri = (secret: string, account: string, issuer: string) =>
  `otpauth://totp/${encodeURIComponent(`${issuer}:${account}`)}?${new URLSearchParams({ secret, issuer })}`

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const encodeBase32 = (bytes: Uint8Array) => {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

const decodeBase32 = (text: string) => {
  let bits = ''
  for (const letter of text) bits += alphabet.indexOf(letter).toString(2).padStart(5, '0')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}
