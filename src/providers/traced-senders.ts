import { inSpan, isTracing, SpanKind } from '../core/tracing.ts'
import type { MailSender } from './mail/sender.ts'
import type { SmsSender } from './sms/sender.ts'

// Spans around messages. Neither the recipient nor the text is in them.

export const traceMail = (sender: MailSender): MailSender => {
  if (!isTracing()) return sender
  const spanFor = (message: string) => ({
    kind: SpanKind.CLIENT,
    attributes: { 'vitrine.provider': sender.name, 'vitrine.message': message },
  })
  return {
    ...sender,
    send: (mail, signal) => inSpan(`mail ${sender.name}`, spanFor(mail.name), () => sender.send(mail, signal)),
  }
}

export const traceSms = (sender: SmsSender): SmsSender => {
  if (!isTracing()) return sender
  const options = { kind: SpanKind.CLIENT, attributes: { 'vitrine.provider': sender.name } }
  return { ...sender, send: (message) => inSpan(`sms ${sender.name}`, options, () => sender.send(message)) }
}
