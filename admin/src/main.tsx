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
import { TodayPage } from './pages/today.tsx'
import { loadSession, session, sessionError, startSession, store } from './session.ts'
import { Shell } from './shell.tsx'

type Screen = ComponentType<PathParams>

/** Screens for which no one needs to be signed in. */
const openRoutes: [string, Screen][] = [
  ['/admin/sign-in', SignInPage],
  ['/admin/forgot-password', ForgotPasswordPage],
  ['/admin/set-password', SetPasswordPage],
]

const everyday = () => import('./everyday-screens.ts')
const others = () => import('./other-screens.ts')

const routes: [string, Screen][] = [
  ['/admin', StartPage],
  ['/admin/account', lazy(async () => (await others()).AccountPage)],
  ['/admin/:store', TodayPage],
  ['/admin/:store/setup', lazy(async () => (await others()).SetupPage)],
  ['/admin/:store/orders', lazy(async () => (await everyday()).OrdersPage)],
  ['/admin/:store/orders/:id', lazy(async () => (await everyday()).OrderPage)],
  ['/admin/:store/returns', lazy(async () => (await everyday()).ReturnsPage)],
  ['/admin/:store/returns/:id', lazy(async () => (await everyday()).ReturnPage)],
  ['/admin/:store/products', lazy(async () => (await everyday()).ProductsPage)],
  ['/admin/:store/products/new', lazy(async () => (await everyday()).NewProductPage)],
  ['/admin/:store/products/:id', lazy(async () => (await everyday()).ProductPage)],
  ['/admin/:store/categories', lazy(async () => (await everyday()).CategoriesPage)],
  ['/admin/:store/menu', lazy(async () => (await everyday()).MenuPage)],
  ['/admin/:store/stock', lazy(async () => (await everyday()).StockPage)],
  ['/admin/:store/media', lazy(async () => (await everyday()).MediaPage)],
  ['/admin/:store/imports', lazy(async () => (await everyday()).ImportsPage)],
  ['/admin/:store/customers', lazy(async () => (await everyday()).CustomersPage)],
  ['/admin/:store/customers/:id', lazy(async () => (await everyday()).CustomerPage)],
  ['/admin/:store/coupons', lazy(async () => (await others()).CouponsPage)],
  ['/admin/:store/coupons/new', lazy(async () => (await others()).NewCouponPage)],
  ['/admin/:store/coupons/:id', lazy(async () => (await others()).CouponPage)],
  ['/admin/:store/reports', lazy(async () => (await others()).ReportsPage)],
  ['/admin/:store/activity', lazy(async () => (await others()).ActivityPage)],
  ['/admin/:store/settings', lazy(async () => (await others()).SettingsPage)],
  ['/admin/:store/settings/:subject', lazy(async () => (await others()).SettingsPage)],
  ['/admin/:store/staff', lazy(async () => (await others()).StaffPage)],
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
  if (!/^\/admin(\/account)?$/.test(path) && store.value === null) return <NoSuchPage />
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
