import { useState } from 'preact/hooks'
import { TextField } from '../../../ui/fields.tsx'
import { Button } from '../../../ui/states.tsx'
import { countryName, errorText, internationalPhone } from '../format.ts'
import type { Address } from '../shop.ts'

export type AddressDraft = {
  name: string
  phone: string
  line1: string
  line2: string
  city: string
  state: string
  postalCode: string
  country: string
}

export const emptyAddress: AddressDraft = {
  name: '',
  phone: '',
  line1: '',
  line2: '',
  city: '',
  state: '',
  postalCode: '',
  country: 'IN',
}

export const draftOf = (address: Address): AddressDraft => ({
  name: address.name,
  phone: address.phone,
  line1: address.line1,
  line2: address.line2,
  city: address.city,
  state: address.state,
  postalCode: address.postalCode,
  country: address.country,
})

export const toAddress = (draft: AddressDraft) => ({ ...draft, phone: internationalPhone(draft.phone) })

const countries = ['IN', 'AE', 'AU', 'BD', 'CA', 'DE', 'FR', 'GB', 'LK', 'NP', 'SG', 'US']

export const AddressFields = ({
  draft,
  onChange,
}: {
  draft: AddressDraft
  onChange: (draft: AddressDraft) => void
}) => {
  const field = (
    name: keyof AddressDraft,
    label: string,
    autocomplete: string,
    { isRequired = true, inputMode = 'text' }: { isRequired?: boolean; inputMode?: 'text' | 'tel' } = {},
  ) => (
    <TextField
      class={`field-${name}`}
      label={label}
      {...(isRequired ? {} : { remark: '(optional)' })}
      inputMode={inputMode}
      name={name}
      autocomplete={autocomplete}
      required={isRequired}
      maxLength={120}
      value={draft[name]}
      onInput={(text) => onChange({ ...draft, [name]: text })}
    />
  )
  return (
    <div class="fields">
      {field('name', 'Full name', 'name')}
      {field('phone', 'Phone number', 'tel', { inputMode: 'tel' })}
      {field('line1', 'Street and house', 'address-line1')}
      {field('line2', 'Flat, floor or area', 'address-line2', { isRequired: false })}
      {field('postalCode', 'Postal code', 'postal-code')}
      {field('city', 'City', 'address-level2')}
      {field('state', 'State', 'address-level1', { isRequired: false })}
      <label class="field field-country">
        <span>Country</span>
        <select
          name="country"
          autocomplete="country"
          value={draft.country}
          onChange={(event) => onChange({ ...draft, country: event.currentTarget.value })}
        >
          {countries.map((code) => (
            <option key={code} value={code}>
              {countryName(code)}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

/** The form of the address book. */
export const AddressForm = ({
  initial,
  onSave,
  onCancel,
}: {
  initial: AddressDraft
  onSave: (draft: AddressDraft) => Promise<void>
  onCancel: () => void
}) => {
  const [draft, setDraft] = useState(initial)
  const [errorMessage, setErrorMessage] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const save = async (event: Event) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    try {
      await onSave(draft)
    } catch (error) {
      setErrorMessage(errorText(error))
      setBusy(false)
    }
  }
  return (
    <form class="form panel" onSubmit={save}>
      <AddressFields draft={draft} onChange={setDraft} />
      {errorMessage && (
        <p class="error" role="alert">
          {errorMessage}
        </p>
      )}
      <p class="row">
        <Button type="submit" isBusy={isBusy}>
          Save address
        </Button>
        <Button class="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </p>
    </form>
  )
}

export const AddressText = ({ address }: { address: Record<string, unknown> }) => {
  const part = (name: string) => String(address[name] ?? '')
  const lines = [
    part('line1'),
    part('line2'),
    [part('postalCode'), part('city')].filter(Boolean).join(' '),
    [part('state'), countryName(part('country'))].filter(Boolean).join(', '),
  ].filter(Boolean)
  return (
    <span class="address-text">
      <strong>{part('name')}</strong>
      {lines.map((line) => (
        <span key={line}>{line}</span>
      ))}
      <span class="quiet-text">{part('phone')}</span>
    </span>
  )
}
