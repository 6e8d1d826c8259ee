import { messageWords } from '../parts/orders/words.ts'
import type { SettingField, SettingGroup } from './settings-form.tsx'

const localeCodes = [
  ...['en-IN', 'en-US', 'en-GB', 'en-AU', 'en-CA', 'en', 'hi-IN', 'bn-IN', 'ta-IN', 'te-IN', 'mr-IN', 'gu-IN', 'de-DE'],
  ...['fr-FR', 'es-ES', 'es-MX', 'it-IT', 'nl-NL', 'pt-BR', 'pt-PT', 'pl-PL', 'sv-SE', 'ja-JP', 'ko-KR', 'zh-CN'],
]

const locales = () => {
  const names = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' })
  return localeCodes.map((code) => [code, names.of(code) ?? code] as const)
}

const timeZones = () => ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => [zone, zone] as const)

const months = () => {
  const name = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' })
  return Array.from({ length: 12 }, (_, month) => [`${month + 1}`, name.format(Date.UTC(2026, month))] as const)
}

export const generalGroups = (): SettingGroup[] => [
  {
    title: 'Store',
    fields: [
      { path: 'name', label: 'Store name', maxLength: 200, required: true },
      { path: 'logo', label: 'Logo', help: 'The address of a picture. Upload pictures under Media.', maxLength: 1000 },
      { path: 'locale', label: 'Language and region', kind: 'choice', options: locales() },
      { path: 'timezone', label: 'Time zone', kind: 'choice', options: timeZones() },
    ],
  },
  {
    title: 'Contact',
    about: 'Shown to customers, and used in mail.',
    fields: [
      { path: 'contact/email', label: 'Email', kind: 'email', maxLength: 254 },
      { path: 'contact/phone', label: 'Phone', kind: 'tel', maxLength: 40 },
    ],
  },
  {
    title: 'Address',
    about: 'Shown on invoices.',
    fields: [
      { path: 'address/line1', label: 'Street and house', maxLength: 200 },
      { path: 'address/postalCode', label: 'Postal code', maxLength: 20 },
      { path: 'address/city', label: 'City', maxLength: 100 },
      { path: 'address/state', label: 'State', maxLength: 100 },
      { path: 'address/country', label: 'Country', help: 'Two letters, such as IN.', maxLength: 2 },
    ],
  },
  {
    title: 'Close the store',
    about: 'A closed store sells nothing. Orders that exist are still paid, delivered and refunded.',
    fields: [{ path: 'closed', label: 'The store is closed', kind: 'check' }],
  },
]

export const checkoutGroups: SettingGroup[] = [
  {
    title: 'Cash on delivery',
    fields: [
      { path: 'cashOnDelivery/enabled', label: 'Customers can pay in cash when the parcel arrives', kind: 'check' },
      {
        ...{ path: 'cashOnDelivery/verifiedPhone', kind: 'check' },
        label: 'Only for customers with a confirmed phone number',
      },
      {
        ...{ path: 'cashOnDelivery/maxValue', kind: 'amount', canBeEmpty: true },
        ...{ label: 'Largest cash order', help: 'Empty: no limit.' },
      },
      {
        ...{ path: 'cashOnDelivery/maxUnits', kind: 'whole', canBeEmpty: true },
        ...{ label: 'Most units in a cash order', help: 'Empty: no limit.' },
      },
      {
        ...{ path: 'cashOnDelivery/maxOpenOrders', kind: 'whole', canBeEmpty: true },
        ...{ label: 'Most open cash orders of one customer', help: 'Empty: no limit.' },
      },
    ],
  },
  {
    title: 'Orders',
    fields: [
      {
        ...{ path: 'maxHeldUnits', label: 'Most units in unpaid orders of one customer', kind: 'whole' },
        ...{ canBeEmpty: true, help: 'Units of unpaid orders are reserved. Empty: no limit.' },
      },
      {
        ...{ path: 'returnDays', label: 'Days to ask for a return', kind: 'whole' },
        help: 'Counted from the delivery. 0: customers cannot ask.',
      },
      {
        ...{ path: 'supportRefundLimit', label: 'Most that support staff may refund of an order', kind: 'amount' },
        ...{ canBeEmpty: true, help: 'Empty: they may not refund.' },
      },
      {
        ...{ path: 'lowStockThreshold', label: 'Low stock', kind: 'whole' },
        help: 'A variant with this many units or fewer counts as low.',
      },
    ],
  },
  {
    title: 'Signing in by phone',
    about: 'Each message costs money, so strangers must not be able to send many.',
    fields: [
      {
        ...{ path: 'oneTimePasswords/countries', label: 'Countries that get codes', kind: 'list' },
        help: 'Two letters each, such as IN, US. Empty: all countries.',
      },
      {
        ...{ path: 'oneTimePasswords/hourlyCap', label: 'Most codes an hour', kind: 'whole' },
        ...{ canBeEmpty: true, help: 'For all customers together. Empty: no limit.' },
      },
      { path: 'oneTimePasswords/clientLimit', label: 'Most codes an hour for one device', kind: 'whole' },
    ],
  },
  {
    title: 'Visitors',
    about: 'A visitor with more requests has to wait.',
    fields: [{ path: 'visitorLimit', label: 'Most requests a minute of one visitor', kind: 'whole' }],
  },
]

