import { useState } from 'preact/hooks'
import { errorText } from '../format.ts'
import { tell } from '../notice.ts'
import { shop } from '../shop.ts'
import { shortestPassword } from './email-sign-in.tsx'
import { FormFault, submitting, useWork } from './sign-in-work.tsx'
import { Button } from './states.tsx'

/** Changing a password ends all other visits of the customer. */
export const PasswordForm = () => {
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const { fault, isBusy, work } = useWork(errorText)
  const save = () =>
    work(async () => {
      await shop.changePassword({ newPassword, ...(currentPassword ? { currentPassword } : {}) })
      setCurrent('')
      setNew('')
      tell('Your password is changed. Other devices are signed out.')
    })
  return (
    <details class="apart">
      <summary>Change the password</summary>
      <form class="form narrow-form" onSubmit={submitting(save)}>
        <label class="field">
          <span>
            Current password <span class="quiet-text">(if you have one)</span>
          </span>
          <input
            type="password"
            name="current-password"
            autocomplete="current-password"
            maxLength={200}
            value={currentPassword}
            onInput={(event) => setCurrent(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>New password</span>
          <input
            type="password"
            name="new-password"
            autocomplete="new-password"
            required
            minLength={shortestPassword}
            maxLength={200}
            value={newPassword}
            onInput={(event) => setNew(event.currentTarget.value)}
          />
        </label>
        {fault && <FormFault text={fault} />}
        <p>
          <Button type="submit" isBusy={isBusy}>
            Change password
          </Button>
        </p>
      </form>
    </details>
  )
}
