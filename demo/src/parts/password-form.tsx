import { useState } from 'preact/hooks'
import { errorText } from '../format.ts'
import { tell } from '../notice.ts'
import { shop } from '../shop.ts'
import { Button } from './states.tsx'

/** Changing a password ends all other visits of the customer. */
export const PasswordForm = () => {
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const save = async (event: Event) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setFault(null)
    try {
      await shop.changePassword({ newPassword, ...(currentPassword ? { currentPassword } : {}) })
      setCurrent('')
      setNew('')
      tell('Your password is changed. Other devices are signed out.')
    } catch (error) {
      setFault(errorText(error))
    }
    setBusy(false)
  }
  return (
    <details class="apart">
      <summary>Change the password</summary>
      <form class="form narrow-form" onSubmit={save}>
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
            minLength={8}
            maxLength={200}
            value={newPassword}
            onInput={(event) => setNew(event.currentTarget.value)}
          />
        </label>
        {fault && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <p>
          <Button type="submit" isBusy={isBusy}>
            Change password
          </Button>
        </p>
      </form>
    </details>
  )
}
