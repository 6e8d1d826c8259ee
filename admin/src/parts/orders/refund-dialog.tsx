import { useEffect, useState } from 'preact/hooks'
import { FormDialog } from '../../../../ui/dialog.tsx'
import { SelectField, TextField } from '../../../../ui/fields.tsx'
import { showNotice } from '../../../../ui/notice.ts'
import { Problem } from '../../../../ui/states.tsx'
import type { AdminOrder, AdminPreviewRefundAnswer, AdminRefundOrderInput } from '../../api.ts'
import { money, readNumber } from '../../format.ts'
import { admin, may } from '../../session.ts'
import { callOnce } from '../once.ts'
import { ChoiceRow, chosenUnits, type Units, UnitsPicker } from './units.tsx'

type Preview = { answer?: AdminPreviewRefundAnswer; error?: unknown }
type Part = Pick<AdminRefundOrderInput, 'amount' | 'items'>

const waitMs = 200

/** Asks the service what a refund would return, so that the button names the exact amount. Null: nothing is chosen. */
export const useRefundPreview = (orderId: string, part: Part | null): Preview => {
  const key = part === null ? '' : JSON.stringify(part)
  const [known, setKnown] = useState<Preview & { key: string }>({ key: '' })
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (key === '') return
    const abort = new AbortController()
    const ask = async () => {
      try {
        const answer = await admin().previewRefund({ id: orderId, ...JSON.parse(key) }, { signal: abort.signal })
        setKnown({ key, answer })
      } catch (error) {
        if (abort.signal.aborted) return
        setKnown({ key, error })
        // The connection may be back.
        retry = setTimeout(() => setRound((count) => count + 1), 5_000)
      }
    }
    let retry: ReturnType<typeof setTimeout> | undefined
    const timer = setTimeout(ask, waitMs)
    return () => {
      clearTimeout(timer)
      clearTimeout(retry)
      abort.abort()
    }
  }, [orderId, key, round])
  return known.key === key ? known : {}
}

type Kind = 'items' | 'amount' | 'rest'

const restockOptions = [
  ['', 'Those that were not shipped'],
  ['yes', 'All of them'],
  ['no', 'None'],
] as const

export const RefundDialog = ({
  order,
  onDone,
  onClose,
}: {
  order: AdminOrder
  onDone: () => void
  onClose: () => void
}) => {
  const { id, number, currency } = order
  const lines = order.items.filter(({ quantity, refunded }) => quantity > refunded)
  const [kind, setKind] = useState<Kind>(lines.length > 0 ? 'items' : 'amount')
  const [units, setUnits] = useState<Units>({})
  const [amount, setAmount] = useState('')
  const [restock, setRestock] = useState('')
  const [reason, setReason] = useState('')
  const rest = useRefundPreview(id, {})
  const items = chosenUnits(units)
  const part = partOf(kind, items, amount)
  const { answer, error } = useRefundPreview(id, part)
  const maximum = rest.answer?.maximum
  // Without a payment on record there is no money to return through the provider, such as after cash.
  const isByHand = rest.answer?.amount === 0
  const isTooMuch = answer !== undefined && answer.amount > answer.maximum
  const refund = async () => {
    const body = {
      ...(isByHand ? {} : part),
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
      ...(restock === '' || kind === 'amount' ? {} : { restock: restock === 'yes' }),
    }
    const made = await callOnce(`refund ${id}`, (options) => admin().refundOrder({ id, ...body }, options))
    onDone()
    showNotice(wordRefund(made.amount, currency, made.status, made.detail))
  }
  const title = `Refund order ${number}`
  if (isByHand)
    return (
      <FormDialog title={title} action="Mark as refunded" isDangerous onSubmit={refund} onClose={onClose}>
        <p>
          No online payment is on record for this order, so no money is returned from here. Return{' '}
          {money(order.total, currency)} to the customer yourself. The order is then marked as refunded.
        </p>
        <RestockField value={restock} onChange={setRestock} />
      </FormDialog>
    )
  return (
    <FormDialog
      title={title}
      action={answer && !isTooMuch ? `Refund ${money(answer.amount, currency)}` : 'Refund'}
      isDangerous
      isReady={answer !== undefined && answer.amount > 0 && !isTooMuch}
      isWide
      onSubmit={refund}
      onClose={onClose}
    >
      {rest.error !== undefined && <Problem error={rest.error} />}
      {maximum !== undefined && <p class="quiet-text">{wordMaximum(maximum, currency)}</p>}
      <ChoiceRow
        legend="What to refund"
        options={[
          ...(lines.length > 0 ? ([['items', 'Chosen items']] as const) : []),
          ['amount', 'An amount'],
          ['rest', `Everything left${rest.answer ? ` (${money(rest.answer.amount, currency)})` : ''}`],
        ]}
        value={kind}
        onChange={setKind}
      />
      {kind === 'items' && (
        <UnitsPicker
          legend="Items"
          lines={lines.map((line) => ({
            line,
            limit: line.quantity - line.refunded,
            remark: `${money(line.price, currency)} each`,
          }))}
          units={units}
          onChange={setUnits}
        />
      )}
      {kind === 'amount' && <AmountField currency={currency} value={amount} onInput={setAmount} />}
      {kind !== 'amount' && <RestockField value={restock} onChange={setRestock} />}
      <TextField
        {...{ label: 'Reason', remark: '(optional)', name: 'reason', maxLength: 500, help: 'The customer sees it.' }}
        value={reason}
        onInput={setReason}
      />
      <RefundOutcome answer={answer} currency={currency} />
      {error !== undefined && <Problem error={error} />}
    </FormDialog>
  )
}

