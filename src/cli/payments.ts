import type { Config } from '../config.ts'
import { systemClock } from '../core/clock.ts'
import { OperatorError } from '../core/operator-error.ts'
import type { Db } from '../db/database.ts'
import { createPayments, type PaymentServices } from '../features/payments/providers.ts'
import { loadSecrets } from './database.ts'

/** What commands about payments need, with the secrets of the service. */
export const paymentServices = (db: Db, config: Config): PaymentServices => ({
  db,
  clock: systemClock,
  publicUrl: config.publicUrl,
  payments: createPayments({ ...config, db, secrets: loadSecrets(config) }),
})

/** `--payment-credential keyId=…`, as often as there are credentials. */
export const readCredentialOptions = (texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=')
      if (at < 1 || at === text.length - 1) {
        // Not shown: it may be a secret.
        throw new OperatorError('--payment-credential must be a name and a value, such as keyId=abc.')
      }
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
