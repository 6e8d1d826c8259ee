import { signal } from '@preact/signals'
import { clearLoadCache, dropDrafts } from '../../ui/load.ts'
import { clearOnChange, showNotice, startNotices } from '../../ui/notice.ts'
import { siteName } from '../../ui/site.ts'
import { startTheme, themeKey } from '../../ui/theme.ts'
import { cart, loadCart, resetCart } from './cart.ts'
import { notifyOtherTabs, session } from './session.ts'
import { type Menu, onSignedOut, type Store as StoreInfo, shop } from './shop.ts'
import { loadWishlist, resetWishlist, wishlist } from './wishlist.ts'

/** Null until it is loaded. */
export const storeInfo = signal<StoreInfo | null>(null)
export const menu = signal<Menu | null>(null)
/** Whether the service can send mail, which links in mail and codes by mail need. */
export const sendsMail = () => storeInfo.value?.signIn.includes('email') ?? false
export const startError = signal<unknown>(null)

/** Reads who is signed in, and clears the data of a customer who was signed in before, however the session ended. */
const readSession = async () => {
  const customerId = (await shop.session())?.customerId ?? null
  const before = session.value
  if (before !== null && before.customerId === customerId) return
  const hasLeft = before !== null && before.customerId !== null
  if (before !== null) clearLoadCache()
  if (hasLeft) {
    resetCart()
    resetWishlist()
  }
  // Guests cannot fill in the checkout form, so a draft belongs to a customer who signed out in another tab.
  if (hasLeft || customerId === null) dropDrafts('checkout')
  session.value = { customerId }
}

/** Reloads the shopper's session, cart and wishlist: after signing in or out, and after a change in another tab. */
export const refreshShopper = async () => {
  await readSession()
  await Promise.all([loadCart(), loadWishlist()])
}

/** The client drops the session in any case. Resolves to whether the service has ended it too. */
export const signOut = async (): Promise<boolean> => {
  const hasEnded = await shop.logOut().then(
    () => true,
    () => false,
  )
  await refreshShopper()
  notifyOtherTabs()
  return hasEnded
}

/** Unlike `signOut`, this fails when the service cannot be reached, because other sessions would stay open. */
export const signOutEverywhere = async (): Promise<void> => {
  await shop.logOutEverywhere()
  await refreshShopper()
  notifyOtherTabs()
}

const listenToOtherTabs = () => {
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
    if (startError.value !== null) void loadStore()
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
    siteName.value = info.name
    menu.value = items
    startError.value = null
  } catch (error) {
    startError.value = error
  }
}

export const startState = () => {
  startTheme()
  onSignedOut(() => {
    showNotice('You were signed out. Please sign in again.')
    void refreshShopper()
  })
  startNotices({ visible: ['cart', 'wishlist'] })
  clearOnChange('cart', cart, (state) => (state.cart ? `${state.cart.id} ${state.cart.version}` : null))
  clearOnChange('wishlist', wishlist, ({ items }) => items.map(({ id }) => id).join())
  clearOnChange('session', session, (known) => known?.customerId ?? null)
  listenToOtherTabs()
  void loadStore()
  void refreshShopper()
}
