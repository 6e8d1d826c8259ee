import { createClient, memoryStorage, webStorage } from '../../sdk/src/index.ts'

export type {
  Address,
  Cart,
  CartItem,
  CartWarning,
  Category,
  Coupon,
  Customer,
  Download,
  Menu,
  Merged,
  Order,
  Product,
  ProductDetail,
  Store,
  Variant,
  WishlistItem,
} from '../../sdk/src/index.ts'
export { isVitrineError } from '../../sdk/src/index.ts'

type Config = {
  apiUrl: string
  storeKey: string
  development?: boolean
  showsCodes?: boolean
  showsMail?: boolean
}

export const config = JSON.parse(document.getElementById('config')?.textContent ?? '{}') as Config

/** A browser may block storage. The session then lasts until the page is closed. */
const openStorage = () => {
  try {
    localStorage.getItem('')
    return webStorage(localStorage)
  } catch {
    return memoryStorage()
  }
}

let signedOutListener = () => {}
/** Called when the API reports that the session has ended, for example because it was ended on another device. */
export const onSignedOut = (listener: () => void) => {
  signedOutListener = listener
}

export const shop = createClient({
  url: config.apiUrl,
  storeKey: config.storeKey,
  storage: openStorage(),
  onSignedOut: () => signedOutListener(),
})

/** A mail that the service has written instead of sending it. */
export type InboxEntry = { id: string; message: string; subject: string; from: string; to: string; sentAt: string }

/** Null if there is no such thing. */
const readDevelopment = async <T>(path: string, signal: AbortSignal): Promise<T | null> => {
  const answer = await fetch(path, { signal })
  if (answer.status === 404) return null
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
  return (await answer.json()) as T
}

/** Endpoints of the demo's development server. A real shop does not have them. */
export const development = {
  isOn: config.development === true,
  /** Only when no text messages are sent. */
  showsCodes: config.showsCodes === true,
  readCode: async (phone: string): Promise<string | null> => {
    const answer = await fetch(`/dev/code?phone=${encodeURIComponent(phone)}`)
    return answer.ok ? ((await answer.json()) as { code: string }).code : null
  },
  /** Only when mail is written to a folder instead of being sent. */
  showsMail: config.showsMail === true,
  /** The newest first. */
  listMails: async (signal: AbortSignal): Promise<InboxEntry[]> =>
    (await readDevelopment<{ mails: InboxEntry[] }>('/dev/mail', signal))?.mails ?? [],
  readMail: (id: string, signal: AbortSignal) =>
    readDevelopment<InboxEntry & { text: string }>(`/dev/mail/${encodeURIComponent(id)}`, signal),
  /** The address of the mail as HTML, for a frame. */
  mailFrame: (id: string) => `/dev/mail/${encodeURIComponent(id)}/html`,
  moveParcel: async (orderId: string): Promise<boolean> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch('/dev/delivery', { method: 'POST', headers, body: JSON.stringify({ orderId }) })
    return answer.ok
  },
}
