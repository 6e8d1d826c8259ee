import { useState } from 'preact/hooks'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { Button, Empty, Heading, Show } from '../../../ui/states.tsx'
import { errorText } from '../format.ts'
import { AddressForm, AddressText, draftOf, emptyAddress, toAddress } from '../parts/address-form.tsx'
import { AccountNav, CustomerOnly } from '../parts/customer-only.tsx'
import { type Address, shop } from '../shop.ts'

export const AddressesPage = () => (
  <CustomerOnly title="Addresses">
    <Heading title="Addresses" />
    <AccountNav current="/addresses" />
    <AddressBook />
  </CustomerOnly>
)

const AddressBook = () => {
  const { loaded, reload } = useLoad(
    'addresses',
    async (signal) => (await shop.listAddresses({ limit: 50 }, { signal })).items,
  )
  const [edited, setEdited] = useState<string | 'new' | null>(null)
  const finish = (text: string) => {
    setEdited(null)
    reload()
    showNotice(text)
  }
  return (
    <Show loaded={loaded} onRetry={reload}>
      {(addresses) => (
        <>
          {addresses.length === 0 && edited === null && (
            <Empty title="No addresses yet">
              <p>Save an address to check out faster.</p>
            </Empty>
          )}
          <ul class="addresses">
            {addresses.map((address) => (
              <li key={address.id}>
                {edited === address.id ? (
                  <AddressForm
                    initial={draftOf(address)}
                    onCancel={() => setEdited(null)}
                    onSave={async (draft) => {
                      await shop.changeAddress({ id: address.id, ...toAddress(draft) })
                      finish('The address was saved.')
                    }}
                  />
                ) : (
                  <AddressCard address={address} onEdit={() => setEdited(address.id)} onChanged={finish} />
                )}
              </li>
            ))}
          </ul>
          {edited === 'new' ? (
            <AddressForm
              initial={emptyAddress}
              onCancel={() => setEdited(null)}
              onSave={async (draft) => {
                await shop.addAddress(toAddress(draft))
                finish('The address was saved.')
              }}
            />
          ) : (
            <Button class="quiet" onClick={() => setEdited('new')}>
              Add an address
            </Button>
          )}
        </>
      )}
    </Show>
  )
}

const AddressCard = ({
  address,
  onEdit,
  onChanged,
}: {
  address: Address
  onEdit: () => void
  onChanged: (text: string) => void
}) => {
  const work = async (doing: Promise<unknown>, done: string) => {
    try {
      await doing
      onChanged(done)
    } catch (error) {
      showNotice(errorText(error))
    }
  }
  const label = `${address.name}, ${address.line1}`
  return (
    <div class="panel address-card">
      <AddressText address={address} />
      {address.isDefault && <span class="pill">Default</span>}
      <p class="row">
        <button type="button" class="text-button" aria-label={`Change ${label}`} onClick={onEdit}>
          Change
        </button>
        {!address.isDefault && (
          <button
            type="button"
            class="text-button"
            aria-label={`Make ${label} the default`}
            onClick={() =>
              work(shop.changeAddress({ id: address.id, isDefault: true }), 'This is now your default address.')
            }
          >
            Make default
          </button>
        )}
        <button
          type="button"
          class="text-button"
          aria-label={`Remove ${label}`}
          onClick={() => work(shop.removeAddress({ id: address.id }), 'The address was removed.')}
        >
          Remove
        </button>
      </p>
    </div>
  )
}
