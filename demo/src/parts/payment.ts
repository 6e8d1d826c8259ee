import { shop } from '../shop.ts'

/** How long the page of the provider may take to come before one may press again. */
const patienceMs = 10_000

/**
 * Leaves for the page of the payment provider, and resolves to false when there is none to go to. It resolves to true
 * for who is still here: because they came back with the browser's back button or from another app and found this very
 * page as it was left, or because they stopped the way there, of which a page is not told.
 */
export const goToPayment = (redirectUrl: string | null): Promise<boolean> => {
  if (redirectUrl === null) return Promise.resolve(false)
  location.assign(redirectUrl)
  return new Promise((resolve) => {
    const listening = new AbortController()
    const { signal } = listening
    const wakeUp = () => {
      listening.abort()
      clearTimeout(timer)
      resolve(true)
    }
    const timer = setTimeout(wakeUp, patienceMs)
    addEventListener('pageshow', (event) => event.persisted && wakeUp(), { signal })
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && wakeUp(), { signal })
  })
}

/** A failed payment gets a new one; one that is still open is gone on with. */
export const payAgain = async (orderId: string) => goToPayment((await shop.startPayment({ orderId })).redirectUrl)
