import { signal } from '@preact/signals'

/** `customerId` is null for a guest; the whole is null until storage was read. */
export const session = signal<{ customerId: string | null } | null>(null)

const changedKey = 'shop.changed'

/** Other tabs only notice changes of storage, and a change of the cart makes none by itself. */
export const tellOtherTabs = () => {
  try {
    localStorage.setItem(changedKey, `${Date.now()}.${Math.random()}`)
  } catch {
    // Tabs that share no storage share no cart either.
  }
}
