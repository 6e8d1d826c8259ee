import type { Language } from '../../core/languages.ts'
import { isMailAddress, type Mailbox } from '../../core/mail-address.ts'
import { isWebAddress } from '../../core/web-address.ts'
import { showImage } from '../catalog/show-image.ts'
import type { MailFrom, Store } from '../context.ts'
import type { Letterhead, MailContent } from './render/blocks.ts'
import { renderHtml } from './render/html.ts'
import { renderText } from './render/text.ts'

export type MailParts = { subject: string; text: string; html: string; from: Mailbox; replyTo: string | null }

/** A message with everything that comes from the store: sender, reply address, name, logo, colour, contact. */
export const addLetterhead = (
  { store, publicUrl, mailFrom }: { store: Store; publicUrl: string; mailFrom: MailFrom },
  language: Language,
  content: MailContent,
  storeUrl = store.domain,
): MailParts => {
  const letterhead = letterheadOf(store, { publicUrl, storeUrl }, language)
  return {
    subject: content.subject,
    text: renderText(content, letterhead),
    html: renderHtml(content, letterhead),
    from: { name: store.mailSenderName || mailFrom.name || store.name, address: mailFrom.address },
    replyTo: [store.mailReplyTo, store.contact.email].find(isMailAddress) ?? null,
  }
}

type Urls = { publicUrl: string; storeUrl: string }

const letterheadOf = (store: Store, { publicUrl, storeUrl }: Urls, language: Language): Letterhead => {
  const logoUrl = showImage({ publicUrl }, store.logo)
  return {
    language,
    storeName: store.name,
    storeUrl,
    logoUrl: isWebAddress(logoUrl) ? logoUrl : '',
    brandColor: store.brandColor,
    contactLines: [
      writeStoreAddress(store),
      [store.contact.email, store.contact.phone].filter(Boolean).join(' · '),
    ].filter(Boolean),
  }
}

const writeStoreAddress = ({ address }: Store) =>
  address === null
    ? ''
    : [address.line1, `${address.city} ${address.postalCode}`.trim(), address.state, address.country]
        .filter(Boolean)
        .join(', ')
