import { signal } from '@preact/signals'
import { cart, forgetCart, loadCart } from './cart.ts'
import { dropDrafts, forgetLoaded } from './load.ts'
import { clearOnChange, startNotices, tell } from './notice.ts'
import { session, tellOtherTabs } from './session.ts'
import { type Menu, onSignedOut, type Store as StoreInfo, shop } from './shop.ts'
import { startTheme, themeKey } from './theme.ts'
import { forgetWishlist, loadWishlist, wishlist } from './wishlist.ts'

/** Null while it is not known yet. */
export const storeInfo = signal<StoreInfo | null>(null)
export const menu = signal<Menu | null>(null)
export const startFault = signal<unknown>(null)

/** Finds out who is signed in. Whoever was before takes along what belongs to them, however their session ended. */
const readSession = async () => {
  const customerId = (await shop.session())?.customerId ?? null
  const before = session.value
  if (before !== null && before.customerId === customerId) return
  const hasLeft = before !== null && before.customerId !== null
  if (before !== null) forgetLoaded()
  if (hasLeft) {
    forgetCart()
    forgetWishlist()
  }
  // A guest fills in no checkout, so a draft of one was left by a customer who signed out while this tab was elsewhere.
  if (hasLeft || customerId === null) dropDrafts('checkout')
  session.value = { customerId }
}

/** Reads again all that belongs to the shopper: after signing in or out, and when another tab may have changed it. */
export const refreshShopper = async () => {
  await readSession()
  await Promise.all([loadCart(), loadWishlist()])
}

/** The client forgets the session in any case. Resolves to whether it is over for the service too. */
export const signOut = async (): Promise<boolean> => {
  const isOver = await shop.logOut().then(
    () => true,
    () => false,
  )
  await refreshShopper()
  tellOtherTabs()
  return isOver
}

/** Unlike signing out here, this must reach the service: a session elsewhere would live on. */
export const signOutEverywhere = async (): Promise<void> => {
  await shop.logOutEverywhere()
  await refreshShopper()
  tellOtherTabs()
}

const hearOtherTabs = () => {
  let waiting: ReturnType<typeof setTimeout> | undefined
  const refreshSoon = () => {
    clearTimeout(waiting)
    waiting = setTimeout(() => void refreshShopper(), 50)
  }
  addEventListener('storage', (event) => {
    if (event.key !== themeKey) refreshSoon()
  })
  addEventListener('focus', refreshSoon)
  addEventListener('online', () => {
    refreshSoon()
    if (startFault.value !== null) void loadStore()
  })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') refreshSoon()
  })
  addEventListener('pageshow', (event) => {
    if (event.persisted) refreshSoon()
  })
}

export const loadStore = async () => {
  try {
    const [info, items] = await Promise.all([shop.showStore(), shop.showMenu()])
    document.documentElement.lang = info.locale.split('-')[0] ?? 'en'
    storeInfo.value = info
    menu.value = items
    startFault.value = null
  } catch (error) {
    startFault.value = error
  }
}

export const startState = () => {
  startTheme()
  onSignedOut(() => {
    tell('You were signed out. Please sign in again.')
    void refreshShopper()
  })
  startNotices()
  clearOnChange('cart', cart, (state) => (state.cart ? `${state.cart.id} ${state.cart.version}` : null))
  clearOnChange('wishlist', wishlist, ({ items }) => items.map(({ id }) => id).join())
  clearOnChange('session', session, (known) => known?.customerId ?? null)
  hearOtherTabs()
  void loadStore()
  void refreshShopper()
}
