import { shop } from '../shop.ts'

/**
 * Leaves for the page of the payment provider, and resolves to false when there is none to go to. Who comes back with
 * the browser's back button may find this very page again, as it was left: then it resolves to true.
 */
export const goToPayment = (redirectUrl: string | null): Promise<boolean> => {
  if (redirectUrl === null) return Promise.resolve(false)
  location.assign(redirectUrl)
  return new Promise((resolve) => {
    const comeBack = (event: PageTransitionEvent) => {
      if (!event.persisted) return
      removeEventListener('pageshow', comeBack)
      resolve(true)
    }
    addEventListener('pageshow', comeBack)
  })
}

/** A failed payment gets a new one; one that is still open is gone on with. */
export const payAgain = async (orderId: string) => goToPayment((await shop.startPayment({ orderId })).redirectUrl)
