import { useState } from 'preact/hooks'
import { NewPasswordField, PasswordField } from '../../../ui/fields.tsx'
import { showNotice } from '../../../ui/notice.ts'
import { Button } from '../../../ui/states.tsx'
import { errorText } from '../format.ts'
import { shop } from '../shop.ts'
import { FormError, submitting, useWork } from './sign-in-work.tsx'

/** Sets or changes the password: the API does not tell whether there is one. Both end all other sessions. */
export const PasswordForm = ({ onSaved }: { onSaved: () => void }) => {
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const { errorMessage, isBusy, work } = useWork(errorText)
  const save = () =>
    work(async () => {
      await shop.changePassword({ newPassword, ...(currentPassword ? { currentPassword } : {}) })
      setCurrent('')
      setNew('')
      onSaved()
      showNotice('Your password was saved. Other devices were signed out.')
    })
  return (
    <details class="apart">
      <summary>Set or change the password</summary>
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
            Save password
          </Button>
        </p>
      </form>
    </details>
  )
}
