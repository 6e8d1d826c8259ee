import { useState } from 'preact/hooks'
import { EmailField } from '../../../ui/fields.tsx'
import { Button, focusHeading, Heading, Skeleton } from '../../../ui/states.tsx'
import { errorText } from '../format.ts'
import { InboxHint } from '../parts/development.tsx'
import { useEmailDraft } from '../parts/password-sign-in.tsx'
import { FormError, submitting, useWork } from '../parts/sign-in-work.tsx'
import { shop } from '../shop.ts'
import { sendsMail, storeInfo } from '../state.ts'

export const ForgotPasswordPage = () => {
  const [draft, setDraft] = useEmailDraft()
  const [sentTo, setSentTo] = useState<string | null>(null)
  const { errorMessage, isBusy, work } = useWork(errorText)
  const email = draft.email.trim()
  const info = storeInfo.value
  const request = () =>
    work(async () => {
      await shop.forgotPassword({ email, storefrontUrl: location.origin })
      setSentTo(email)
      focusHeading()
    })
  if (sentTo !== null) return <Sent email={sentTo} onStartOver={() => setSentTo(null)} />
  return (
    <div class="narrow">
      <Heading title="Forgot your password?" />
      {info === null ? (
        <Skeleton lines={3} />
      ) : sendsMail() ? (
        <>
          <p class="lead">Enter your e-mail address. We will send you a link to choose a new password.</p>
          <form class="form" onSubmit={submitting(request)}>
            <EmailField
              label="E-mail address"
              autocomplete="username"
              required
              value={draft.email}
              onInput={(text) => setDraft({ ...draft, email: text })}
            />
            {errorMessage && <FormError text={errorMessage} />}
            <Button type="submit" class="wide" isBusy={isBusy}>
              Send link
            </Button>
          </form>
        </>
      ) : (
        <p class="lead">
          This shop sends no mail. Please write to <a href={`mailto:${info.contact.email}`}>{info.contact.email}</a>.
        </p>
      )}
      <p class="apart">
        <a href="/sign-in">Back to sign-in</a>
      </p>
    </div>
  )
}

/** The same whether or not there is an account, because the service does not tell. */
const Sent = ({ email, onStartOver }: { email: string; onStartOver: () => void }) => (
  <div class="narrow">
    <Heading title="Check your mail" />
    <p class="lead">
      If <strong>{email}</strong> has an account here, we sent it a link to choose a new password. The link is valid for
      30 minutes.
    </p>
    <p>Nothing there? Look in the spam folder, or check the address.</p>
    <p>
      <button type="button" class="text-button" onClick={onStartOver}>
        Send again, or use another address
      </button>
    </p>
    <InboxHint />
  </div>
)
