import type { Mailbox } from '../../core/mail-address.ts'

/** One mail to one recipient. */
export type OutgoingMail = {
  /** The id of the row in `mail`. The Message-ID is made from it, so a mail that is sent again keeps it. */
  id: string
  /** `order.paid` and so on, for the header `X-Vitrine-Message`. */
  name: string
  from: Mailbox
  /** Null: replies go to the sender. */
  replyTo: string | null
  to: string
  subject: string
  text: string
  html: string
  language: string
  date: Date
  /** The one-time code in the text, for the sender that prints codes. */
  code: string | null
}

/**
 * Sends one mail. `send` resolves with the answer of the server when the server has accepted the mail. It rejects with
 * `MailRefused` if sending the same mail again is useless, and with another error otherwise.
 */
export type MailSender = {
  name: 'smtp' | 'folder'
  send(mail: OutgoingMail, signal?: AbortSignal): Promise<{ answer: string }>
  /** Mail that is being sent is completed first. */
  close(): Promise<void>
}

/** `answer` has the words of the server. They are kept out of the message, which is logged: they name the recipient. */
export class MailFailed extends Error {
  override name = 'MailFailed'
  readonly answer: string

  constructor(message: string, answer: string, options?: ErrorOptions) {
    super(message, options)
    this.answer = answer
  }
}

/** The server refuses this recipient or this mail for good. */
export class MailRefused extends MailFailed {
  override name = 'MailRefused'
}
