import { signal } from '@preact/signals'

/** `customerId` is null for a guest. The signal is null until storage was read. */
export const session = signal<{ customerId: string | null } | null>(null)

const changedKey = 'shop.changed'

/** Other tabs notice only changes of storage, and a cart change does not touch storage. */
export const notifyOtherTabs = () => {
  try {
    localStorage.setItem(changedKey, `${Date.now()}.${Math.random()}`)
  } catch {
    // Without storage, tabs do not share a cart.
  }
}
