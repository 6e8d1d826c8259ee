import { useState } from 'preact/hooks'
import { errorText } from '../format.ts'
import { useDraft } from '../load.ts'
import { isVitrineError, shop } from '../shop.ts'
import { EmailField, NameField, NewPasswordField, PasswordField } from './fields.tsx'
import { FormFault, submitting, useWork, welcome } from './sign-in-work.tsx'
import { Button } from './states.tsx'

/** A password is never kept, not even until a reload. */
type Draft = { name: string; email: string; isNew: boolean }

/** An e-mail address with its password, or with a name beside for a new account. */
export const EmailForm = () => {
  const [draft, setDraft] = useDraft<Draft>('sign-in-email', { name: '', email: '', isNew: false })
  const [password, setPassword] = useState('')
  const { fault, setFault, isBusy, work } = useWork(faultText)
  const { name, email, isNew } = draft
  const submit = () =>
    work(async () => {
      const known = { email: email.trim(), password }
      const options = { merge: true } as const
      await welcome(await (isNew ? shop.signUp({ name: name.trim(), ...known }, options) : shop.signIn(known, options)))
    })
  const turn = () => {
    setFault(null)
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
      {fault && <FormFault text={fault} />}
      <Button type="submit" class="wide" isBusy={isBusy}>
        {isNew ? 'Create account' : 'Sign in'}
      </Button>
      <p>
        {isNew ? 'You have an account already?' : 'You are new here?'}{' '}
        <button type="button" class="text-button" onClick={turn}>
          {isNew ? 'Sign in instead' : 'Create an account'}
        </button>
      </p>
    </form>
  )
}

const faultText = (error: unknown) => {
  if (isVitrineError(error, 'UNAUTHORIZED')) return 'The e-mail address or the password is wrong.'
  if (isVitrineError(error, 'CONFLICT')) return 'There is an account with this e-mail address already. Please sign in.'
  return errorText(error)
}
