import { useState } from 'preact/hooks'
import { errorText } from '../format.ts'
import { useDraft } from '../load.ts'
import { isVitrineError, shop } from '../shop.ts'
import { FormFault, submitting, useWork, welcome } from './sign-in-work.tsx'
import { Button } from './states.tsx'

/** A password is never kept, not even until a reload. */
type Draft = { name: string; email: string; isNew: boolean }

export const shortestPassword = 8

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
      {isNew && (
        <label class="field">
          <span>Name</span>
          <input
            name="name"
            autocomplete="name"
            required
            maxLength={120}
            value={name}
            onInput={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
          />
        </label>
      )}
      <label class="field">
        <span>E-mail address</span>
        <input
          type="email"
          name="email"
          autocomplete={isNew ? 'email' : 'username'}
          required
          maxLength={254}
          value={email}
          onInput={(event) => setDraft({ ...draft, email: event.currentTarget.value })}
        />
      </label>
      <label class="field">
        <span>Password</span>
        <input
          type="password"
          name="password"
          autocomplete={isNew ? 'new-password' : 'current-password'}
          required
          minLength={isNew ? shortestPassword : undefined}
          maxLength={200}
          value={password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
        {isNew && <small>At least {shortestPassword} characters.</small>}
      </label>
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