export const AmountField = ({
  currency,
  ...field
}: {
  currency: string
  value: string
  onInput: (text: string) => void
}) => (
  <TextField
    {...{ label: `Amount in ${currency}`, name: 'amount', inputMode: 'decimal', required: true, maxLength: 20 }}
    {...field}
  />
)

/** Null if no amount is typed. */
export const typedPart = (typed: string): Part | null => {
  const amount = readNumber(typed) ?? 0
  return amount > 0 ? { amount } : null
}

/** What a refund would return, or why it cannot. */
export const RefundOutcome = ({ answer, currency }: { answer: Preview['answer'] | undefined; currency: string }) => (
  <div role="status">
    {answer &&
      (answer.amount > answer.maximum ? (
        <p class="warning">
          That is {money(answer.amount, currency)}. You may refund up to {money(answer.maximum, currency)} of this
          order.
        </p>
      ) : (
        <p>
          The customer gets <strong>{money(answer.amount, currency)}</strong>. This cannot be undone.
        </p>
      ))}
  </div>
)

const RestockField = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => (
  <SelectField
    label="Put units back in stock"
    name="restock"
    options={restockOptions}
    value={value}
    onChange={onChange}
  />
)

const partOf = (kind: Kind, items: readonly { id: string; quantity: number }[], typed: string): Part | null => {
  if (kind === 'rest') return {}
  if (kind === 'items') return items.length === 0 ? null : { items: [...items] }
  return typedPart(typed)
}

const wordMaximum = (maximum: number, currency: string) => {
  if (may('orders:refund')) return `Up to ${money(maximum, currency)} can still be refunded.`
  if (maximum === 0) return 'Your role may not refund more of this order. Ask someone who manages the store.'
  return `Your role may refund up to ${money(maximum, currency)} of this order.`
}

export const wordRefund = (amount: number, currency: string, status: string, detail = '') => {
  const sum = money(amount, currency)
  if (status === 'succeeded') return `Refunded ${sum}.`
  if (status === 'failed') return `The refund of ${sum} was refused${detail === '' ? '' : `: ${detail}`}.`
  return `The refund of ${sum} is on its way. The payment provider has not confirmed it yet.`
}
