import { useState } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../../ui/fields.tsx'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { Button, Empty, Show } from '../../../ui/states.tsx'
import type { AdminCreateKeyInput, StoreKey } from '../api.ts'
import { date, number } from '../format.ts'
import { type Secret, SecretDialog } from '../parts/copy.tsx'
import { admin, may, store } from '../session.ts'

type Kind = AdminCreateKeyInput['kind']
type Scope = NonNullable<AdminCreateKeyInput['scopes']>[number]

const scopeWords: Record<Scope, string> = {
  'products:read': 'Show products, categories and search',
  'store:read': 'Show the store and its menu',
  'cart:write': 'Carts',
  'wishlist:write': 'Wishlists',
  'auth:write': 'Sign up, in and out',
  'customer:read': "Show a customer's orders, addresses and downloads",
  'customer:write': "Change a customer's data, cancel an order",
  'checkout:write': 'Checkout and payment',
  'customers:assert': 'Act for any customer without a password',
}
const allScopes = Object.keys(scopeWords) as Scope[]

/** A browser key is public, so it must not act for every customer. */
const usualScopes = (kind: Kind) => allScopes.filter((scope) => kind === 'server' || scope !== 'customers:assert')

const kinds = [
  ['browser', 'Website or app'],
  ['server', 'Your own server'],
] as const

const wordKind = (kind: string) => kinds.find(([name]) => name === kind)?.[1] ?? kind

const nameOfKey = ({ name, kind, createdAt }: StoreKey) => name || `${wordKind(kind)}, ${date(createdAt)}`

const isOver = ({ revokedAt, expiresAt }: StoreKey) =>
  revokedAt !== null || (expiresAt !== null && new Date(expiresAt) <= new Date())

type Open = { what: 'new' } | { what: 'edit' | 'revoke'; key: StoreKey }

export const KeysSettings = () => {
  const { loaded, reload } = useLoad(`${store.value?.id} keys`, () => admin().listKeys())
  const [open, setOpen] = useState<Open | null>(null)
  const [secret, setSecret] = useState<Secret | null>(null)
  const close = () => setOpen(null)
  const revoke = async (key: StoreKey) => {
    await admin().revokeKey({ keyId: key.id })
    reload()
    showNotice(`${nameOfKey(key)} is revoked.`)
  }
  return (
    <>
      <div class="toolbar">
        <p class="quiet-text">Your website and your programs call the store with a key.</p>
        {may('secrets:write') && <Button onClick={() => setOpen({ what: 'new' })}>Create a key</Button>}
      </div>
      <Show loaded={loaded} onRetry={reload}>
        {({ data }) =>
          data.length === 0 ? <Empty title="No keys yet" /> : <KeyTable keys={workingFirst(data)} onOpen={setOpen} />
        }
      </Show>
      {open?.what === 'new' && <NewKeyDialog onClose={close} onMade={setSecret} onChange={reload} />}
      {open?.what === 'edit' && <EditKeyDialog storeKey={open.key} onClose={close} onChange={reload} />}
      {open?.what === 'revoke' && (
        <FormDialog
          {...{ title: `Revoke ${nameOfKey(open.key)}?`, action: 'Revoke', isDangerous: true, onClose: close }}
          onSubmit={() => revoke(open.key)}
        >
          <p>Every shop and program that uses this key stops working within a second. This cannot be undone.</p>
        </FormDialog>
      )}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  )
}

const workingFirst = (keys: readonly StoreKey[]) =>
  [...keys].sort((one, other) => Number(isOver(one)) - Number(isOver(other)))

const KeyTable = ({ keys, onOpen }: { keys: readonly StoreKey[]; onOpen: (open: Open) => void }) => (
  <table class="table">
    <thead>
      <tr>
        <th scope="col">Key</th>
        <th scope="col">For</th>
        <th scope="col">Created</th>
        <th scope="col" class="number">
          Requests a minute
        </th>
        <th scope="col">State</th>
        {may('secrets:write') && (
          <th scope="col">
            <span class="hidden">Actions</span>
          </th>
        )}
      </tr>
    </thead>
    <tbody>
      {keys.map((key) => (
        <tr key={key.id}>
          <th scope="row">{key.name || <span class="quiet-text">No name</span>}</th>
          <td data-label="For">{wordKind(key.kind)}</td>
          <td data-label="Created">{date(key.createdAt)}</td>
          <td data-label="Requests a minute" class="number">
            {number(key.rateLimit)}
          </td>
          <td data-label="State">
            <KeyState storeKey={key} />
          </td>
          {may('secrets:write') && (
            <td class="actions">
              {!isOver(key) && (
                <>
                  <button type="button" class="text-button" onClick={() => onOpen({ what: 'edit', key })}>
                    Edit<span class="hidden"> {nameOfKey(key)}</span>
                  </button>
                  <button type="button" class="text-button" onClick={() => onOpen({ what: 'revoke', key })}>
                    Revoke<span class="hidden"> {nameOfKey(key)}</span>
                  </button>
                </>
              )}
            </td>
          )}
        </tr>
      ))}
    </tbody>
  </table>
)

