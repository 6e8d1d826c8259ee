import { useState } from 'preact/hooks'
import { NewPasswordField, PasswordField, TextField } from '../../../ui/fields.tsx'
import { showNotice } from '../../../ui/notice.ts'
import { Button, Heading, Problem } from '../../../ui/states.tsx'
import { useSubmit } from '../../../ui/submit.ts'
import { staff } from '../api.ts'
import { OwnSessions } from '../parts/own-sessions.tsx'
import { SecondFactor } from '../parts/second-factor.tsx'
import { enter, session } from '../session.ts'

/** What belongs to a person, not to a store. */
export const AccountPage = () => {
  const { staff: person } = session.value ?? {}
  if (person === undefined) return null
  return (
    <div class="own-account">
      <p class="back">
        <a href="/admin">‹ {session.value?.stores.length === 1 ? 'Your store' : 'Your stores'}</a>
      </p>
      <Heading title="Your account" />
      <p class="quiet-text">You sign in with {person.email}.</p>
      <NameForm name={person.name} />
      <PasswordForm email={person.email} />
      <SecondFactor isOn={person.secondFactor} />
      <OwnSessions />
    </div>
  )
}

const NameForm = ({ name }: { name: string }) => {
  const [typed, setTyped] = useState(name)
  const { isBusy, error, submit } = useSubmit(async () => {
    enter(await staff.updateMe({ name: typed.trim() }))
    showNotice('Your name is saved.')
  })
  return (
    <section class="panel">
      <h2>Name</h2>
      <form class="form narrow-form" onSubmit={submit}>
        <TextField
          {...{ label: 'Name', name: 'name', autocomplete: 'name', required: true, maxLength: 100, value: typed }}
          help="Colleagues see it beside your notes and changes."
          onInput={setTyped}
        />
        {error !== null && <Problem error={error} />}
        <div>
          <Button type="submit" class="quiet" isBusy={isBusy}>
            Save name
          </Button>
        </div>
      </form>
    </section>
  )
}

const PasswordForm = ({ email }: { email: string }) => {
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const { isBusy, error, submit } = useSubmit(async () => {
    await staff.changePassword({ currentPassword: current, password })
    setCurrent('')
    setPassword('')
    showNotice('Your password is changed. Other devices are signed out.')
  })
  return (
    <section class="panel">
      <h2>Password</h2>
      <form class="form narrow-form" onSubmit={submit}>
        {/* Tells password managers whose password it is. */}
        <input
          class="hidden"
          name="username"
          autocomplete="username"
          value={email}
          readOnly
          aria-hidden
          tabIndex={-1}
        />
        <PasswordField label="Current password" name="current" required value={current} onInput={setCurrent} />
        <NewPasswordField label="New password" name="password" value={password} onInput={setPassword} />
        {error !== null && <Problem error={error} />}
        <div>
          <Button type="submit" class="quiet" isBusy={isBusy}>
            Change password
          </Button>
        </div>
        <p class="quiet-text">
          It signs you out on all other devices. <a href="/admin/forgot-password">No password yet?</a>
        </p>
      </form>
    </section>
  )
}
