import { useEffect, useRef, useState } from 'preact/hooks'
import { errorText, internationalPhone, plural } from '../format.ts'
import { dropDrafts, useDraft } from '../load.ts'
import { clearNotice, tell } from '../notice.ts'
import { development, isVitrineError, shop } from '../shop.ts'
import { refreshShopper, tellOtherTabs } from '../state.ts'
import { DevelopmentOnly } from './development.tsx'
import { Button } from './states.tsx'

type Draft = { phone: string; isSent: boolean }

/** A phone number, then the code that was sent to it. What the guest has gathered comes along. */
export const SignInForm = () => {
  const [{ phone, isSent }, setDraft] = useDraft<Draft>('sign-in', { phone: '', isSent: false })
  const [code, setCode] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const codeField = useRef<HTMLInputElement>(null)
  const number = internationalPhone(phone)

  useEffect(() => {
    if (isSent) codeField.current?.focus()
  }, [isSent])

  const work = async (doing: () => Promise<void>) => {
    if (isBusy) return
    setBusy(true)
    setFault(null)
    try {
      await doing()
    } catch (error) {
      setFault(faultText(error))
      if (isSent) codeField.current?.select()
    }
    setBusy(false)
  }
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
      const { merged, mergeError } = await shop.verifyOtp({ phone: number, otp: code.trim() }, { merge: true })
      dropDrafts('sign-in')
      await refreshShopper()
      tellOtherTabs()
      const text = mergeError ? 'You are signed in, but your cart could not come along.' : welcomeText(merged)
      tell(text, { about: 'session' })
      // The form is gone now, and the focus with it.
      setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus())
    })

  const startOver = () => {
    clearNotice()
    setFault(null)
    setDraft({ phone, isSent: false })
  }

  if (!isSent) {
    return (
      <form class="form" onSubmit={submitting(request)}>
        <label class="field">
          <span>Phone number</span>
          <input
            type="tel"
            name="phone"
            autocomplete="tel"
            inputMode="tel"
            required
            placeholder="+91 98765 43210"
            value={phone}
            onInput={(event) => setDraft({ phone: event.currentTarget.value, isSent: false })}
          />
          <small>With the country, for instance +91. We send you a code by text message.</small>
        </label>
        {fault && <Fault text={fault} />}
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
      {fault && <Fault text={fault} />}
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

const submitting = (run: () => unknown) => (event: Event) => {
  event.preventDefault()
  run()
}

const Fault = ({ text }: { text: string }) => (
  <p class="fault" role="alert">
    {text}
  </p>
)

const faultText = (error: unknown) => {
  if (isVitrineError(error, 'UNAUTHORIZED')) return 'This is not the right code. Please look again.'
  if (isVitrineError(error, 'GONE')) return 'This code is over or was tried too often. Please ask for a new one.'
  if (isVitrineError(error, 'BAD_GATEWAY')) return 'The message could not be sent. Please try again.'
  return errorText(error)
}

const welcomeText = (merged: { cartItems: number; wishlistItems: number } | null) => {
  const parts = [
    merged?.cartItems ? `${plural(merged.cartItems, 'product')} came along into your cart` : '',
    merged?.wishlistItems ? `${plural(merged.wishlistItems, 'product')} onto your wishlist` : '',
  ].filter(Boolean)
  return parts.length > 0 ? `You are signed in. ${parts.join(', ')}.` : 'You are signed in.'
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
