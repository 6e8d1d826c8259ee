import { createCircuits } from '../../core/circuit.ts'
import { type Clock, seconds } from '../../core/clock.ts'
import { refuse } from '../../core/domain-errors.ts'
import { deriveCipher } from '../../core/encryption.ts'
import { withTimeLimit } from '../../core/time-limit.ts'
import { inSpan } from '../../core/tracing.ts'
import type { Carrier, CarrierAccount } from '../../providers/carrier/carrier.ts'
import { createShiprocket } from '../../providers/carrier/shiprocket.ts'
import { ProviderRefused } from '../../providers/http.ts'
import type { Carriers, Services, Store } from '../context.ts'
import { openCarrierAccount } from './carrier-accounts.ts'

/** The context of use cases that call a carrier. Jobs add `carrierCalls` for their own time limit. */
export type CarrierCtx = Pick<Services, 'db' | 'clock' | 'carriers'> & {
  store: Store
  carrierCalls?: { limitMs: number; signal: AbortSignal }
}

export type CarrierOptions = {
  secrets: readonly string[]
  clock: Clock
  /** The origins of the carriers' APIs. */
  urls: { shiprocket: string }
  /** Added to the built-in carriers; one with the same name replaces it. */
  more?: readonly Carrier[]
}

export const createCarriers = ({ secrets, clock, urls, more = [] }: CarrierOptions): Carriers => ({
  byName: new Map([createShiprocket(urls.shiprocket), ...more].map((carrier) => [carrier.name, carrier])),
  accounts: deriveCipher(secrets, 'carrier-account'),
  circuits: createCircuits({ nowMs: clock.now, isFailure: (error) => !(error instanceof ProviderRefused) }),
})

/** An operator waits for the answer, and one call may be several requests. */
const operatorLimitMs = seconds(30)
export const carrierJobLimitMs = seconds(20)

/** What a carrier has done is stored, however long the request has waited and whether or not its caller still listens. */
export const storing = <Ctx extends CarrierCtx>(ctx: Ctx): Ctx => ({ ...ctx, db: ctx.db.forStore(ctx.store.id) })

type Call<Result> = (carrier: Carrier, account: CarrierAccount, signal: AbortSignal) => Promise<Result>

/**
 * Every call to a carrier goes through here, never inside a transaction. It ends at the time limit even if the carrier
 * ignores the signal; the effect of such a call is unknown, and the same call can be made again.
 */
export const callCarrier = async <Result>(ctx: CarrierCtx, name: string, call: Call<Result>): Promise<Result> => {
  const { carrier, account } = await openCarrierAccount(ctx, name)
  return callAccount(ctx, carrier, account, call)
}

export const callAccount = async <Result>(
  { carriers, carrierCalls, store }: Pick<CarrierCtx, 'carriers' | 'carrierCalls' | 'store'>,
  carrier: Carrier,
  account: CarrierAccount,
  call: Call<Result>,
): Promise<Result> => {
  const { limitMs, signal } = carrierCalls ?? { limitMs: operatorLimitMs, signal: undefined }
  try {
    return await inSpan(`carrier ${carrier.name}`, { attributes: { 'vitrine.provider': carrier.name } }, () =>
      carriers.circuits.run(carrier.name, `${carrier.name} ${store.publicId}`, () =>
        withTimeLimit({ limitMs, signal, name: `a call to the carrier ${carrier.name}` }, (limited) =>
          call(carrier, account, limited),
        ),
      ),
    )
  } catch (error) {
    const about = { carrier: carrier.name }
    throw error instanceof ProviderRefused
      ? refuse('CARRIER_REFUSED', { ...about, reason: error.message, shipment: null }, { cause: error })
      : refuse('CARRIER_UNAVAILABLE', about, { cause: error })
  }
}
