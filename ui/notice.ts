import { type ReadonlySignal, signal } from '@preact/signals'
import { route } from './router.ts'

/** The state that a notice is about, such as the cart. The notice is outdated when that state changes again. */
type Subject = string

type Notice = {
  text: string
  at: number
  about: Subject | null
  /** For screen readers only, because the page already shows the same. */
  isQuiet: boolean
  action: NoticeAction | null
}

/** What the person can do about it, such as undo. */
type NoticeAction = { label: string; run: () => void }

/** The last message to the person who uses the page. */
export const notice = signal<Notice | null>(null)
let noticeTimer: ReturnType<typeof setTimeout> | undefined

/** Subjects whose changes the page itself shows. */
let visibleSubjects: readonly Subject[] = []

export const showNotice = (
  text: string,
  {
    about,
    isQuiet = about !== undefined && visibleSubjects.includes(about),
    action,
  }: { about?: Subject; isQuiet?: boolean; action?: NoticeAction } = {},
) => {
  clearTimeout(noticeTimer)
  notice.value = { text, at: Date.now(), about: about ?? null, isQuiet, action: action ?? null }
  noticeTimer = setTimeout(clearNotice, action ? 20_000 : 6_000)
}

export const clearNotice = () => {
  notice.value = null
}

/** `mark` returns the relevant part of the value, so that loading the same state again does not clear the notice. */
export const clearOnChange = <T>(about: Subject, state: ReadonlySignal<T>, mark: (value: T) => unknown) => {
  let before = mark(state.value)
  state.subscribe((value) => {
    const now = mark(value)
    if (now !== before && notice.value?.about === about) clearNotice()
    before = now
  })
}

/** Clears the notice after a click, and on the way to another page. */
export const startNotices = ({ visible = [] }: { visible?: readonly Subject[] } = {}) => {
  visibleSubjects = visible
  let before = route.value.path
  route.subscribe(({ path }) => {
    const isElsewhere = path !== before
    before = path
    // Signing in and out navigate to another page, where their notice must stay.
    if (isElsewhere && notice.value?.about !== 'session') clearNotice()
  })
  // On click, not on pointerdown: in the drawer, removing the notice moves the layout, and the click would hit another
  // element. In the capture phase, because a click handler may show a new notice.
  const clearUnlessWithin = ({ target }: Event) => {
    if (!(target instanceof Element && target.closest('.notices'))) clearNotice()
  }
  document.addEventListener('click', clearUnlessWithin, { capture: true })
}
