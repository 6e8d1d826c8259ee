import { computed, signal } from '@preact/signals'
import { claimDrafts, clearLoadCache, retryFailedLoads } from '../../ui/load.ts'
import { route } from '../../ui/router.ts'
import { siteName } from '../../ui/site.ts'
import { type AdminClient, isVitrineError, type StaffSession, staff, whenSignedOut } from './api.ts'

type StoreOfSession = StaffSession['stores'][number]
export type Permission = StoreOfSession['permissions'][number]

/** Who is signed in. Null if nobody is, undefined until it is known. */
export const session = signal<StaffSession | null | undefined>(undefined)
/** Why the session could not be read. */
export const sessionError = signal<unknown>(null)
/** The session has ended while a page was open. The page stays below the sign-in, with everything that was typed. */
export const hasExpired = signal(false)

/** The store that the address names, if the person works there. */
export const store = computed<StoreOfSession | null>(() => {
  const id = route.value.path.split('/')[2]
  return session.value?.stores.find((one) => one.id === id) ?? null
})

export const may = (...permissions: Permission[]) =>
  permissions.some((permission) => store.value?.permissions.includes(permission))

/** An address in the current store: `pathTo('orders')`. */
export const pathTo = (path = '') => `/admin/${store.value?.id ?? ''}${path === '' ? '' : `/${path}`}`

let client: { storeId: string; admin: AdminClient } | null = null

/** The client of the current store. */
export const admin = (): AdminClient => {
  const { id } = store.value ?? {}
  if (id === undefined) throw new Error('there is no current store')
  if (client?.storeId !== id) client = { storeId: id, admin: staff.inStore(id) }
  return client.admin
}

export const enter = (entered: StaffSession) => {
  const before = session.value
  // Someone else's data must not be shown.
  claimDrafts(entered.staff.id)
  if (before && before.staff.id !== entered.staff.id) location.reload()
  session.value = entered
  sessionError.value = null
  rememberStore(entered.stores)
  if (hasExpired.value) retryFailedLoads()
  hasExpired.value = false
}

/** `ahead.ts` asks for what it shows before the session is known. */
const rememberStore = ([first, second]: StaffSession['stores']) => {
  try {
    if (first && !second) localStorage.setItem('store', first.id)
    else localStorage.removeItem('store')
  } catch {
    // Without storage, the next visit asks a moment later.
  }
}

export const loadSession = async () => {
  try {
    enter(await staff.getSession())
  } catch (error) {
    if (isVitrineError(error) && error.status === 401) session.value = null
    else sessionError.value = error
  }
}

export const signOut = async () => {
  await staff.signOut()
  clearLoadCache()
  claimDrafts(null)
  session.value = null
}

export const startSession = () => {
  whenSignedOut(() => {
    if (session.value) hasExpired.value = true
  })
  store.subscribe((current) => {
    siteName.value = current?.name ?? 'Vitrine'
  })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && session.value) void staff.getSession().catch(noticeExpiry)
  })
  void loadSession()
}

const noticeExpiry = (error: unknown) => {
  if (isVitrineError(error) && error.status === 401) hasExpired.value = true
}