export const shippingGroups: SettingGroup[] = [
  {
    title: 'Shipping cost',
    about: 'One price for every order that is shipped.',
    fields: [
      {
        ...{ path: 'shipping/flat', label: 'Cost of shipping', kind: 'amount', step: 'shipping' },
        help: '0 if shipping is free.',
      },
      {
        ...{ path: 'shipping/freeAbove', label: 'Free from', kind: 'amount', canBeEmpty: true },
        help: 'Orders of this value or more are shipped free. Empty: never.',
      },
    ],
  },
]

export const taxGroups = (): SettingGroup[] => [
  {
    title: 'Prices and tax',
    about: 'The tax rate belongs to each product.',
    fields: [
      {
        ...{ path: 'taxIncluded', label: 'Your prices', kind: 'choice', step: 'tax' },
        options: [
          ['true', 'Include tax'],
          ['false', 'Are without tax, which is added at checkout'],
        ],
      },
    ],
  },
  {
    title: 'Invoices',
    fields: [
      { path: 'taxId', label: 'Tax number', help: 'Printed on invoices, such as a GSTIN.', maxLength: 40 },
      {
        ...{ path: 'invoices/prefix', label: 'Invoice numbers begin with', maxLength: 10 },
        help: 'Letters and digits, with - or / at the end, such as INV-.',
      },
      {
        ...{ path: 'invoices/yearStartMonth', label: 'Numbers begin again in', kind: 'choice' },
        options: [['', 'Never'], ...months()],
      },
    ],
  },
]

const messages = {
  ...messageWords,
  'stock.low': 'To you: products are low in stock',
  'webhook.disabled': 'To you: a webhook was switched off',
}

const messageField = ([name, label]: [string, string]): SettingField => ({
  ...{ path: `mail/messages/${name}`, label, kind: 'check' },
})

export const mailGroups: SettingGroup[] = [
  {
    title: 'Sender',
    fields: [
      { path: 'mail/senderName', label: 'Sender name', help: 'Empty: the name of the store.', maxLength: 100 },
      {
        ...{ path: 'mail/replyTo', label: 'Replies go to', kind: 'email', maxLength: 254 },
        help: 'Empty: the email address under General.',
      },
      {
        ...{ path: 'mail/brandColor', label: 'Colour of buttons', maxLength: 7 },
        help: 'Such as #0a5c36. Empty: the usual colour.',
      },
    ],
  },
  {
    title: 'Messages',
    about: 'What is sent by itself. Codes and links for signing in are always sent.',
    fields: Object.entries(messages).map(messageField),
  },
]

export const domainGroups: SettingGroup[] = [
  {
    title: 'Address of your shop',
    about: 'Links in mail lead there.',
    fields: [{ path: 'domain', label: 'Website', help: 'Such as https://bluedoor.example.', required: true }],
  },
]
