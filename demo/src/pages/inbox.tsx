import { useEffect } from 'preact/hooks'
import { useLoad } from '../../../ui/load.ts'
import { Empty, Heading, Show } from '../../../ui/states.tsx'
import { dateTime, plural } from '../format.ts'
import { DevelopmentOnly } from '../parts/development.tsx'
import { development, type InboxEntry } from '../shop.ts'
import { NotFoundPage } from './not-found.tsx'

const refreshMs = 2_000

/** The mail that a service in development writes to a folder. A real shop has no such page. */
export const InboxPage = () => (development.showsMail ? <Inbox /> : <NotFoundPage />)

const Inbox = () => {
  const { loaded, reload } = useLoad('inbox', development.listMails)
  useEffect(() => {
    const timer = setInterval(reload, refreshMs)
    return () => clearInterval(timer)
  }, [reload])
  return (
    <div class="inbox">
      <Heading title="Inbox" />
      <DevelopmentOnly>
        <p>This service sends no mail. It writes it to a folder, and this page shows the newest.</p>
      </DevelopmentOnly>
      <Show loaded={loaded} onRetry={reload}>
        {(mails) =>
          mails.length === 0 ? (
            <Empty title="No mail yet">
              <p>Create an account, ask for a code or place an order.</p>
            </Empty>
          ) : (
            <>
              <p class="quiet-text" role="status">
                {plural(mails.length, 'mail')}, the newest first
              </p>
              <ul class="mails">
                {mails.map((mail) => (
                  <MailRow key={mail.id} mail={mail} />
                ))}
              </ul>
            </>
          )
        }
      </Show>
    </div>
  )
}

const MailRow = ({ mail }: { mail: InboxEntry }) => (
  <li class="mail-row">
    <a href={`/inbox/${encodeURIComponent(mail.id)}`}>{mail.subject || 'No subject'}</a>
    <span>
      <span class="hidden">to </span>
      {mail.to}
    </span>
    <span class="quiet-text">
      <code>{mail.message}</code> · <time dateTime={mail.sentAt}>{dateTime(mail.sentAt)}</time>
    </span>
  </li>
)

export const MailPage = ({ id = '' }: { id?: string }) => (development.showsMail ? <Mail id={id} /> : <NotFoundPage />)

const Mail = ({ id }: { id: string }) => {
  const { loaded, reload } = useLoad(`mail ${id}`, (signal) => development.readMail(id, signal))
  return (
    <Show loaded={loaded} onRetry={reload}>
      {(mail) => (mail === null ? <NotFoundPage what="mail" /> : <MailText mail={mail} />)}
    </Show>
  )
}

const MailText = ({ mail }: { mail: InboxEntry & { text: string } }) => (
  <article class="inbox">
    <p>
      <a href="/inbox">All mail</a>
    </p>
    <Heading title={mail.subject || 'No subject'} />
    <dl class="mail-head">
      <dt>From</dt>
      <dd>{mail.from}</dd>
      <dt>To</dt>
      <dd>{mail.to}</dd>
      <dt>Sent</dt>
      <dd>
        <time dateTime={mail.sentAt}>{dateTime(mail.sentAt)}</time>
      </dd>
      <dt>Message</dt>
      <dd>
        <code>{mail.message}</code>
      </dd>
    </dl>
    <MailFrame id={mail.id} text={mail.text} />
    <details class="mail-plain">
      <summary>The mail as plain text</summary>
      <pre>{mail.text}</pre>
    </details>
  </article>
)

/**
 * About as high as the mail, so that the page scrolls and not the frame. Its height cannot be read, because the frame has
 * no scripts and no access to this page, so the number of lines of text stands for it. Links of the mail open a new tab.
 */
const MailFrame = ({ id, text }: { id: string; text: string }) => (
  <iframe
    class="mail-frame"
    title="The mail as HTML"
    sandbox="allow-popups allow-popups-to-escape-sandbox"
    style={{ '--lines': text.split('\n').length }}
    src={development.mailFrame(id)}
  />
)