const KeyState = ({ storeKey }: { storeKey: StoreKey }) => {
  const { revokedAt, expiresAt } = storeKey
  if (revokedAt !== null) return <span class="status">Revoked {date(revokedAt)}</span>
  if (expiresAt === null) return <span class="status good">Works</span>
  return isOver(storeKey) ? (
    <span class="status">Expired {date(expiresAt)}</span>
  ) : (
    <span class="status good">Works until {date(expiresAt)}</span>
  )
}

const ScopeFields = ({ scopes, onChange }: { scopes: readonly Scope[]; onChange: (scopes: Scope[]) => void }) => (
  <details class="more">
    <summary>What it may do ({scopes.length === allScopes.length ? 'everything' : `${scopes.length} things`})</summary>
    {allScopes.map((scope) => (
      <CheckField
        {...{ label: scopeWords[scope], name: scope, isChecked: scopes.includes(scope) }}
        onChange={(isOn) => onChange(allScopes.filter((one) => (one === scope ? isOn : scopes.includes(one))))}
        key={scope}
      />
    ))}
  </details>
)

const LimitField = ({ value, onInput }: { value: string; onInput: (text: string) => void }) => (
  <TextField
    {...{ label: 'Most requests a minute', name: 'limit', inputMode: 'numeric', maxLength: 10, value, onInput }}
    {...{ pattern: '\\d+', title: 'A whole number', remark: '(optional)', class: 'short' }}
  />
)

const NewKeyDialog = ({
  onClose,
  onMade,
  onChange,
}: {
  onClose: () => void
  onMade: (secret: Secret) => void
  onChange: () => void
}) => {
  const [name, setName] = useState('')
  const [kind, setKind] = useState<Kind>('browser')
  const [scopes, setScopes] = useState<Scope[]>(usualScopes('browser'))
  const [limit, setLimit] = useState('')
  const [expires, setExpires] = useState('')
  const choose = (chosen: string) => {
    const next = chosen === 'server' ? 'server' : 'browser'
    setKind(next)
    setScopes(usualScopes(next))
  }
  const create = async () => {
    const { key } = await admin().createKey({
      ...{ kind, name, scopes },
      ...(limit === '' ? {} : { rateLimit: Number(limit) }),
      ...(expires === '' ? {} : { expiresAt: `${expires}T00:00:00Z` }),
    })
    onChange()
    const about =
      kind === 'browser'
        ? 'It may be in the code of your website.'
        : 'Keep it on your server. It must not be in the code of a website or an app.'
    onMade({ title: 'Your new key', about, values: [['Key', key]] })
  }
  return (
    <FormDialog title="New key" action="Create the key" onSubmit={create} onClose={onClose}>
      <TextField
        {...{ label: 'Name', name: 'name', required: true, maxLength: 100, value: name }}
        help="What uses it, such as Website."
        onInput={setName}
      />
      <SelectField label="For" name="kind" value={kind} options={kinds} onChange={choose} />
      <ScopeFields scopes={scopes} onChange={setScopes} />
      <LimitField value={limit} onInput={setLimit} />
      <TextField
        {...{ type: 'date', label: 'Works until', remark: '(optional)', name: 'expires', class: 'short' }}
        value={expires}
        onInput={setExpires}
      />
    </FormDialog>
  )
}

const EditKeyDialog = ({
  storeKey,
  onClose,
  onChange,
}: {
  storeKey: StoreKey
  onClose: () => void
  onChange: () => void
}) => {
  const [name, setName] = useState(storeKey.name)
  const [scopes, setScopes] = useState<Scope[]>(allScopes.filter((scope) => storeKey.scopes.includes(scope)))
  const [limit, setLimit] = useState(String(storeKey.rateLimit))
  const save = async () => {
    await admin().updateKey({ keyId: storeKey.id, name, scopes, ...(limit === '' ? {} : { rateLimit: Number(limit) }) })
    onChange()
    showNotice('Saved.')
  }
  return (
    <FormDialog title={`Edit ${nameOfKey(storeKey)}`} action="Save" onSubmit={save} onClose={onClose}>
      <TextField {...{ label: 'Name', name: 'name', maxLength: 100, value: name, onInput: setName }} />
      <ScopeFields scopes={scopes} onChange={setScopes} />
      <LimitField value={limit} onInput={setLimit} />
    </FormDialog>
  )
}
