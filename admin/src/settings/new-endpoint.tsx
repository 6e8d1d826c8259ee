import { useState } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog.tsx'
import { CheckField, TextField } from '../../../ui/fields.tsx'
import { dropDrafts, useDraft } from '../../../ui/load.ts'
import type { Secret } from '../parts/copy.tsx'
import { admin, store } from '../session.ts'

const groups = [
  ['order.*', 'Orders'],
  ['customer.*', 'Customers'],
  ['product.*', 'Products'],
  ['stock.*', 'Stock that is low or sold out'],
] as const

/** Events one by one, for systems that want only some of a group. */
const eventWords = [
  ['order.placed', 'Order placed'],
  ['order.paid', 'Order paid'],
  ['order.payment_failed', 'Payment failed'],
  ['order.cancelled', 'Order cancelled'],
  ['order.shipped', 'Order shipped'],
  ['order.out_for_delivery', 'Order on the way'],
  ['order.delivered', 'Order delivered'],
  ['order.refunded', 'Order refunded'],
  ['order.attention', 'Order needs attention'],
  ['order.returned', 'Return received'],
  ['customer.created', 'Customer created'],
  ['customer.updated', 'Customer changed'],
  ['customer.erased', 'Customer erased'],
  ['product.created', 'Product created'],
  ['product.updated', 'Product changed'],
  ['product.archived', 'Product archived'],
  ['stock.low', 'Low stock'],
  ['stock.out', 'Sold out'],
] as const

export const wordType = (type: string) => [...groups, ...eventWords].find(([name]) => name === type)?.[1] ?? type

export const NewEndpointDialog = ({
  onClose,
  onMade,
  onChange,
}: {
  onClose: () => void
  onMade: (secret: Secret) => void
  onChange: () => void
}) => {
  const draftName = `${store.value?.id} new webhook`
  const [{ url, types }, keep] = useDraft<{ url: string; types: string[] }>(draftName, { url: '', types: ['order.*'] })
  const toggle = (type: string, isOn: boolean) =>
    keep({ url, types: isOn ? [...types, type] : types.filter((one) => one !== type) })
  const create = async () => {
    const { secret } = await admin().createWebhook({ url: url.trim(), types })
    dropDrafts(draftName)
    onChange()
    onMade({
      ...{ title: 'Secret of the endpoint', values: [['Secret', secret]] },
      about: 'The receiver checks with it that events come from this store.',
    })
  }
  const check = ([type, label]: readonly [string, string]) => (
    <CheckField
      {...{ label, name: type, isChecked: types.includes(type) }}
      onChange={(isOn) => toggle(type, isOn)}
      key={type}
    />
  )
  const [hasOpened, setOpened] = useState(false)
  return (
    <FormDialog title="New endpoint" action="Add the endpoint" onClose={onClose} onSubmit={create}>
      <TextField
        {...{ type: 'url', label: 'Address', name: 'url', required: true, maxLength: 2000, value: url }}
        placeholder="https://accounting.example/hooks"
        onInput={(text) => keep({ url: text, types })}
      />
      <fieldset class="checks">
        <legend>Tell it about</legend>
        {groups.map(check)}
        <details class="more" onToggle={() => setOpened(true)}>
          <summary>Single events</summary>
          {hasOpened && eventWords.map(check)}
        </details>
      </fieldset>
    </FormDialog>
  )
}
