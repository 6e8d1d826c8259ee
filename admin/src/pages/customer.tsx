import { useState } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog.tsx'
import { TextArea, TextField } from '../../../ui/fields.tsx'
import { DownloadIcon } from '../../../ui/icons.tsx'
import { dropDrafts, useDraft, useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import type { PathParams } from '../../../ui/router.ts'
import { Button, Empty, focusHeading, Problem, Show } from '../../../ui/states.tsx'
import { useSubmit } from '../../../ui/submit.ts'
import type { Address, CustomerDetails, CustomerNote, Order, WithEtag } from '../api.ts'
import { date, dateTime, money, number } from '../format.ts'
import { EditForm, useEdit } from '../parts/edit.tsx'
import { EraseDialog } from '../parts/erase-customer.tsx'
import { NotAllowed } from '../parts/not-allowed.tsx'
import { OrderTable, orderColumns } from '../parts/orders/order-table.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { PagesOf, usePages } from '../parts/pages-of.tsx'
import { admin, may, store } from '../session.ts'
import { nameOf } from './customers.tsx'

type Shown = CustomerDetails & WithEtag
type Changed = { customer: Shown; onChange: (customer: Shown) => void }

export const CustomerPage = ({ id = '' }: PathParams) =>
  may('customers:read') ? <Customer id={id} /> : <NotAllowed title="Customer" />

const Customer = ({ id }: { id: string }) => {
  const { loaded, reload, replace } = useLoad(`${store.value?.id} customer ${id}`, (signal) =>
    admin().getCustomer({ customerId: id }, { signal }),
  )
  const [isErasing, setErasing] = useState(false)
  const customer = loaded.status === 'ready' ? loaded.value : null
  const isErased = customer !== null && customer.erasedAt !== null
  return (
    <>
      <PageHead
        title={customer === null ? 'Customer' : nameOf(customer)}
        back={{ path: 'customers', label: 'Customers' }}
        beside={isErased && <span class="status">Erased</span>}
      >
        {customer && !isErased && (
          <>
            <a
              class="button quiet small"
              href={`/admin/v1/stores/${store.value?.id}/customers/${id}/export`}
              download={`customer-${id}.json`}
            >
              <DownloadIcon /> Export everything
            </a>
            {may('customers:erase') && (
              <Button class="quiet small" onClick={() => setErasing(true)}>
                Erase
              </Button>
            )}
          </>
        )}
      </PageHead>
      <Show loaded={loaded} onRetry={reload}>
        {(shown) => <Details customer={shown} onChange={replace} />}
      </Show>
      {isErasing && customer && (
        <EraseDialog
          customer={customer}
          onClose={() => setErasing(false)}
          onErased={() => {
            reload()
            focusHeading()
          }}
        />
      )}
    </>
  )
}

const Details = ({ customer, onChange }: Changed) => {
  const isErased = customer.erasedAt !== null
  return (
    <div class="columns">
      <div>
        {isErased && (
          <p class="warning">
            The personal data of this customer was erased on {date(customer.erasedAt ?? '')}. The orders with their
            amounts are kept.
          </p>
        )}
        <section class="panel">
          <h2>Orders</h2>
          <Spend {...customer} />
          <Orders customerId={customer.id} />
        </section>
        {!isErased && <Notes customer={customer} onChange={onChange} />}
      </div>
      {!isErased && (
        <div>
          <section class="panel">
            <h2>Contact</h2>
            {may('customers:write') ? (
              <ContactForm customer={customer} onChange={onChange} />
            ) : (
              <ContactFacts {...customer} />
            )}
          </section>
          <section class="panel">
            <h2>Addresses</h2>
            {customer.addresses.length === 0 && <p class="quiet-text">No saved address.</p>}
            <ul class="addresses">
              {customer.addresses.map((address) => (
                <AddressItem address={address} key={address.id} />
              ))}
            </ul>
          </section>
        </div>
      )}
    </div>
  )
}

const Spend = ({ orderCount, totalSpent, lastOrderAt, createdAt }: CustomerDetails) => (
  <dl class="figures">
    <div>
      <dt>Spent</dt>
      <dd>
        <strong>{money(totalSpent)}</strong>
      </dd>
    </div>
    <div>
      <dt>Orders</dt>
      <dd>
        <strong>{number(orderCount)}</strong>
      </dd>
    </div>
    <div>
      <dt>Last order</dt>
      <dd>
        <strong>{lastOrderAt === null ? 'None' : date(lastOrderAt)}</strong>
      </dd>
    </div>
    <div>
      <dt>Customer since</dt>
      <dd>
        <strong>{date(createdAt)}</strong>
      </dd>
    </div>
  </dl>
)

const { placed, status, payment, total } = orderColumns

const Orders = ({ customerId }: { customerId: string }) => {
  const list = usePages<Order>(`orders of ${customerId}`, (cursor) =>
    admin().listCustomerOrders({ customerId, ...cursor, limit: 10 }),
  )
  return (
    <PagesOf list={list} one="order" many="orders, cancelled ones too" empty={<Empty title="No orders yet" />}>
      {(orders) => <OrderTable orders={orders} columns={[placed, status, payment, total]} />}
    </PagesOf>
  )
}

const confirmedText = (value: string, isConfirmed: boolean) =>
  value === '' ? undefined : isConfirmed ? 'Confirmed: the customer can sign in with it.' : 'Not confirmed.'

const ContactForm = ({ customer, onChange }: Changed) => {
  const customerId = customer.id
  const edit = useEdit({
    name: `customer ${customerId}`,
    saved: customer,
    toDraft: ({ name, email, phone }) => ({ name, email, phone }),
    save: async (changes, ifMatch) => ({
      ...customer,
      ...(await admin().updateCustomer({ customerId, ...changes }, { ifMatch })),
    }),
    read: () => admin().getCustomer({ customerId }),
    onSaved: onChange,
  })
  const { name, email, phone } = edit.draft
  const isNewContact = email !== customer.email || phone !== customer.phone
  return (
    <EditForm edit={edit} labels={{ name: 'Name', email: 'Email', phone: 'Phone' }}>
      <TextField
        {...{ label: 'Name', name: 'name', maxLength: 200, autocomplete: 'off', value: name }}
        onInput={(text) => edit.change({ name: text })}
      />
      <TextField
        {...{ type: 'email', label: 'Email', name: 'email', maxLength: 254, autocomplete: 'off', value: email }}
        {...helpOf(email === customer.email ? confirmedText(email, customer.emailVerified) : undefined)}
        onInput={(text) => edit.change({ email: text })}
      />
      <TextField
        {...{ type: 'tel', label: 'Phone', name: 'phone', maxLength: 40, autocomplete: 'off', value: phone }}
        {...helpOf(phone === customer.phone ? confirmedText(phone, customer.phoneVerified) : undefined)}
        onInput={(text) => edit.change({ phone: text })}
      />
      {isNewContact && (
        <p class="warning">
          A new email or phone number is not confirmed. A customer who signed in with the old one is signed out
          everywhere.
        </p>
      )}
    </EditForm>
  )
}

const helpOf = (help: string | undefined) => (help === undefined ? {} : { help })

const ContactFacts = ({ name, email, emailVerified, phone, phoneVerified }: CustomerDetails) => (
  <dl class="facts">
    <dt>Name</dt>
    <dd>{name || 'None'}</dd>
    <dt>Email</dt>
    <dd>
      {email || 'None'} {email !== '' && !emailVerified && <span class="status">Not confirmed</span>}
    </dd>
    <dt>Phone</dt>
    <dd>
      {phone || 'None'} {phone !== '' && !phoneVerified && <span class="status">Not confirmed</span>}
    </dd>
  </dl>
)

const countryName = (code: string) => {
  try {
    return new Intl.DisplayNames([store.value?.locale ?? 'en'], { type: 'region' }).of(code) ?? code
  } catch {
    return code
  }
}

const AddressItem = ({ address }: { address: Address }) => {
  const { label, name, phone, line1, line2, landmark, city, postalCode, state, country, isDefault } = address
  const lines = [
    name,
    line1,
    line2,
    landmark,
    `${postalCode} ${city}`.trim(),
    state,
    countryName(country),
    phone,
  ].filter(Boolean)
  return (
    <li>
      {(label || isDefault) && (
        <p class="address-head">
          <strong>{label}</strong> {isDefault && <span class="status">Default</span>}
        </p>
      )}
      <address>
        {lines.map((line, index) => (
          <span key={index}>{line}</span>
        ))}
      </address>
    </li>
  )
}

const Notes = ({ customer, onChange }: Changed) => {
  const draftName = `${store.value?.id} note on ${customer.id}`
  const [text, setText] = useDraft(draftName, '')
  const [doomed, setDoomed] = useState<CustomerNote | null>(null)
  const {
    isBusy,
    error,
    submit: add,
  } = useSubmit(async () => {
    if (text.trim() === '') return
    const note = await admin().createCustomerNote({ customerId: customer.id, text: text.trim() })
    setText('')
    dropDrafts(draftName)
    onChange({ ...customer, notes: [note, ...customer.notes] })
    showNotice('Note added.')
  })
  const remove = async ({ id: noteId }: CustomerNote) => {
    await admin().deleteCustomerNote({ customerId: customer.id, noteId })
    onChange({ ...customer, notes: customer.notes.filter(({ id }) => id !== noteId) })
    focusHeading()
    showNotice('Note deleted.')
  }
  return (
    <>
      <section class="panel">
        <h2>Notes</h2>
        {may('customers:write', 'orders:support') && (
          <form class="form" onSubmit={add}>
            <TextArea
              {...{ label: 'New note', name: 'note', rows: 2, maxLength: 5000, required: true, value: text }}
              help="Only staff see it."
              onInput={setText}
            />
            {error !== null && <Problem error={error} />}
            <div>
              <Button type="submit" class="quiet" isBusy={isBusy}>
                Add note
              </Button>
            </div>
          </form>
        )}
        {customer.notes.length === 0 && <p class="quiet-text notes">No notes yet.</p>}
        <ul class="notes">
          {customer.notes.map((note) => (
            <li key={note.id}>
              <p class="note-text">{note.text}</p>
              <p class="quiet-text">
                {note.author}, {dateTime(note.createdAt)}
                {may('customers:write') && (
                  <button type="button" class="text-button" onClick={() => setDoomed(note)}>
                    Delete<span class="hidden"> the note of {dateTime(note.createdAt)}</span>
                  </button>
                )}
              </p>
            </li>
          ))}
        </ul>
      </section>
      {doomed && (
        <FormDialog
          {...{ title: 'Delete this note?', action: 'Delete note', isDangerous: true }}
          onClose={() => setDoomed(null)}
          onSubmit={() => remove(doomed)}
        >
          <p class="note-text">{doomed.text}</p>
        </FormDialog>
      )}
    </>
  )
}
