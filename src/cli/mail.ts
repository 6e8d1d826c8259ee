import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { seconds } from '../core/clock.ts'
import { OperatorError } from '../core/operator-error.ts'
import { errorMessage } from '../core/thrown.ts'
import { commandLine } from '../features/audit/record.ts'
import { messageNames } from '../features/events/messages.ts'
import { type ListedMail, listStoreMail } from '../features/mail/mail.sql.ts'
import { previewMail, sendTestMail } from '../features/mail/preview.ts'
import { resendMailBy } from '../features/mail/resend.ts'
import { findOrder } from '../features/orders/store-orders.ts'
import { chooseMailSender, hasMailSender } from '../providers/mail/choose.ts'
import { MailFailed } from '../providers/mail/sender.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import { fields, type OutputOptions, printResult, table, wholeNumber } from './output.ts'
import { whichStore } from './which-store.ts'

type StoreOptions = OutputOptions & { store?: string }

export const addMail = (program: Command) => {
  const mail = program.command('mail').description('Preview, test, list and resend mail')
  addPreview(mail)
  addSendTest(mail)
  addList(mail)
  addResend(mail)
}

const addPreview = (mail: Command) =>
  mail
    .command('preview <name>')
    .description('Write a message with example data to an HTML file and a text file')
    .option('--language <code>', 'en or hi; default: that of the store')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--out <file>', 'HTML file to write; the text is written beside it; default: NAME.html')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `\nMessages: ${messageNames.join(', ')}\n\nExample:\n  vitrine mail preview order.shipped --language hi --out /tmp/shipped.html`,
    )
    .action((name: string, options: StoreOptions & { language?: string; out?: string }) =>
      withReadableDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const ctx = { store, publicUrl: config.publicUrl, mailFrom: config.mail.from }
        const { subject, html, text, language } = previewMail(ctx, name, options.language, new Date())
        const htmlFile = resolve(options.out ?? `${name}.html`)
        const textFile = `${htmlFile.replace(/\.html?$/i, '')}.txt`
        writeFiles({ [htmlFile]: html, [textFile]: text })
        const made = { message: name, language, subject, html: htmlFile, text: textFile }
        printResult(options, made, () => fields({ subject, html: htmlFile, text: textFile }))
      }),
    )

const writeFiles = (files: Record<string, string>) => {
  for (const [file, content] of Object.entries(files)) {
    try {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
    } catch (error) {
      throw new OperatorError(`${file} cannot be written: ${errorMessage(error)}.`, { cause: error })
    }
  }
}

const addSendTest = (mail: Command) =>
  mail
    .command('send-test')
    .description('Send a message with example data, and print the answer of the mail server')
    .requiredOption('--to <email>', 'recipient')
    .option('--message <name>', 'message to send', 'order.placed')
    .option('--language <code>', 'en or hi; default: that of the store')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine mail send-test --to me@shop.example')
    .action((options: StoreOptions & { to: string; message: string; language?: string }) =>
      withReadableDatabase(async (db, config) => {
        const sender = chooseMailSender(config)
        if (sender === null) throw noMailServer()
        try {
          const store = await whichStore(db, config, options)
          const ctx = { store, publicUrl: config.publicUrl, mailFrom: config.mail.from }
          const { to, message, language } = options
          const wanted = { to, message, language, now: new Date() }
          const sent = await sendTestMail(ctx, sender, wanted, AbortSignal.timeout(seconds(60))).catch(explainSending)
          printResult(options, sent, ({ answer }) => `Sent to ${to}. The answer: ${answer}`)
        } finally {
          await sender.close()
        }
      }),
    )

const noMailServer = () => new OperatorError('There is no mail server. Set VITRINE_SMTP_URL and VITRINE_MAIL_FROM.')

const explainSending = (error: unknown): never => {
  if (!(error instanceof MailFailed)) throw error
  // Without a status there was no answer, and the words are those of this machine.
  const speaker = /^\d{3}\b/.test(error.answer) ? 'The mail server says' : 'The reason'
  throw new OperatorError(`The mail was not sent: ${error.message}. ${speaker}: ${error.answer}`, { cause: error })
}

const addList = (mail: Command) =>
  mail
    .command('list')
    .description('List the mail of the last 30 days, newest first')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--state <state>', 'only this state: waiting, sent, failed or skipped')
    .option('--limit <n>', 'maximum number of mails', '20')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine mail list --state failed')
    .action((options: StoreOptions & { state?: string; limit: string }) =>
      withReadableDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const rows = await listStoreMail(db, store.id, {
          state: readState(options.state),
          limit: wholeNumber('--limit', options.limit, { min: 1, max: 10_000 }),
        })
        printResult(options, rows, showMails)
      }),
    )

const states = ['waiting', 'sent', 'failed', 'skipped']

const readState = (state: string | undefined) => {
  if (state === undefined || states.includes(state)) return state ?? null
  throw new OperatorError(`--state must be one of ${states.join(', ')}, not "${state}".`)
}

const showMails = (rows: readonly ListedMail[]) =>
  table(
    ['id', 'message', 'to', 'state', 'attempts', 'queued', 'error'],
    rows.map(({ id, message, recipient, state, attempts, createdAt, error }) => [
      ...[id, message, recipient ?? '', state, String(attempts), createdAt.toISOString(), error],
    ]),
  )

const addResend = (mail: Command) =>
  mail
    .command('resend <order> <name>')
    .description("Send a mail of an order again, to the customer's present address; at most three times an hour")
    .option('--store <id>', 'store id; needed when several stores have an order with this number')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine mail resend 1001 order.paid')
    .action((name: string, message: string, options: StoreOptions) =>
      withDatabase(async (db, config) => {
        if (!hasMailSender(config)) throw noMailServer()
        const { store, order } = await findOrder(db, name, options.store)
        const queued = await db.tx((tx) => resendMailBy(tx, store, commandLine, order, message))
        printResult(
          options,
          queued,
          ({ recipient }) => `${message} of order ${queued.order} is queued for ${recipient}.`,
        )
      }),
    )
