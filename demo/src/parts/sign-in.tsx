import { useEffect, useRef, useState } from 'preact/hooks'
import { errorText, internationalPhone } from '../format.ts'
import { useDraft } from '../load.ts'
import { clearNotice, showNotice } from '../notice.ts'
import { development, isVitrineError, shop } from '../shop.ts'
import { DevelopmentOnly } from './development.tsx'
import { EmailForm } from './email-sign-in.tsx'
import { TextField } from './fields.tsx'
import { FormError, submitting, useWork, welcome } from './sign-in-work.tsx'
import { Button } from './states.tsx'

type Draft = { phone: string; isSent: boolean }

type Method = 'phone' | 'email'

const methods: [Method, string][] = [
  ['phone', 'Phone'],
  ['email', 'E-mail'],
]

/** Sign-in by phone or by e-mail. Both move the guest's cart and wishlist to the customer. */
export const SignInForm = () => {
  const [method, setMethod] = useDraft<Method>('sign-in-method', 'phone')
  return (
    <>
      <fieldset class="methods" aria-label="How to sign in">
        {methods.map(([value, label]) => (
          <label class="option" key={value}>
            <input
              type="radio"
              name="method"
              value={value}
              checked={method === value}
              onChange={() => {
                clearNotice()
                setMethod(value)
              }}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      {method === 'phone' ? <PhoneForm /> : <EmailForm />}
    </>
  )
}

/** A phone number, then the code that was sent to it. */
const PhoneForm = () => {
  const [{ phone, isSent }, setDraft] = useDraft<Draft>('sign-in', { phone: '', isSent: false })
  const [code, setCode] = useState('')
  const codeField = useRef<HTMLInputElement>(null)
  const { errorMessage, setErrorMessage, isBusy, work } = useWork((error) => {
    if (isSent) codeField.current?.select()
    return wordError(error)
  })
  const number = internationalPhone(phone)

  useEffect(() => {
    if (isSent) codeField.current?.focus()
  }, [isSent])

  const request = () =>
    work(async () => {
      await shop.requestOtp({ phone: number })
      setCode('')
      setDraft({ phone, isSent: true })
      // Quiet, because the form shows the same.
      showNotice(`A code was sent to ${number}.`, { isQuiet: true })
    })
  const verify = () =>
    work(async () => {
      const answer = await shop.verifyOtp({ phone: number, otp: code.trim() }, { merge: true })
      await welcome(answer)
    })

  const startOver = () => {
    clearNotice()
    setErrorMessage(null)
    setDraft({ phone, isSent: false })
  }

  if (!isSent) {
    return (
      <form class="form" onSubmit={submitting(request)}>
        <TextField
          label="Phone number"
          type="tel"
          name="phone"
          autocomplete="tel"
          inputMode="tel"
          required
          placeholder="+91 98765 43210"
          value={phone}
          onInput={(text) => setDraft({ phone: text, isSent: false })}
          help="Include the country code, for example +91. We will text you a code."
        />
        {errorMessage && <FormError text={errorMessage} />}
        <Button type="submit" class="wide" isBusy={isBusy}>
          Send code
        </Button>
      </form>
    )
  }
  return (
    <form class="form" onSubmit={submitting(verify)}>
      <p>
        We sent a six-digit code to <strong>{number}</strong>. It is valid for five minutes.
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
        <button type="button" class="text-button" onClick={request}>
          Send a new code
        </button>
        <button type="button" class="text-button" onClick={startOver}>
          Use another number
        </button>
      </p>
      {development.showsCodes && <DevelopmentCode phone={number} onUse={setCode} />}
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
