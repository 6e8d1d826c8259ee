import { type ReadonlySignal, signal } from '@preact/signals'
import { place } from './router.ts'

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
export const notice = signal<Notice | null>(null)
let noticeEnds: ReturnType<typeof setTimeout> | undefined

/** What happens to the cart and to the wishlist is seen where it happens, so that is only said. */
const isSeen = (about: Subject | undefined) => about === 'cart' || about === 'wishlist'

export const tell = (text: string, { about, isQuiet = isSeen(about) }: { about?: Subject; isQuiet?: boolean } = {}) => {
  clearTimeout(noticeEnds)
  notice.value = { text, at: Date.now(), about: about ?? null, isQuiet }
  noticeEnds = setTimeout(clearNotice, 6_000)
}

export const clearNotice = () => {
  notice.value = null
}

/** `mark` gives the part of the value that counts: reading the same again makes no notice untrue. */
export const clearOnChange = <T>(about: Subject, state: ReadonlySignal<T>, mark: (value: T) => unknown) => {
  let before = mark(state.value)
  state.subscribe((value) => {
    const now = mark(value)
    if (now !== before && notice.value?.about === about) clearNotice()
    before = now
  })
}

/** Another page, or a press anywhere else, shows that the shopper has gone on. */
export const startNotices = () => {
  let before = place.value.path
  place.subscribe(({ path }) => {
    const isElsewhere = path !== before
    before = path
    // Signing in and out lead to another page by themselves.
    if (isElsewhere && notice.value?.about !== 'session') clearNotice()
  })
  // Not when the press begins: in the drawer everything moves up then, and it would end on something else. And before
  // anything else hears of the press, because that may have something new to say.
  document.addEventListener('click', clearNotice, { capture: true })
}
