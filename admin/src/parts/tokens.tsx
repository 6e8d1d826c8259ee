import { useState } from 'preact/hooks'
import { Dialog, FormDialog } from '../../../ui/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../../ui/fields.tsx'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { Button, focusHeading, Show } from '../../../ui/states.tsx'
import type { AdminToken } from '../api.ts'
import { counted, date, dateTime, Incomplete } from '../format.ts'
import { admin, may, type Permission, store } from '../session.ts'
import { CopyField } from './copy.tsx'
import { permissionNames, permissionWords } from './role-words.ts'

/** Tokens for programs, such as the software of a warehouse. */
export const Tokens = () => {
  const { loaded, reload } = useLoad(`${store.value?.id} tokens`, async () => (await admin().listTokens()).data)
  const [isNew, setNew] = useState(false)
  const [made, setMade] = useState<{ name: string; token: string } | null>(null)
  const [doomed, setDoomed] = useState<AdminToken | null>(null)
  return (
    <section class="apart" aria-labelledby="tokens">
      <div class="page-head">
        <h2 id="tokens">Tokens for programs</h2>
        <Button class="quiet small" onClick={() => setNew(true)}>
          New token
        </Button>
      </div>
      <p class="quiet-text">
        A program, such as the software of your warehouse or your accounts, signs in with a token of its own.
      </p>
      <Show loaded={loaded} onRetry={reload}>
        {(tokens) =>
          tokens.length === 0 ? <p>No program has a token.</p> : <TokenTable tokens={tokens} onRevoke={setDoomed} />
        }
      </Show>
      {isNew && (
        <NewTokenDialog
          onClose={() => setNew(false)}
          onMade={(token) => {
            reload()
            // The dialog that is open now closes first.
            setTimeout(() => setMade(token))
          }}
        />
      )}
      {made && (
        <Dialog title={`The token of ${made.name}`} onClose={() => setMade(null)}>
          <p>Copy it now and keep it in a safe place. It is not shown again.</p>
          <CopyField label="Token" value={made.token} />
          <div class="row dialog-actions">
            <Button onClick={() => setMade(null)}>Done</Button>
          </div>
        </Dialog>
      )}
      {doomed && (
        <FormDialog
          {...{ title: `Revoke the token of ${nameOf(doomed)}?`, action: 'Revoke', isDangerous: true }}
          onClose={() => setDoomed(null)}
          onSubmit={async () => {
            await admin().revokeToken({ tokenId: doomed.id })
            reload()
            focusHeading()
            showNotice(`The token of ${nameOf(doomed)} is revoked.`)
          }}
        >
          <p>
            The program is refused from now on.{' '}
            {doomed.usedAt === null ? 'It has never used the token.' : `It last used it ${dateTime(doomed.usedAt)}.`}{' '}
            This cannot be undone.
          </p>
        </FormDialog>
      )}
    </section>
  )
}

const nameOf = ({ name, id }: { name: string; id: string }) => name || id

const TokenTable = ({ tokens, onRevoke }: { tokens: AdminToken[]; onRevoke: (token: AdminToken) => void }) => (
  <table class="table">
    <thead>
      <tr>
        <th scope="col">Program</th>
        <th scope="col">May</th>
        <th scope="col">Last used</th>
        <th scope="col">Expires</th>
        <th scope="col">
          <span class="hidden">Actions</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {tokens.map((token) => (
        <tr key={token.id}>
          <th scope="row" class="wraps">
            {nameOf(token)}
          </th>
          <td data-label="May">
            <Permissions names={token.permissions} />
          </td>
          <td data-label="Last used">{token.usedAt === null ? 'Never' : dateTime(token.usedAt)}</td>
          <td data-label="Expires">
            <Expiry expiresAt={token.expiresAt} />
          </td>
          <td class="actions">
            <button type="button" class="text-button" onClick={() => onRevoke(token)}>
              Revoke<span class="hidden"> the token of {nameOf(token)}</span>
            </button>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

const Permissions = ({ names }: { names: AdminToken['permissions'] }) => {
  if (names.length === permissionNames.length) return <>Everything</>
  if (names.length < 3) return <>{names.map((name) => permissionWords[name]).join('; ')}</>
  return (
    <details>
      <summary>{counted(names.length, 'permission')}</summary>
      <ul class="bullets">
        {names.map((name) => (
          <li key={name}>{permissionWords[name]}</li>
        ))}
      </ul>
    </details>
  )
}

const Expiry = ({ expiresAt }: Pick<AdminToken, 'expiresAt'>) => {
  if (expiresAt === null) return <>Never</>
  if (Date.parse(expiresAt) <= Date.now()) return <span class="status bad">Expired</span>
  return <>{date(expiresAt)}</>
}

const lifetimes = [
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['', 'Never'],
] as const

const NewTokenDialog = ({
  onClose,
  onMade,
}: {
  onClose: () => void
  onMade: (made: { name: string; token: string }) => void
}) => {
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<Permission[]>([])
  const [days, setDays] = useState('365')
  const create = async () => {
    if (chosen.length === 0) throw new Incomplete('Choose at least one thing that the program may do.')
    const expiresAt = new Date(Date.now() + Number(days) * 86_400_000).toISOString()
    const { id, token } = await admin().createToken({
      ...{ name, permissions: chosen },
      ...(days === '' ? {} : { expiresAt }),
    })
    onMade({ name: nameOf({ name, id }), token })
  }
  return (
    <FormDialog title="New token for a program" action="Make token" isWide onClose={onClose} onSubmit={create}>
      <div class="fields">
        <TextField
          {...{ label: 'Name of the program', name: 'name', required: true, maxLength: 100, autocomplete: 'off' }}
          value={name}
          onInput={setName}
        />
        <SelectField {...{ label: 'Expires', name: 'expires', value: days, options: lifetimes }} onChange={setDays} />
      </div>
      <fieldset>
        <legend class="legend">What it may do</legend>
        <div class="permissions">
          {permissionNames
            .filter((permission) => may(permission))
            .map((permission) => (
              <CheckField
                {...{ label: permissionWords[permission], name: permission, isChecked: chosen.includes(permission) }}
                onChange={(isOn) =>
                  setChosen(isOn ? [...chosen, permission] : chosen.filter((one) => one !== permission))
                }
                key={permission}
              />
            ))}
        </div>
      </fieldset>
    </FormDialog>
  )
}
