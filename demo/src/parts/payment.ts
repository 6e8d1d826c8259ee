import { shop } from '../shop.ts'

/** How long the page of the provider may take to load before the shopper can try again. */
const loadTimeoutMs = 10_000

/**
 * Goes to the page of the payment provider. Resolves to false when there is no such page, and to true when the shopper
 * is still or again on this page: they came back with the back button or from another app, or stopped the navigation,
 * for which there is no event.
 */
export const goToPayment = (redirectUrl: string | null): Promise<boolean> => {
  if (redirectUrl === null) return Promise.resolve(false)
  location.assign(redirectUrl)
  return new Promise((resolve) => {
    const listening = new AbortController()
    const { signal } = listening
    const resume = () => {
      listening.abort()
      clearTimeout(timer)
      resolve(true)
    }
    const timer = setTimeout(resume, loadTimeoutMs)
    addEventListener('pageshow', (event) => event.persisted && resume(), { signal })
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && resume(), { signal })
  })
}

/** Starts a new payment after a failed one, or continues an open one. */
export const payAgain = async (orderId: string) => goToPayment((await shop.startPayment({ orderId })).redirectUrl)
