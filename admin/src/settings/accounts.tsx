import { useState } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog.tsx'
import { CheckField, TextField } from '../../../ui/fields.tsx'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { Button, Show } from '../../../ui/states.tsx'
import type { CarrierAccount, PaymentAccount } from '../api.ts'
import { dateTime } from '../format.ts'
import { CopyField } from '../parts/copy.tsx'
import { admin, may, store } from '../session.ts'
import { RotatePanel } from './rotate.tsx'

const names: Record<string, [name: string, about: string]> = {
  stripe: ['Stripe', 'Cards and many other methods, worldwide.'],
  razorpay: ['Razorpay', 'India: UPI, cards, netbanking, wallets.'],
  juspay: ['Juspay', 'India, through one or several banks.'],
  cod: ['Cash only', 'Customers pay when the parcel arrives. Nothing is paid online.'],
  sandbox: ['Test payments', 'A page with buttons for trying things out. No money moves.'],
  shiprocket: ['Shiprocket', 'India: books parcels with many couriers.'],
}

const nameOf = (id: string) => names[id]?.[0] ?? id

/** `secretKey` is shown as "Secret key". */
const labelOf = (name: string) => {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

type Credential = PaymentAccount['credentials'][number]

/** Credentials go in and never come out. What was typed stays while the dialog is open, also after a refusal. */
const CredentialsDialog = ({
  title,
  credentials,
  canSwitchOn,
  save,
  onClose,
}: {
  title: string
  credentials: readonly Credential[]
  canSwitchOn: boolean
  save: (given: Record<string, string>, switchOn: boolean) => Promise<void>
  onClose: () => void
}) => {
  const [typed, setTyped] = useState<Record<string, string>>({})
  const [switchOn, setSwitchOn] = useState(canSwitchOn)
  const given = () =>
    Object.fromEntries(
      Object.entries(typed).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, text.trim()]])),
    )
  return (
    <FormDialog
      title={title}
      action={canSwitchOn && switchOn ? 'Check and switch on' : 'Check and save'}
      onSubmit={() => save(given(), canSwitchOn && switchOn)}
      onClose={onClose}
    >
      <p class="quiet-text">They are checked first, stored encrypted, and never shown again.</p>
      {credentials.map(({ name, optional, set }) => (
        <TextField
          {...{ type: 'password', name, label: labelOf(name), autocomplete: 'off', maxLength: 10_000 }}
          {...(optional ? { remark: '(optional)' } : {})}
          {...(set ? { help: 'Saved. Leave empty to keep it.' } : {})}
          required={!optional && !set}
          value={typed[name] ?? ''}
          onInput={(text) => setTyped({ ...typed, [name]: text })}
          key={name}
        />
      ))}
      {canSwitchOn && (
        <CheckField label="Take payments with it from now on" name="on" isChecked={switchOn} onChange={setSwitchOn} />
      )}
    </FormDialog>
  )
}

export const PaymentsSettings = () => {
  const { loaded, reload } = useLoad(`${store.value?.id} payment accounts`, () => admin().listPaymentAccounts())
  return (
    <Show loaded={loaded} onRetry={reload}>
      {({ data }) => (
        <>
          {[...data].sort(byUse).map((account) => (
            <PaymentPanel
              account={account}
              active={data.find(({ active }) => active)}
              onChange={reload}
              key={account.provider}
            />
          ))}
          <RotatePanel kind="payment" />
        </>
      )}
    </Show>
  )
}

/** The one that is on comes first, then those that are set up, and what is for testing last. */
const byUse = (one: PaymentAccount, other: PaymentAccount) => rankOf(one) - rankOf(other)
const rankOf = ({ active, forTesting, complete, credentials }: PaymentAccount) =>
  active ? 0 : forTesting ? 4 : credentials.length === 0 ? 3 : complete ? 1 : 2

const statusOf = ({ active, complete, credentials }: PaymentAccount): [string, string] => {
  if (active) return complete ? ['On', 'good'] : ['On, but not complete', 'bad']
  return complete && credentials.length > 0 ? ['Ready, off', 'plain'] : ['Off', 'plain']
}

