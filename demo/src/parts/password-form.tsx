import { useState } from 'preact/hooks'
import { errorText } from '../format.ts'
import { showNotice } from '../notice.ts'
import { shop } from '../shop.ts'
import { NewPasswordField, PasswordField } from './fields.tsx'
import { FormError, submitting, useWork } from './sign-in-work.tsx'
import { Button } from './states.tsx'

/** Changing the password ends all other sessions of the customer. */
export const PasswordForm = () => {
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const { errorMessage, isBusy, work } = useWork(errorText)
  const save = () =>
    work(async () => {
      await shop.changePassword({ newPassword, ...(currentPassword ? { currentPassword } : {}) })
      setCurrent('')
      setNew('')
      showNotice('Your password was changed. Other devices were signed out.')
    })
  return (
    <details class="apart">
      <summary>Change the password</summary>
      <form class="form narrow-form" onSubmit={submitting(save)}>
        <PasswordField
          label="Current password"
          remark="(if you have one)"
          name="current-password"
          value={currentPassword}
          onInput={setCurrent}
        />
        <NewPasswordField label="New password" name="new-password" value={newPassword} onInput={setNew} />
        {errorMessage && <FormError text={errorMessage} />}
        <p>
          <Button type="submit" isBusy={isBusy}>
            Change password
          </Button>
        </p>
      </form>
    </details>
  )
}
