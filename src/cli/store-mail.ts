import type { Command } from 'commander'
import type { Store } from '../features/context.ts'
import type { StoreSettings } from '../features/stores/stores.sql.ts'
import { collect, wholeNumber } from './output.ts'

/** The options of `store set` for mail and low stock. */
export const addMailOptions = (command: Command): Command =>
  command
    .option('--mail-off <name>', 'message that the store does not send, such as order.shipped; repeatable', collect, [])
    .option('--mail-on <name>', 'message that the store sends again; repeatable', collect, [])
    .option('--mail-sender-name <name>', "sender's name in mail; empty: the name of the store")
    .option('--mail-reply-to <email>', 'address for replies to mail; empty: the contact email')
    .option('--brand-color <color>', "colour of buttons and links in mail, such as '#0a5c36'; empty: the default")
    .option('--low-stock <number>', 'available units at which a variant counts as low in stock')

export type MailOptions = { mailOff: string[]; mailOn: string[] } & Partial<
  Record<'mailSenderName' | 'mailReplyTo' | 'brandColor' | 'lowStock', string>
>

export const readMailSettings = (options: MailOptions): Partial<StoreSettings> => ({
  mailOff: options.mailOff,
  mailOn: options.mailOn,
  mailSenderName: options.mailSenderName ?? null,
  mailReplyTo: options.mailReplyTo ?? null,
  brandColor: options.brandColor ?? null,
  lowStockThreshold:
    options.lowStock === undefined ? null : wholeNumber('--low-stock', options.lowStock, { min: 0, max: 1_000_000 }),
})

export const showMailSettings = (store: Store) => ({
  mail: { senderName: store.mailSenderName, replyTo: store.mailReplyTo, off: store.mailOff },
  brandColor: store.brandColor,
  lowStock: store.lowStockThreshold,
})

export const describeMail = (store: Store) =>
  [
    `from ${store.mailSenderName || store.name}`,
    `replies to ${store.mailReplyTo || store.contact.email || 'the sender'}`,
    store.mailOff.length === 0 ? 'all messages' : `all messages except ${store.mailOff.join(', ')}`,
  ].join(', ')