const PaymentPanel = ({
  account,
  active,
  onChange,
}: {
  account: PaymentAccount
  active: PaymentAccount | undefined
  onChange: () => void
}) => {
  const [open, setOpen] = useState<'credentials' | 'on' | null>(null)
  const { provider, credentials, complete, checkedAt, webhook, testMode } = account
  const name = nameOf(provider)
  const [status, tone] = statusOf(account)
  const close = () => setOpen(null)
  const switchOn = async () => {
    const { answer } = await admin().activatePaymentAccount({ provider })
    onChange()
    showNotice(`${name} is on. ${answer ?? ''}`)
  }
  const save = async (given: Record<string, string>, on: boolean) => {
    const { answer } = await admin().updatePaymentAccount({ provider, credentials: given })
    onChange()
    if (on) await switchOn()
    else showNotice(answer ?? 'Saved.')
  }
  return (
    <section class="panel account" aria-label={name}>
      <div class="account-head">
        <h2>{name}</h2>
        <span class={`status ${tone}`}>{status}</span>
        {testMode && <span class="status warn">Test mode</span>}
      </div>
      <p class="quiet-text">{names[provider]?.[1]}</p>
      {complete && credentials.length > 0 && (
        <p>{checkedAt === null ? 'Saved without a check.' : `Last accepted by ${name} ${dateTime(checkedAt)}.`}</p>
      )}
      {webhook && (complete || credentials.some(({ set }) => set)) && (
        <CopyField
          label="Webhook address"
          value={webhook.url}
          help={`Enter it at ${name}, so that payments are reported here.${webhook.header === null ? '' : ` With the header ${webhook.header}.`}`}
        />
      )}
      {may('secrets:write') && (
        <div class="row">
          {credentials.length > 0 && (
            <Button class="quiet small" onClick={() => setOpen('credentials')}>
              {complete ? 'Change credentials' : 'Enter credentials'}
              <span class="hidden"> of {name}</span>
            </Button>
          )}
          {complete && !account.active && (
            <Button class={`small ${credentials.length > 0 ? '' : 'quiet'}`} onClick={() => setOpen('on')}>
              Switch on<span class="hidden"> {name}</span>
            </Button>
          )}
        </div>
      )}
      {open === 'credentials' && (
        <CredentialsDialog
          {...{ credentials, save, onClose: close, canSwitchOn: !account.active, title: `Credentials of ${name}` }}
        />
      )}
      {open === 'on' && (
        <FormDialog title={`Switch on ${name}`} action="Check and switch on" onSubmit={switchOn} onClose={close}>
          <p>
            New orders are paid with {name} from now on
            {active ? `, no longer with ${nameOf(active.provider)}. Payments that have begun end there.` : '.'}
          </p>
        </FormDialog>
      )}
    </section>
  )
}

export const CarriersSettings = () => {
  const { loaded, reload } = useLoad(`${store.value?.id} carriers`, () => admin().listCarriers())
  return (
    <Show loaded={loaded} onRetry={reload}>
      {({ data }) => (
        <>
          {data.map((account) => (
            <CarrierPanel account={account} onChange={reload} key={account.carrier} />
          ))}
          <RotatePanel kind="logistics" />
        </>
      )}
    </Show>
  )
}

const CarrierPanel = ({ account, onChange }: { account: CarrierAccount; onChange: () => void }) => {
  const [isOpen, setOpen] = useState(false)
  const { carrier, credentials, complete } = account
  const name = nameOf(carrier)
  const save = async (given: Record<string, string>) => {
    const { answer } = await admin().updateCarrier({ carrier, credentials: given })
    onChange()
    showNotice(answer ?? 'Saved.')
  }
  return (
    <section class="panel account" aria-label={name}>
      <div class="account-head">
        <h2>{name}</h2>
        <span class={`status ${complete ? 'good' : 'plain'}`}>{complete ? 'Connected' : 'Not connected'}</span>
      </div>
      <p class="quiet-text">{names[carrier]?.[1]}</p>
      {complete && (
        <CopyField
          label="Webhook address"
          value={`${location.origin}/webhook/logistics/parcel`}
          help={`Enter it at ${name} with the webhook key below as the token, so that deliveries are reported here.`}
        />
      )}
      {may('secrets:write') && (
        <Button class="quiet small" onClick={() => setOpen(true)}>
          {complete ? 'Change credentials' : 'Enter credentials'}
          <span class="hidden"> of {name}</span>
        </Button>
      )}
      {isOpen && (
        <CredentialsDialog
          {...{ credentials, save, canSwitchOn: false, title: `Credentials of ${name}` }}
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  )
}
