import { useState } from 'preact/hooks'
import { NewPasswordField } from '../../../ui/fields.tsx'
import { navigate } from '../../../ui/router.ts'
import { Button, focusHeading, Heading } from '../../../ui/states.tsx'
import { errorText } from '../format.ts'
import { useLinkToken } from '../parts/link-token.ts'
import { FormError, submitting, useWork, welcome } from '../parts/sign-in-work.tsx'
import { isVitrineError, shop } from '../shop.ts'

/** Where the link of the mail leads. A new password signs the customer in. */
export const ResetPasswordPage = () => {
  const { token, dropToken } = useLinkToken('reset-token')
  const [password, setPassword] = useState('')
  const [isDead, setDead] = useState(false)
  const { errorMessage, isBusy, work } = useWork(errorText)
  const reset = () =>
    work(async () => {
      try {
        const answer = await shop.resetPassword({ token, password }, { merge: true })
        dropToken()
        await welcome(answer, 'Your password was changed.')
        navigate('/account', { replace: true })
      } catch (error) {
        if (!isVitrineError(error, 'GONE')) throw error
        dropToken()
        setDead(true)
        focusHeading()
      }
    })
  if (isDead) {
    return <NoLink title="This link no longer works" text="It has expired, was used, or was replaced by a newer one." />
  }
  if (token === '') {
    return (
      <NoLink title="This link is incomplete" text="Please open the link in your mail again, or ask for another." />
    )
  }
  return (
    <div class="narrow">
      <Heading title="Choose a new password" />
      <p class="lead">You will be signed in here, and signed out on all other devices.</p>
      <form class="form" onSubmit={submitting(reset)}>
        <NewPasswordField label="New password" name="new-password" value={password} onInput={setPassword} />
        {errorMessage && <FormError text={errorMessage} />}
        <Button type="submit" class="wide" isBusy={isBusy}>
          Save and sign in
        </Button>
      </form>
    </div>
  )
}

const NoLink = ({ title, text }: { title: string; text: string }) => (
  <div class="narrow">
    <Heading title={title} />
    <p class="lead">{text}</p>
    <p>
      <a class="button" href="/forgot-password">
        Send a new link
      </a>
    </p>
  </div>
)
