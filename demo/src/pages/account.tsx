import { useEffect, useState } from 'preact/hooks'
import { EmailField, NameField, PasswordField } from '../../../ui/fields.tsx'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { navigate } from '../../../ui/router.ts'
import { Button, Heading, Show } from '../../../ui/states.tsx'
import { errorText } from '../format.ts'
import { AccountNav, CustomerOnly } from '../parts/customer-only.tsx'
import { EmailStatus } from '../parts/email-status.tsx'
import { PasswordForm } from '../parts/password-form.tsx'
import { FormError, submitting, useWork } from '../parts/sign-in-work.tsx'
import { type Customer, shop } from '../shop.ts'
import { sendsMail, signOut, signOutEverywhere } from '../state.ts'

export const AccountPage = () => (
  <CustomerOnly title="Your account">
    <Heading title="Your account" />
    <AccountNav current="/account" />
    <Profile />
  </CustomerOnly>
)

const Profile = () => {
  const { loaded, reload, replace } = useLoad('customer', (signal) => shop.showCustomer({ signal }))
  const [passwordsSaved, setPasswordsSaved] = useState(0)
  const leave = async () => {
    const hasEnded = await signOut()
    navigate('/')
    showNotice(
      hasEnded
        ? 'You are signed out.'
        : 'You are signed out in this browser, but the shop could not be reached. Your session there expires on its own.',
      { about: 'session' },
    )
  }
  const leaveEverywhere = async () => {
    try {
      await signOutEverywhere()
    } catch (error) {
      return showNotice(errorText(error), { about: 'session' })
    }
    navigate('/')
    showNotice('You are signed out on all devices.', { about: 'session' })
  }
  return (
    <>
      <Show loaded={loaded} onRetry={reload}>
        {(customer) => (
          <>
            <ProfileForm customer={customer} passwordsSaved={passwordsSaved} onSaved={replace} />
            <EmailStatus customer={customer} onReload={reload} />
          </>
        )}
      </Show>
      <PasswordForm onSaved={() => setPasswordsSaved(passwordsSaved + 1)} />
      <p class="apart">
        <Button class="quiet" onClick={leave}>
          Sign out
        </Button>{' '}
        <Button class="quiet" onClick={leaveEverywhere}>
          Sign out on all devices
        </Button>
      </p>
    </>
  )
}

type ProfileProps = { customer: Customer; passwordsSaved: number; onSaved: (customer: Customer) => void }

const ProfileForm = ({ customer, passwordsSaved, onSaved }: ProfileProps) => {
  const [name, setName] = useState(customer.name)
  const [email, setEmail] = useState(customer.email)
  const [currentPassword, setCurrentPassword] = useState('')
  const isNewEmail = customer.email !== '' && email.trim() !== customer.email
  const { errorMessage, setErrorMessage, isBusy, work } = useWork(errorText)
  // A message may have asked for a password.
  useEffect(() => setErrorMessage(null), [passwordsSaved])
  const save = () =>
    work(async () => {
      const proof = isNewEmail && currentPassword ? { currentPassword } : {}
      const details = { name: name.trim(), email: email.trim(), ...proof, storefrontUrl: location.origin }
      const saved = await shop.changeCustomer(details)
      const isMailed = sendsMail() && saved.email !== customer.email && saved.email !== '' && !saved.emailVerified
      onSaved(saved)
      setCurrentPassword('')
      showNotice(
        `Your details were saved.${isMailed ? ` We sent a mail to ${saved.email} to confirm the address.` : ''}`,
      )
    })
  return (
    <form class="form narrow-form" onSubmit={submitting(save)}>
      <p>
        Signed in with <strong>{customer.phone || customer.email}</strong>
      </p>
      <NameField value={name} onInput={setName} />
      <EmailField
        label="E-mail"
        {...(customer.email === '' ? { remark: '(optional)' } : {})}
        value={email}
        onInput={setEmail}
      />
      {isNewEmail && (
        <PasswordField
          label="Password"
          remark="(if you have one, to change the e-mail address)"
          name="password"
          value={currentPassword}
          onInput={setCurrentPassword}
        />
      )}
      {errorMessage && <FormError text={errorMessage} />}
      <p>
        <Button type="submit" isBusy={isBusy}>
          Save
        </Button>
      </p>
    </form>
  )
}
