import type { ComponentType } from 'preact'
import type { PathParams } from '../../../ui/router.ts'
import { Empty } from '../../../ui/states.tsx'
import { NotAllowed } from '../parts/not-allowed.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { SetupProgress } from '../parts/setup-progress.tsx'
import { may, pathTo } from '../session.ts'
import { CarriersSettings, PaymentsSettings } from '../settings/accounts.tsx'
import {
  checkoutGroups,
  domainGroups,
  generalGroups,
  mailGroups,
  shippingGroups,
  taxGroups,
} from '../settings/groups.ts'
import { KeysSettings } from '../settings/keys.tsx'
import { OriginsPanel } from '../settings/origins.tsx'
import { OutletsSettings } from '../settings/outlets.tsx'
import { SettingsForm } from '../settings/settings-form.tsx'
import { WebhooksSettings } from '../settings/webhooks.tsx'

type Subject = { name: string; title: string; about: string; Page: ComponentType }

const subjects: readonly Subject[] = [
  {
    ...{ name: 'general', title: 'General', about: 'Name, contact, address, language' },
    Page: () => <SettingsForm name="general" groups={generalGroups()} />,
  },
  {
    ...{ name: 'website', title: 'Website', about: 'The address of your shop, and which websites may use this store' },
    Page: () => (
      <>
        <SettingsForm name="website" groups={domainGroups} />
        <OriginsPanel />
      </>
    ),
  },
  {
    ...{ name: 'payments', title: 'Payments', about: 'How customers pay online' },
    Page: PaymentsSettings,
  },
  {
    ...{ name: 'checkout', title: 'Checkout and limits', about: 'Cash on delivery, returns, limits on orders' },
    Page: () => <SettingsForm name="checkout" groups={checkoutGroups} />,
  },
  {
    ...{ name: 'shipping', title: 'Shipping', about: 'What delivery costs' },
    Page: () => <SettingsForm name="shipping" groups={shippingGroups} />,
  },
  {
    ...{ name: 'tax', title: 'Tax and invoices', about: 'Prices with or without tax, tax number, invoice numbers' },
    Page: () => <SettingsForm name="tax" groups={taxGroups()} />,
  },
  { name: 'outlets', title: 'Outlets', about: 'Shops and warehouses with their own stock', Page: OutletsSettings },
  { name: 'carriers', title: 'Carriers', about: 'Accounts for booking parcels', Page: CarriersSettings },
  {
    ...{ name: 'mail', title: 'Mail', about: 'Sender, colours, and which messages customers get' },
    Page: () => <SettingsForm name="mail" groups={mailGroups} />,
  },
  { name: 'keys', title: 'Keys', about: 'For your website and your programs', Page: KeysSettings },
  { name: 'webhooks', title: 'Webhooks', about: 'Tell other systems what happens here', Page: WebhooksSettings },
]

export const SettingsPage = ({ subject }: PathParams) => {
  if (!may('settings:read')) return <NotAllowed title="Settings" />
  if (subject === undefined) return <SettingsIndex />
  const { title, Page } = subjects.find(({ name }) => name === subject) ?? {}
  return (
    <div class="settings">
      <PageHead title={title ?? 'There are no such settings'} back={{ path: 'settings', label: 'Settings' }} />
      {Page ? <Page /> : <Empty title="Choose from the list of settings" />}
    </div>
  )
}

const SettingsIndex = () => (
  <>
    <PageHead title="Settings" />
    <SetupProgress />
    <ul class="subjects">
      {subjects.map(({ name, title, about }) => (
        <li key={name}>
          <a class="subject" href={pathTo(`settings/${name}`)}>
            <strong>{title}</strong>
            <span class="quiet-text">{about}</span>
          </a>
        </li>
      ))}
    </ul>
  </>
)
