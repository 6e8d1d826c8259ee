import type { useLoad } from '../../../ui/load.ts'
import { Show } from '../../../ui/states.tsx'
import type { Address } from '../shop.ts'
import { storeInfo } from '../state.ts'
import { type AddressDraft, AddressFields, AddressText, emptyAddress } from './address-form.tsx'

type CheckoutDraft = {
  /** The id of a saved address, `new` for the one below, or null for the default. */
  addressId: string | null
  address: AddressDraft
  savesAddress: boolean
  method: 'online' | 'cod'
  note: string
}

export const emptyDraft: CheckoutDraft = {
  addressId: null,
  address: emptyAddress,
  savesAddress: true,
  method: 'online',
  note: '',
}

export const AddressChoice = ({
  addresses,
  addressId,
  draft,
  onChange,
}: {
  addresses: ReturnType<typeof useLoad<Address[]>>
  addressId: string | null
  draft: CheckoutDraft
  onChange: (draft: CheckoutDraft) => void
}) => (
  <fieldset class="panel">
    <legend>Deliver to</legend>
    <Show loaded={addresses.loaded} onRetry={addresses.reload}>
      {(book) => (
        <>
          {book.map((address) => (
            <label key={address.id} class="choice">
              <input
                type="radio"
                name="address"
                checked={addressId === address.id}
                onChange={() => onChange({ ...draft, addressId: address.id })}
              />
              <AddressText address={address} />
            </label>
          ))}
          {book.length > 0 && (
            <label class="choice">
              <input
                type="radio"
                name="address"
                checked={addressId === 'new'}
                onChange={() => onChange({ ...draft, addressId: 'new' })}
              />
              <span>Another address</span>
            </label>
          )}
          {addressId === 'new' && (
            <div class="new-address">
              <AddressFields draft={draft.address} onChange={(address) => onChange({ ...draft, address })} />
              <label class="check">
                <input
                  type="checkbox"
                  checked={draft.savesAddress}
                  onChange={(event) => onChange({ ...draft, savesAddress: event.currentTarget.checked })}
                />
                <span>Save this address</span>
              </label>
            </div>
          )}
        </>
      )}
    </Show>
  </fieldset>
)

const methods = [
  ['online', 'Pay online', "By card or UPI, on our payment provider's page."],
  ['cod', 'Cash on delivery', 'Pay when your order arrives.'],
] as const

export const PaymentChoice = ({
  method,
  allowsCash,
  onChange,
}: {
  method: CheckoutDraft['method']
  allowsCash: boolean
  onChange: (method: CheckoutDraft['method']) => void
}) => {
  const taken = storeInfo.value?.paymentMethods ?? ['online']
  const offered = methods.filter(([name]) => taken.includes(name) && (allowsCash || name !== 'cod'))
  return (
    <fieldset class="panel">
      <legend>Payment</legend>
      {offered.map(([name, label, hint]) => (
        <label key={name} class="choice">
          <input type="radio" name="method" checked={method === name} onChange={() => onChange(name)} />
          <span>
            <strong>{label}</strong>
            <span class="quiet-text">{hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
