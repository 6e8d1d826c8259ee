import { useState } from 'preact/hooks'
import { dropDrafts } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { focusHeading } from '../../../ui/states.tsx'
import { plural } from '../format.ts'
import { notifyOtherTabs } from '../session.ts'
import type { Merged } from '../shop.ts'
import { refreshShopper } from '../state.ts'

/** Runs one task of a form at a time, and holds the error message of the last one. */
export const useWork = (wordError: (error: unknown) => string) => {
  const [errorMessage, setErrorMessage] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const work = async (doing: () => Promise<void>) => {
    if (isBusy) return
    setBusy(true)
    setErrorMessage(null)
    try {
      await doing()
    } catch (error) {
      setErrorMessage(wordError(error))
    }
    setBusy(false)
  }
  return { errorMessage, setErrorMessage, isBusy, work }
}

/** Runs after every sign-in, with any method. `news` is what happened besides. */
export const welcome = async ({ merged, mergeError }: Merged, news = '') => {
  dropDrafts('sign-in-method', 'sign-in-phone', 'sign-in-email', 'sign-in-sent-to-phone', 'sign-in-sent-to-email')
  await refreshShopper()
  notifyOtherTabs()
  const text = mergeError
    ? 'You are signed in, but your guest cart could not be moved to your account.'
    : welcomeText(merged)
  showNotice([news, text].filter(Boolean).join(' '), { about: 'session' })
  focusHeading()
}

const welcomeText = (merged: Merged['merged']) => {
  const parts = [
    merged?.cartItems ? `${plural(merged.cartItems, 'product')} added to your cart` : '',
    merged?.wishlistItems ? `${plural(merged.wishlistItems, 'product')} added to your wishlist` : '',
  ].filter(Boolean)
  return parts.length > 0 ? `You are signed in. ${parts.join(', ')}.` : 'You are signed in.'
}

export const submitting = (run: () => unknown) => (event: Event) => {
  event.preventDefault()
  run()
}

export const FormError = ({ text }: { text: string }) => (
  <p class="error" role="alert">
    {text}
  </p>
)
