import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { EmailField, TextField } from '../../../ui/fields.tsx'
import { useDraft } from '../../../ui/load.ts'
import { clearNotice, showNotice } from '../../../ui/notice.ts'
import { Button } from '../../../ui/states.tsx'
import { errorText, internationalPhone } from '../format.ts'
import { development, isVitrineError, shop } from '../shop.ts'
import { DevelopmentOnly, InboxHint } from './development.tsx'
import { useEmailDraft } from './password-sign-in.tsx'
import { FormError, submitting, useWork, welcome } from './sign-in-work.tsx'

export const PhoneCodeForm = () => {
  const [phone, setPhone] = useDraft('sign-in-phone', '')
  return (
    <CodeForm way="phone" recipient={internationalPhone(phone)}>
      <TextField
        label="Phone number"
        type="tel"
        name="phone"
        autocomplete="tel"
        inputMode="tel"
        required
        placeholder="+91 98765 43210"
        value={phone}
        onInput={setPhone}
        help="Include the country code, for example +91. We will text you a code."
      />
    </CodeForm>
  )
}

export const EmailCodeForm = () => {
  const [draft, setDraft] = useEmailDraft()
  return (
    <CodeForm way="email" recipient={draft.email.trim()}>
      <EmailField
        label="E-mail address"
        required
        value={draft.email}
        onInput={(email) => setDraft({ ...draft, email })}
        help="We will send you a code. If you are new here, it creates your account."
      />
    </CodeForm>
  )
}

/** Asks where to send a code, with the field in `children`, and then for the code. */
const CodeForm = ({
  way,
  recipient,
  children,
}: {
  way: 'phone' | 'email'
  recipient: string
  children: ComponentChildren
}) => {
  // Kept apart from the field, which other forms share: the code is valid only for the recipient of the request.
  const [sentTo, setSentTo] = useDraft<string | null>(`sign-in-sent-to-${way}`, null)
  const isSent = sentTo !== null
  const [code, setCode] = useState('')
  const codeField = useRef<HTMLInputElement>(null)
  const { errorMessage, setErrorMessage, isBusy, work } = useWork((error) => {
    if (isSent) codeField.current?.select()
    return wordError(error)
  })

  useEffect(() => {
    if (isSent) codeField.current?.focus()
  }, [isSent])

  const request = (to: string) =>
    work(async () => {
      await shop.requestOtp({ [way]: to })
      setCode('')
      setSentTo(to)
      // Quiet, because the form shows the same.
      showNotice(`A code was sent to ${to}.`, { isQuiet: true })
    })
  const verify = (to: string) =>
    work(async () => {
      const answer = await shop.verifyOtp({ [way]: to, otp: code.trim() }, { merge: true })
      await welcome(answer)
    })

  const startOver = () => {
    clearNotice()
    setErrorMessage(null)
    setSentTo(null)
  }

  if (sentTo === null) {
    return (
      <form class="form" onSubmit={submitting(() => request(recipient))}>
        {children}
        {errorMessage && <FormError text={errorMessage} />}
        <Button type="submit" class="wide" isBusy={isBusy}>
          Send code
        </Button>
      </form>
    )
  }
  return (
    <form class="form" onSubmit={submitting(() => verify(sentTo))}>
      <p>
        We sent a six-digit code to <strong>{sentTo}</strong>. It is valid for five minutes.
      </p>
      <label class="field">
        <span>Code</span>
        <input
          ref={codeField}
          class="code"
          name="otp"
          autocomplete="one-time-code"
          inputMode="numeric"
          pattern="[0-9]{6}"
          title="Six digits"
          maxLength={6}
          required
          value={code}
          onInput={(event) => setCode(event.currentTarget.value.replace(/\D/g, ''))}
        />
      </label>
      {errorMessage && <FormError text={errorMessage} />}
      <Button type="submit" class="wide" isBusy={isBusy}>
        Sign in
      </Button>
      <p class="row">
        <button type="button" class="text-button" onClick={() => request(sentTo)}>
          Send a new code
        </button>
        <button type="button" class="text-button" onClick={startOver}>
          {way === 'phone' ? 'Use another number' : 'Use another address'}
        </button>
      </p>
      {way === 'email' && <InboxHint />}
      {way === 'phone' && development.showsCodes && <DevelopmentCode phone={sentTo} onUse={setCode} />}
    </form>
  )
}

const wordError = (error: unknown) => {
  if (isVitrineError(error, 'UNAUTHORIZED')) return 'This code is incorrect. Please check it and try again.'
  if (isVitrineError(error, 'GONE')) return 'This code has expired or was tried too often. Please request a new one.'
  if (isVitrineError(error, 'BAD_GATEWAY')) return 'The message could not be sent. Please try again.'
  return errorText(error)
}

/** For a service that sends no text messages: the demo server returns the code. */
const DevelopmentCode = ({ phone, onUse }: { phone: string; onUse: (code: string) => void }) => {
  const [sentCode, setSentCode] = useState<string | null>(null)
  useEffect(() => {
    let hasEnded = false
    const poll = async () => {
      const found = await development.readCode(phone).catch(() => null)
      if (!hasEnded) setSentCode(found)
    }
    void poll()
    const timer = setInterval(poll, 1_500)
    return () => {
      hasEnded = true
      clearInterval(timer)
    }
  }, [phone])
  return (
    <DevelopmentOnly>
      {sentCode ? (
        <p>
          No message is sent here. Your code is <strong data-testid="development-code">{sentCode}</strong>.{' '}
          <button type="button" class="text-button" onClick={() => onUse(sentCode)}>
            Fill it in
          </button>
        </p>
      ) : (
        <p>No message is sent here. Find the code in the console of the service.</p>
      )}
    </DevelopmentOnly>
  )
}
