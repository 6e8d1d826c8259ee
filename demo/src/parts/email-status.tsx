import { useEffect, useState } from 'preact/hooks'
import { CheckIcon } from '../../../ui/icons.tsx'
import { Button } from '../../../ui/states.tsx'
import { errorText } from '../format.ts'
import { type Customer, shop } from '../shop.ts'
import { sendsMail } from '../state.ts'
import { InboxHint } from './development.tsx'
import { FormError, useWork } from './sign-in-work.tsx'

/** Whether the customer has confirmed the e-mail address, and another mail to do it. */
export const EmailStatus = ({ customer, onReload }: { customer: Customer; onReload: () => void }) => {
  const { email, emailVerified } = customer
  const isOpen = email !== '' && !emailVerified
  const [sentTo, setSentTo] = useState('')
  const { errorMessage, isBusy, work } = useWork(errorText)
  // The link of the mail opens another tab.
  useEffect(() => {
    if (!isOpen) return
    addEventListener('focus', onReload)
    return () => removeEventListener('focus', onReload)
  }, [isOpen, onReload])
  const send = () =>
    work(async () => {
      await shop.requestVerification({ storefrontUrl: location.origin })
      setSentTo(email)
    })
  if (email === '') return null
  return (
    <section class="email-status" aria-label="E-mail address">
      {/* In one live region, so that screen readers announce the change. */}
      <p role="status">
        {emailVerified ? (
          <span class="confirmed">
            <CheckIcon /> {email} is confirmed.
          </span>
        ) : sentTo === email ? (
          `We sent a mail to ${email}. Open the link in it to confirm the address.`
        ) : (
          `${email} is not confirmed yet. Open the link in the mail that we sent you.`
        )}
      </p>
      {isOpen && sendsMail() && (
        <>
          <Button class="quiet small" isBusy={isBusy} onClick={send}>
            Send the mail again
          </Button>
          {errorMessage && <FormError text={errorMessage} />}
          <InboxHint />
        </>
      )}
    </section>
  )
}
