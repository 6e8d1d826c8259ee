import { useEffect, useState } from 'preact/hooks'
import { EmailField, NameField, NewPasswordField, PasswordField } from '../../../ui/fields.tsx'
import { useDraft } from '../../../ui/load.ts'
import { Button } from '../../../ui/states.tsx'
import { errorText } from '../format.ts'
import { isVitrineError, shop } from '../shop.ts'
import { sendsMail } from '../state.ts'
import { FormError, submitting, useWork, welcome } from './sign-in-work.tsx'

/** Has no password, because drafts are stored. */
type Draft = { name: string; email: string; isNew: boolean }

/** Every form that asks for an e-mail address to sign in with shares this draft, so nobody types it twice. */
export const useEmailDraft = () => useDraft<Draft>('sign-in-email', { name: '', email: '', isNew: false })

/**
 * Signs in with an e-mail address and a password, or creates an account with a name too. `onForm` is called with whether
 * it creates one.
 */
export const PasswordSignIn = ({ onForm }: { onForm?: ((isNew: boolean) => void) | undefined }) => {
  const [draft, setDraft] = useEmailDraft()
  const [password, setPassword] = useState('')
  const { errorMessage, setErrorMessage, isBusy, work } = useWork(wordError)
  const { name, email, isNew } = draft
  useEffect(() => {
    onForm?.(isNew)
    return () => onForm?.(false)
  }, [isNew, onForm])
  const submit = () =>
    work(async () => {
      const credentials = { email: email.trim(), password }
      const options = { merge: true } as const
      if (!isNew) return welcome(await shop.signIn(credentials, options))
      const account = { name: name.trim(), ...credentials, storefrontUrl: location.origin }
      const answer = await shop.signUp(account, options)
      await welcome(answer, sendsMail() ? `We sent a mail to ${credentials.email} to confirm the address.` : '')
    })
  const switchForm = () => {
    setErrorMessage(null)
    setDraft({ ...draft, isNew: !isNew })
  }
  return (
    <form class="form" onSubmit={submitting(submit)}>
      {isNew && <NameField value={name} onInput={(text) => setDraft({ ...draft, name: text })} />}
      <EmailField
        label="E-mail address"
        autocomplete={isNew ? 'email' : 'username'}
        required
        value={email}
        onInput={(text) => setDraft({ ...draft, email: text })}
      />
      {isNew ? (
        <NewPasswordField key="new" label="Password" name="password" value={password} onInput={setPassword} />
      ) : (
        <PasswordField key="known" label="Password" name="password" required value={password} onInput={setPassword} />
      )}
      {!isNew && sendsMail() && (
        <p>
          <a href="/forgot-password">Forgot your password?</a>
        </p>
      )}
      {errorMessage && <FormError text={errorMessage} />}
      <Button type="submit" class="wide" isBusy={isBusy}>
        {isNew ? 'Create account' : 'Sign in'}
      </Button>
      <p>
        {isNew ? 'Already have an account?' : 'New here?'}{' '}
        <button type="button" class="text-button" onClick={switchForm}>
          {isNew ? 'Sign in instead' : 'Create an account'}
        </button>
      </p>
    </form>
  )
}

const wordError = (error: unknown) => {
  if (isVitrineError(error, 'UNAUTHORIZED')) return 'The e-mail address or password is incorrect.'
  if (isVitrineError(error, 'CONFLICT')) return 'An account with this e-mail address already exists. Please sign in.'
  return errorText(error)
}
