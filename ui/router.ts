import { signal } from '@preact/signals'

/** The path parameters that a page gets. */
export type PathParams = { slug?: string; id?: string; name?: string; store?: string; subject?: string }

export type Route = { path: string; query: URLSearchParams }

const readRoute = (): Route => ({
  path: location.pathname.replace(/(.)\/+$/, '$1'),
  query: new URLSearchParams(location.search),
})

export const route = signal<Route>(readRoute())

/** Whether the page was reached with the back or forward button, not by a link. */
let isReturn = false
export const hasReturned = () => isReturn

/** Whether the next heading takes the focus, so that screen readers announce the new page. */
let isHeadingAwaited = false
export const takeHeadingFocus = () => {
  const wasAwaited = isHeadingAwaited
  isHeadingAwaited = false
  return wasAwaited
}

/** Removes the tags that the server wrote into the head, which describe only the first page. */
const removeServedHead = () => {
  for (const tag of document.head.querySelectorAll('[data-of-page]')) tag.remove()
}

export const navigate = (to: string, { replace = false, quietly = false } = {}) => {
  const isElsewhere = new URL(to, location.href).pathname !== location.pathname
  isReturn = false
  if (isElsewhere) removeServedHead()
  if (replace) history.replaceState(history.state, '', to)
  else {
    saveScroll()
    history.pushState(null, '', to)
  }
  if (!quietly && (isElsewhere || !replace)) {
    isHeadingAwaited = isElsewhere
    scrollTo({ top: 0, behavior: 'instant' })
  }
  route.value = readRoute()
}

/** Changes parameters of the query, so that a reload and a shared link show the same page. */
export const changeQuery = (changes: Record<string, string | null>, { replace = true } = {}) => {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  navigate(location.pathname + (text ? `?${text}` : ''), { replace, quietly: true })
}

/** The parameters of a pattern such as `/product/:slug`, or null when the path does not match. */
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

const saveScroll = () => history.replaceState({ scrollY }, '')

/** Restores the scroll position after back and forward. The page may have to load before it is tall enough. */
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
  addEventListener('pagehide', saveScroll)
  addEventListener('popstate', () => {
    isReturn = true
    isHeadingAwaited = new URL(location.href).pathname !== route.value.path
    if (isHeadingAwaited) removeServedHead()
    route.value = readRoute()
    restoreScroll()
  })
  if (history.state) restoreScroll()
}
