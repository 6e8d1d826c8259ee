import { seconds } from '../../core/clock.ts'
import { withTimeLimit } from '../../core/time-limit.ts'
import { inSpan } from '../../core/tracing.ts'
import type { PaymentProvider, ProviderAccount } from '../../providers/payment/provider.ts'
import { type AccountOwner, openAccount, type PaymentCtx } from './providers.ts'

/** A shopper or an operator waits for the answer. */
const requestLimitMs = seconds(10)
export const jobCallLimitMs = seconds(20)

export type ProviderCallCtx = Pick<PaymentCtx, 'db' | 'payments' | 'providerCalls'> & { store: AccountOwner }

type Call<Result> = (provider: PaymentProvider, account: ProviderAccount, signal: AbortSignal) => Promise<Result>

/**
 * Every call to a payment provider goes through here, never inside a transaction. It ends at the time limit even if the
 * provider ignores the signal; the effect of such a call is unknown, and the same call is made again later.
 */
export const callProvider = async <Result>(ctx: ProviderCallCtx, name: string, call: Call<Result>): Promise<Result> => {
  const { provider, account } = await openAccount(ctx, name)
  const { limitMs, signal } = ctx.providerCalls ?? { limitMs: requestLimitMs, signal: undefined }
  return inSpan(`payment ${name}`, { attributes: { 'vitrine.provider': name } }, () =>
    ctx.payments.circuits.run(name, `${name} for ${ctx.store.publicId}`, () =>
      withTimeLimit({ limitMs, signal, name: `a call to the payment provider ${name}` }, (limited) =>
        call(provider, account, limited),
      ),
    ),
  )
}
