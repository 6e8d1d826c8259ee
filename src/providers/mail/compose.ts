import type { SendMailOptions } from 'nodemailer'
import { toHeaderText } from '../../core/mail-address.ts'
import type { OutgoingMail } from './sender.ts'

const maxSubjectLength = 200

/** The mail as nodemailer takes it. Addresses are objects, so that it parses no text that a shopper has chosen. */
export const composeMail = (mail: OutgoingMail): SendMailOptions => ({
  from: { name: toHeaderText(mail.from.name), address: mail.from.address },
  to: { name: '', address: mail.to },
  ...(mail.replyTo === null ? {} : { replyTo: { name: '', address: mail.replyTo } }),
  subject: toHeaderText(mail.subject, maxSubjectLength),
  text: mail.text,
  html: mail.html,
  date: mail.date,
  messageId: `<${mail.id}@${mail.from.address.slice(mail.from.address.lastIndexOf('@') + 1)}>`,
  headers: {
    'X-Vitrine-Message': mail.name,
    'Content-Language': mail.language,
    // No vacation notes in reply (RFC 3834; the second is for Exchange).
    'Auto-Submitted': 'auto-generated',
    'X-Auto-Response-Suppress': 'All',
  },
  disableFileAccess: true,
  disableUrlAccess: true,
})
