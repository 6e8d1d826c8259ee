import { useState } from 'preact/hooks'
import { TextField } from '../../../ui/fields.tsx'
import { Button, focusHeading, Heading, Problem } from '../../../ui/states.tsx'
import { useSubmit } from '../../../ui/submit.ts'
import { staff } from '../api.ts'

export const ForgotPasswordPage = () => {
  const [email, setEmail] = useState('')
  const [isSent, setSent] = useState(false)
  const { isBusy, error, submit } = useSubmit(async () => {
    await staff.forgotPassword({ email })
    setSent(true)
    focusHeading()
  })
  if (isSent) {
    return (
      <div class="card">
        <Heading title="Check your mail" />
        <p>If {email} belongs to a staff member, a link to choose a new password is on its way.</p>
        <p>
          <a href="/admin/sign-in">Back to sign in</a>
        </p>
      </div>
    )
  }
  return (
    <div class="card">
      <Heading title="Forgot your password?" />
      <form class="form" onSubmit={submit}>
        <p>We send you a link to choose a new one.</p>
        <TextField
          {...{
            type: 'email',
            label: 'Email',
            name: 'email',
            autocomplete: 'username',
            required: true,
            maxLength: 254,
          }}
          value={email}
          onInput={setEmail}
        />
        {error !== null && <Problem error={error} />}
        <Button type="submit" class="wide" isBusy={isBusy}>
          Send the link
        </Button>
      </form>
      <p class="apart-small">
        <a href="/admin/sign-in">Back to sign in</a>
      </p>
    </div>
  )
}
