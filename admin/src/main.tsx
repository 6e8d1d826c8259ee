import { type ComponentType, render } from 'preact'
import { useEffect } from 'preact/hooks'
import { startNotices } from '../../ui/notice.ts'
import { matchPath, navigate, type PathParams, route, startRouter } from '../../ui/router.ts'
import { wordErrors } from '../../ui/site.ts'
import { Empty, Heading, ProblemPage, Skeleton } from '../../ui/states.tsx'
import { startTheme } from '../../ui/theme.ts'
import { wordProblem } from './format.ts'
import { lazy } from './lazy.tsx'
import { ForgotPasswordPage } from './pages/forgot-password.tsx'
import { SetPasswordPage } from './pages/set-password.tsx'
import { SignInPage } from './pages/sign-in.tsx'
import { StartPage } from './pages/start.tsx'
import { screensOf } from './screens.ts'
import { loadSession, pathTo, session, sessionError, startSession, store } from './session.ts'
import { Shell } from './shell.tsx'

type Screen = ComponentType<PathParams>

/** Screens for which no one needs to be signed in. */
const openRoutes: [string, Screen][] = [
  ['/admin/sign-in', SignInPage],
  ['/admin/forgot-password', ForgotPasswordPage],
  ['/admin/set-password', SetPasswordPage],
]

const routes: [string, Screen][] = [
  ['/admin', StartPage],
  ['/admin/:store/orders', lazy(async () => (await import('./pages/orders.tsx')).OrdersPage)],
]

const find = (list: readonly [string, Screen][]) => {
  const { path } = route.value
  for (const [pattern, Page] of list) {
    const params = matchPath(pattern, path)
    if (params) return <Page key={path} {...params} />
  }
  return null
}

/** Goes to another address instead of showing a screen. */
const Redirect = ({ to }: { to: string }) => {
  useEffect(() => navigate(to, { replace: true }), [to])
  return <Skeleton lines={6} />
}

const NoSuchPage = () => (
  <Empty title="There is no such page">
    <Heading title="There is no such page" />
    <p>
      <a class="button" href="/admin">
        Go to your store
      </a>
    </p>
  </Empty>
)

const Current = () => {
  const open = find(openRoutes)
  if (open !== null) return open
  if (sessionError.value !== null) return <ProblemPage error={sessionError.value} onRetry={loadSession} />
  if (session.value === undefined) return <Skeleton lines={6} />
  const { path } = route.value
  if (session.value === null) {
    const next = path === '/admin' ? '' : `?next=${encodeURIComponent(path + location.search)}`
    return <Redirect to={`/admin/sign-in${next}`} />
  }
  const [first] = screensOf()
  if (store.value !== null && path === pathTo() && first !== undefined) return <Redirect to={pathTo(first.path)} />
  if (path !== '/admin' && store.value === null) return <NoSuchPage />
  return find(routes) ?? <NoSuchPage />
}

wordErrors(wordProblem)
startTheme()
startNotices()
startRouter()
startSession()
const root = document.getElementById('app')
if (root)
  render(
    <Shell>
      <Current />
    </Shell>,
    root,
  )
