import type { SMTPPoolOptions } from 'nodemailer'
import { seconds } from '../../core/clock.ts'
import { toFields } from '../../core/fields.ts'
import { toHeaderText } from '../../core/mail-address.ts'
import { composeMail } from './compose.ts'
import { MailFailed, MailRefused, type MailSender } from './sender.ts'
import { createSmtpConnections, type SmtpConnection } from './smtp-connections.ts'

export type SmtpOptions = {
  /** Certificate authorities in place of the built-in ones, for tests. */
  ca?: string
  connectMs?: number
  /** How long the server may stay silent. */
  silenceMs?: number
  /** Mail that is sent at once. */
  connections?: number
}

const maxAnswerLength = 300

/**
 * Sends by SMTP over connections that are kept for a while. Each mail is tried once, because the mail job repeats it.
 *
 * Mail and passwords are sent without encryption to this machine only, where servers often have a certificate that
 * nobody can verify. Otherwise the certificate is always checked. With `smtp://`, a server elsewhere must offer STARTTLS;
 * otherwise an attacker on the network could remove the offer and read codes and links.
 */
export const createSmtpSender = (url: string, options: SmtpOptions = {}): MailSender => {
  const connections = createSmtpConnections(options.connections ?? 16, () => connect(readServer(url), options))
  return {
    name: 'smtp',
    // A server that answers a byte at a time is never silent, so the caller's limit must end the connection too.
    send: (mail, signal) =>
      connections.use(signal, async (connection) => {
        try {
          const { response } = await connection.sendMail(composeMail(mail))
          return { answer: shorten(response) }
        } catch (error) {
          throw explain(error)
        }
      }),
    close: async () => connections.close(),
  }
}

const readServer = (text: string): SMTPPoolOptions => {
  const url = new URL(text)
  const secure = url.protocol === 'smtps:'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isLocal = /^(?:localhost|127\.[\d.]+|::1)$/.test(host)
  const auth = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: !secure && !isLocal,
    ignoreTLS: isLocal && auth.user === '',
    ...(auth.user === '' ? {} : { auth }),
  }
}

const connect = async (server: SMTPPoolOptions, options: SmtpOptions): Promise<SmtpConnection> => {
  const { ca, connectMs = seconds(10), silenceMs = seconds(20) } = options
  // Loaded with the first mail, because most commands send none.
  const { createTransport } = await import('nodemailer')
  return createTransport({
    ...server,
    pool: true,
    maxConnections: 1,
    maxRequeues: 0,
    dnsTimeout: connectMs,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    idleTimeout: seconds(30),
    ...(ca === undefined ? {} : { tls: { ca } }),
  })
}

/** Refusals for good: of the recipient (RCPT) or the mail (DATA). Others, such as a wrong password, can be repaired. */
const explain = (error: unknown) => {
  const { code, command, responseCode, response } = toFields(error)
  const message = error instanceof Error ? error.message : String(error)
  const answer = shorten(typeof response === 'string' ? response : message)
  const status = typeof responseCode === 'number' ? responseCode : 0
  const isPermanent = status >= 500 && status !== 503 && status < 600
  if (command === 'RCPT TO' && isPermanent)
    return new MailRefused(`the mail server refused a recipient (${status})`, answer)
  if (code === 'EMESSAGE' && isPermanent) return new MailRefused(`the mail server refused a mail (${status})`, answer)
  // Before anything was sent: the address needs an extension that the server lacks.
  if (code === 'EENVELOPE' && status === 0) return new MailRefused('the mail server cannot reach an address', answer)
  const what =
    status > 0
      ? `the mail server answered ${status} to ${command ?? 'the connection'}`
      : `sending failed (${code ?? 'unknown'})`
  return new MailFailed(what, answer)
}

const shorten = (text: string) => toHeaderText(text, maxAnswerLength)
