import { useState } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import type { CustomerDetails } from '../api.ts'
import { counted } from '../format.ts'
import { admin, store } from '../session.ts'

const word = 'erase'

/** Says what an erasure does before it asks for the word that confirms it. */
export const EraseDialog = ({
  customer,
  onClose,
  onErased,
}: {
  customer: CustomerDetails
  onClose: () => void
  onErased: () => void
}) => {
  const { id: customerId, name, email, phone, addresses, notes } = customer
  const [typed, setTyped] = useState('')
  const { loaded } = useLoad(`${store.value?.id} count of orders of ${customerId}`, async () => {
    const { total, totalIsExact } = await admin().listCustomerOrders({ customerId, limit: 1 })
    return `${totalIsExact ? '' : 'more than '}${counted(total, 'order')}`
  })
  const erase = async () => {
    const { status } = await admin().eraseCustomer({ customerId })
    onErased()
    showNotice(status === 'erased' ? 'The customer is erased.' : 'The account has ended. The rest is being erased now.')
  }
  return (
    <FormDialog
      {...{ title: `Erase ${name || email || phone || 'this customer'}?`, action: 'Erase for good', isDangerous: true }}
      onClose={onClose}
      onSubmit={erase}
    >
      <ul class="bullets">
        <li>
          The name, email and phone number, {counted(addresses.length, 'address', 'addresses')} and{' '}
          {counted(notes.length, 'note')} are deleted. The customer is signed out and has no account any more.
        </li>
        <li>
          In {loaded.status === 'ready' ? loaded.value : 'all orders'}, everything that says who bought is erased.
          Amounts, tax and items stay for your accounts.
        </li>
        <li>This cannot be undone. Export everything first if you may need it.</li>
      </ul>
      <TextField
        {...{ label: `Type “${word}” to confirm`, name: 'confirm', required: true, autocomplete: 'off' }}
        {...{ pattern: `\\s*[Ee][Rr][Aa][Ss][Ee]\\s*`, title: word }}
        value={typed}
        onInput={setTyped}
      />
    </FormDialog>
  )
}
