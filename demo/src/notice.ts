import { place } from './router.ts'
import { createStore, type Store } from './store.ts'

/** What a notice speaks of. When that changes once more, the notice is no longer true. */
type Subject = 'cart' | 'wishlist' | 'session'

type Notice = {
  text: string
  at: number
  about: Subject | null
  /** For screen readers only, because the page itself shows it to the eye. */
  isQuiet: boolean
}

/** What was last said to the shopper, for the eye and for a screen reader. */
export const notice = createStore<Notice | null>(null)
let noticeEnds: ReturnType<typeof setTimeout> | undefined

/** What happens to the cart and to the wishlist is seen where it happens, so that is only said. */
const isSeen = (about: Subject | undefined) => about === 'cart' || about === 'wishlist'

export const tell = (text: string, { about, isQuiet = isSeen(about) }: { about?: Subject; isQuiet?: boolean } = {}) => {
  clearTimeout(noticeEnds)
  notice.set({ text, at: Date.now(), about: about ?? null, isQuiet })
  noticeEnds = setTimeout(clearNotice, 6_000)
}

export const clearNotice = () => notice.set(null)

/** `mark` gives the part of the value that counts: reading the same again makes no notice untrue. */
export const clearOnChange = <T>(about: Subject, store: Store<T>, mark: (value: T) => unknown) => {
  let before = mark(store.get())
  store.subscribe(() => {
    const now = mark(store.get())
    if (now !== before && notice.get()?.about === about) clearNotice()
    before = now
  })
}

/** Another page, or a press anywhere else, shows that the shopper has gone on. */
export const startNotices = () => {
  let { path } = place.get()
  place.subscribe(() => {
    const isElsewhere = place.get().path !== path
    path = place.get().path
    // Signing in and out lead to another page by themselves.
    if (isElsewhere && notice.get()?.about !== 'session') clearNotice()
  })
  // Not when the press begins: in the drawer everything moves up then, and it would end on something else. And before
  // anything else hears of the press, because that may have something new to say.
  document.addEventListener('click', clearNotice, { capture: true })
}
