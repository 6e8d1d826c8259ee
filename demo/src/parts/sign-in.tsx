import { useEffect, useRef, useState } from 'preact/hooks'
import { errorText, internationalPhone } from '../format.ts'
import { useDraft } from '../load.ts'
import { clearNotice, tell } from '../notice.ts'
import { development, isVitrineError, shop } from '../shop.ts'
import { DevelopmentOnly } from './development.tsx'
import { EmailForm } from './email-sign-in.tsx'
import { TextField } from './fields.tsx'
import { FormFault, submitting, useWork, welcome } from './sign-in-work.tsx'
import { Button } from './states.tsx'

type Draft = { phone: string; isSent: boolean }

type Way = 'phone' | 'email'

const ways: [Way, string][] = [
  ['phone', 'Phone'],
  ['email', 'E-mail'],
]

/** Signing in by phone or by e-mail. What the guest has gathered comes along either way. */
export const SignInForm = () => {
  const [way, setWay] = useDraft<Way>('sign-in-way', 'phone')
  return (
    <>
      <fieldset class="ways" aria-label="How to sign in">
        {ways.map(([value, label]) => (
          <label class="option" key={value}>
            <input
              type="radio"
              name="way"
              value={value}
              checked={way === value}
              onChange={() => {
                clearNotice()
                setWay(value)
              }}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      {way === 'phone' ? <PhoneForm /> : <EmailForm />}
    </>
  )
}

/** A phone number, then the code that was sent to it. */
const PhoneForm = () => {
  const [{ phone, isSent }, setDraft] = useDraft<Draft>('sign-in', { phone: '', isSent: false })
  const [code, setCode] = useState('')
  const codeField = useRef<HTMLInputElement>(null)
  const { fault, setFault, isBusy, work } = useWork((error) => {
    if (isSent) codeField.current?.select()
    return faultText(error)
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
      // The form says so to the eye.
      tell(`A code is on its way to ${number}.`, { isQuiet: true })
    })
  const verify = () =>
    work(async () => {
      const answer = await shop.verifyOtp({ phone: number, otp: code.trim() }, { merge: true })
      await welcome(answer)
    })

  const startOver = () => {
    clearNotice()
    setFault(null)
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
          help="With the country, for instance +91. We send you a code by text message."
        />
        {fault && <FormFault text={fault} />}
        <Button type="submit" class="wide" isBusy={isBusy}>
          Send code
        </Button>
      </form>
    )
  }
  return (
    <form class="form" onSubmit={submitting(verify)}>
      <p>
        We have sent a code of six digits to <strong>{number}</strong>. It is good for five minutes.
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
      {fault && <FormFault text={fault} />}
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

const faultText = (error: unknown) => {
  if (isVitrineError(error, 'UNAUTHORIZED')) return 'This is not the right code. Please look again.'
  if (isVitrineError(error, 'GONE')) return 'This code is over or was tried too often. Please ask for a new one.'
  if (isVitrineError(error, 'BAD_GATEWAY')) return 'The message could not be sent. Please try again.'
  return errorText(error)
}

/** For a service that sends no messages. The server of the demo has seen the code and tells it here. */
const DevelopmentCode = ({ phone, onUse }: { phone: string; onUse: (code: string) => void }) => {
  const [seen, setSeen] = useState<string | null>(null)
  useEffect(() => {
    let isOver = false
    const look = async () => {
      const found = await development.readCode(phone).catch(() => null)
      if (!isOver) setSeen(found)
    }
    void look()
    const timer = setInterval(look, 1_500)
    return () => {
      isOver = true
      clearInterval(timer)
    }
  }, [phone])
  return (
    <DevelopmentOnly>
      {seen ? (
        <p>
          No message is sent here. Your code is <strong data-testid="development-code">{seen}</strong>.{' '}
          <button type="button" class="text-button" onClick={() => onUse(seen)}>
            Fill it in
          </button>
        </p>
      ) : (
        <p>No message is sent here. The code stands on the console of the service.</p>
      )}
    </DevelopmentOnly>
  )
}
