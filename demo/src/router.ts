import { signal } from '@preact/signals'

/** The parts of a path that a page is told. */
export type PathParams = { slug?: string; id?: string; name?: string }

export type Place = { path: string; query: URLSearchParams }

const readPlace = (): Place => ({
  path: location.pathname.replace(/(.)\/+$/, '$1'),
  query: new URLSearchParams(location.search),
})

export const place = signal<Place>(readPlace())

/** Whether this place was reached by the browser's back or forward, not by a link. */
let isReturn = false
export const hasReturned = () => isReturn

/** Whether the next heading should take the focus, as the title of a newly loaded page would be read first. */
let isHeadingAwaited = false
export const takeHeadingFocus = () => {
  const wasAwaited = isHeadingAwaited
  isHeadingAwaited = false
  return wasAwaited
}

/** What the server wrote into the head speaks of the page that it sent, and of no other. */
const dropServedHead = () => {
  for (const tag of document.head.querySelectorAll('[data-of-page]')) tag.remove()
}

export const navigate = (to: string, { replace = false, quietly = false } = {}) => {
  const isElsewhere = new URL(to, location.href).pathname !== location.pathname
  isReturn = false
  if (isElsewhere) dropServedHead()
  if (replace) history.replaceState(history.state, '', to)
  else {
    keepScroll()
    history.pushState(null, '', to)
  }
  if (!quietly && (isElsewhere || !replace)) {
    isHeadingAwaited = isElsewhere
    scrollTo({ top: 0, behavior: 'instant' })
  }
  place.value = readPlace()
}

/** Changes one part of the query, so that a reload and a shared link show the same thing. */
export const changeQuery = (changes: Record<string, string | null>, { replace = true } = {}) => {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  navigate(location.pathname + (text ? `?${text}` : ''), { replace, quietly: true })
}

/** The parts of the path that a pattern such as `/product/:slug` names, or null when it does not fit. */
export const matchPath = (pattern: string, path: string): PathParams | null => {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = decode(value)
    else if (part !== value) return null
  }
  return params
}

const decode = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const keepScroll = () => history.replaceState({ scrollY }, '')

/** Back and forward go to where one was. The page may have to load before it is tall enough for that. */
const restoreScroll = () => {
  const top = (history.state as { scrollY?: number } | null)?.scrollY ?? 0
  const tryUntil = performance.now() + 1_500
  const tryNow = () => {
    scrollTo({ top, behavior: 'instant' })
    if (Math.abs(scrollY - top) > 2 && performance.now() < tryUntil) requestAnimationFrame(tryNow)
  }
  requestAnimationFrame(tryNow)
}

const followLink = (event: MouseEvent) => {
  if (event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const link = (event.target as Element).closest('a')
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return
  if (link.hash && link.pathname === location.pathname) return
  event.preventDefault()
  navigate(link.pathname + link.search)
}

export const startRouter = () => {
  history.scrollRestoration = 'manual'
  document.addEventListener('click', followLink)
  addEventListener('pagehide', keepScroll)
  addEventListener('popstate', () => {
    isReturn = true
    isHeadingAwaited = new URL(location.href).pathname !== place.value.path
    if (isHeadingAwaited) dropServedHead()
    place.value = readPlace()
    restoreScroll()
  })
  if (history.state) restoreScroll()
}
