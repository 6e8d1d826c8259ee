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

type Config = { apiUrl: string; storeKey: string; development?: boolean; showsCodes?: boolean }

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

/** Endpoints of the demo's development server. A real shop does not have them. */
export const development = {
  isOn: config.development === true,
  /** Only when no text messages are sent. */
  showsCodes: config.showsCodes === true,
  readCode: async (phone: string): Promise<string | null> => {
    const answer = await fetch(`/dev/code?phone=${encodeURIComponent(phone)}`)
    return answer.ok ? ((await answer.json()) as { code: string }).code : null
  },
  moveParcel: async (orderId: string): Promise<boolean> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch('/dev/delivery', { method: 'POST', headers, body: JSON.stringify({ orderId }) })
    return answer.ok
  },
}
