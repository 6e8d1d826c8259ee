import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seconds } from './clock.ts'
import { matchTotp, newTotpSecret, totpCode, totpStep, totpUri } from './totp.ts'

/** The secret "12345678901234567890" of RFC 6238, appendix B. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test('codes are those of RFC 6238, shortened to six digits', () => {
  const known: [time: number, code: string][] = [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ]
  for (const [time, code] of known) assert.equal(totpCode(secret, totpStep(seconds(time))), code)
})

test('a code is valid in its own step and those beside it', () => {
  const now = seconds(1234567890)
  const code = totpCode(secret, totpStep(now))
  assert.equal(matchTotp(secret, code, now), totpStep(now))
  assert.equal(matchTotp(secret, code, now + seconds(30)), totpStep(now))
  assert.equal(matchTotp(secret, code, now - seconds(30)), totpStep(now))
  assert.equal(matchTotp(secret, code, now + seconds(60)), undefined)
  assert.equal(matchTotp(secret, '000000', now), undefined)
})

test('a new secret has 160 bits and works in an authenticator app', () => {
  const made = newTotpSecret()
  assert.match(made, /^[A-Z2-7]{32}$/)
  assert.notEqual(newTotpSecret(), made)
  assert.equal(
    totpUri(made, 'meera@shop.example', 'Blue Door'),
    `otpauth://totp/Blue%20Door%3Ameera%40shop.example?secret=${made}&issuer=Blue+Door`,
  )
})
