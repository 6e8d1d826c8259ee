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

/** A browser may forbid storage altogether. The shop then works until the page is closed. */
const openStorage = () => {
  try {
    localStorage.getItem('')
    return webStorage(localStorage)
  } catch {
    return memoryStorage()
  }
}

let tellSignedOut = () => {}
/** Called when the API says that the session is over, for instance because it was ended elsewhere. */
export const onSignedOut = (listener: () => void) => {
  tellSignedOut = listener
}

export const shop = createClient({
  url: config.apiUrl,
  storeKey: config.storeKey,
  storage: openStorage(),
  onSignedOut: () => tellSignedOut(),
})

/** What the development server of this demo offers besides the API. A real shop has none of it. */
export const development = {
  isOn: config.development === true,
  /** Only where no message is really sent. */
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
