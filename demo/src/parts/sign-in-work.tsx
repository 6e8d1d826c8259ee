import { useState } from 'preact/hooks'
import { plural } from '../format.ts'
import { dropDrafts } from '../load.ts'
import { tell } from '../notice.ts'
import { tellOtherTabs } from '../session.ts'
import type { Merged } from '../shop.ts'
import { refreshShopper } from '../state.ts'

/** One thing at a time for a form, and what went wrong with the last. */
export const useWork = (faultText: (error: unknown) => string) => {
  const [fault, setFault] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const work = async (doing: () => Promise<void>) => {
    if (isBusy) return
    setBusy(true)
    setFault(null)
    try {
      await doing()
    } catch (error) {
      setFault(faultText(error))
    }
    setBusy(false)
  }
  return { fault, setFault, isBusy, work }
}

/** After signing in, however that was done. */
export const welcome = async ({ merged, mergeError }: Merged) => {
  dropDrafts('sign-in', 'sign-in-way', 'sign-in-email')
  await refreshShopper()
  tellOtherTabs()
  const text = mergeError ? 'You are signed in, but your cart could not come along.' : welcomeText(merged)
  tell(text, { about: 'session' })
  // The form is gone now, and the focus with it.
  setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus())
}

const welcomeText = (merged: Merged['merged']) => {
  const parts = [
    merged?.cartItems ? `${plural(merged.cartItems, 'product')} came along into your cart` : '',
    merged?.wishlistItems ? `${plural(merged.wishlistItems, 'product')} onto your wishlist` : '',
  ].filter(Boolean)
  return parts.length > 0 ? `You are signed in. ${parts.join(', ')}.` : 'You are signed in.'
}

export const submitting = (run: () => unknown) => (event: Event) => {
  event.preventDefault()
  run()
}

export const FormFault = ({ text }: { text: string }) => (
  <p class="fault" role="alert">
    {text}
  </p>
)
