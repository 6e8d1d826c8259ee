import { CheckField, SelectField, TextField } from '../../../ui/fields.tsx'
import { money } from '../format.ts'
import { store } from '../session.ts'
import { ScopeFields, useScopeNames } from './coupon-scope.tsx'
import { type CouponDraft, couponLabels, sayCoupon } from './coupon-words.ts'

type Change = (changes: Partial<CouponDraft>) => void

/** Without the discount itself if `isUsed`. `endHelp` is about an end that is not midnight. */
export const CouponFields = ({
  draft,
  change,
  isUsed = false,
  startHelp,
  endHelp,
}: {
  draft: CouponDraft
  change: Change
  isUsed?: boolean
  startHelp?: string | undefined
  endHelp?: string | undefined
}) => {
  const currency = store.value?.currency ?? ''
  return (
    <>
      {!isUsed && (
        <div class="fields">
          <SelectField
            {...{ label: couponLabels.kind, name: 'kind', value: draft.kind }}
            options={[
              ['percent', 'Percent'],
              ['fixed', `Amount in ${currency}`],
            ]}
            onChange={(kind) => change({ kind })}
          />
          <TextField
            {...{ label: couponLabels.value, name: 'value', inputMode: 'decimal', required: true, maxLength: 15 }}
            {...{ autocomplete: 'off', pattern: '\\s*\\d+([.,]\\d+)?\\s*', title: 'A number such as 10' }}
            remark={draft.kind === 'fixed' ? `in ${currency}` : 'in percent'}
            value={draft.value}
            onInput={(value) => change({ value })}
          />
        </div>
      )}
      <ScopeFields scope={draft} onChange={change} />
      <TextField
        {...{ label: couponLabels.minSubtotal, remark: '(optional)', name: 'minSubtotal', inputMode: 'decimal' }}
        {...{ autocomplete: 'off', pattern: '\\s*\\d+([.,]\\d+)?\\s*', title: `An amount such as ${money(500)}` }}
        help="What the items must cost together. Empty: any order."
        value={draft.minSubtotal}
        onInput={(minSubtotal) => change({ minSubtotal })}
      />
      <div class="fields">
        <TextField
          {...{ type: 'date', label: couponLabels.startsAt, remark: '(optional)', name: 'startsAt' }}
          help={startHelp ?? 'Empty: at once.'}
          value={draft.startsAt}
          onInput={(startsAt) => change({ startsAt })}
        />
        <TextField
          {...{ type: 'date', label: couponLabels.endsAt, remark: '(optional)', name: 'endsAt' }}
          help={endHelp ?? 'The whole day counts. Empty: no end.'}
          value={draft.endsAt}
          onInput={(endsAt) => change({ endsAt })}
        />
      </div>
      <p class="quiet-text">Days are those of your store’s time zone, {store.value?.timezone.replaceAll('_', ' ')}.</p>
      <div class="fields">
        <LimitField label={couponLabels.customerLimit} name="customerLimit" draft={draft} change={change} />
        <LimitField label={couponLabels.usageLimit} name="usageLimit" draft={draft} change={change} />
      </div>
      <CheckField
        {...{ label: 'Show it to customers in the shop', name: 'listed', isChecked: draft.listed }}
        help="Otherwise only those who know the code can use it."
        onChange={(listed) => change({ listed })}
      />
      <TextField
        {...{ label: couponLabels.description, remark: '(optional)', name: 'description', maxLength: 1000 }}
        help="Customers read it where the coupon is shown."
        value={draft.description}
        onInput={(description) => change({ description })}
      />
    </>
  )
}

const LimitField = ({
  label,
  name,
  draft,
  change,
}: {
  label: string
  name: 'usageLimit' | 'customerLimit'
  draft: CouponDraft
  change: Change
}) => (
  <TextField
    {...{ label, name, remark: '(optional)', inputMode: 'numeric', maxLength: 10, autocomplete: 'off' }}
    {...{ pattern: '\\s*[1-9]\\d*\\s*', title: 'A whole number such as 100', help: 'Empty: no limit.' }}
    value={draft[name]}
    onInput={(text) => change({ [name]: text })}
  />
)

/** Says what the coupon does while one types. */
export const CouponSentence = ({ code, draft }: { code: string; draft: CouponDraft }) => {
  const nameOf = useScopeNames(draft)
  return (
    <section class="panel sentence" aria-label="What it does">
      <h2>What it does</h2>
      <p aria-live="polite">{sayCoupon(code, draft, nameOf) ?? 'Type a discount to see what the coupon does.'}</p>
    </section>
  )
}
