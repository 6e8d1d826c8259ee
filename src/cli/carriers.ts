import type { Config } from '../config.ts'
import { systemClock } from '../core/clock.ts'
import { OperatorError } from '../core/operator-error.ts'
import type { Db, Tx } from '../db/database.ts'
import { commandLine } from '../features/audit/record.ts'
import type { Store } from '../features/context.ts'
import { planCarrierAccount } from '../features/delivery/carrier-accounts.ts'
import { type CarrierCtx, callAccount, createCarriers } from '../features/delivery/carriers.ts'
import { saveCarrierAccountBy } from '../features/delivery/manage-carriers.ts'
import { loadSecrets } from './database.ts'
import { type OutputOptions, printWarning } from './output.ts'
import { readCredentialFile } from './payments.ts'

/** What commands about carriers need, with the secrets of the service. */
export const carrierCtx = (db: Db, config: Config, store: Store): CarrierCtx => ({
  ...{ db, store, clock: systemClock },
  carriers: createCarriers({ ...config, clock: systemClock, secrets: loadSecrets(config) }),
})

export type CarrierAccountOptions = OutputOptions & { carrier?: string; carrierCredentials?: string; check: boolean }

/**
 * Reads the credentials and tries them at the carrier. Returns the change, for the transaction that changes the other
 * settings, or null if no carrier is named.
 */
export const prepareCarrierAccount = async (
  { carrier: name, carrierCredentials: file, check, json }: CarrierAccountOptions,
  db: Db,
  config: Config,
  store: Store,
): Promise<((tx: Tx) => Promise<unknown>) | null> => {
  if (name === undefined) {
    if (file !== undefined) throw new OperatorError('Name the carrier of --carrier-credentials with --carrier.')
    return null
  }
  const ctx = carrierCtx(db, config, store)
  const given = file === undefined ? {} : await readCredentialFile(file)
  const { carrier, account } = await planCarrierAccount(ctx, name, given)
  if (check) {
    const result = await callAccount(ctx, carrier, account, (one, own, signal) => one.check(own, signal))
    if (!json) printWarning(result)
  }
  return (tx) => saveCarrierAccountBy(tx, ctx, commandLine, { name, account, given: Object.keys(given) })
}
