import { type ComponentType, render } from 'preact'
import { matchPath, type PathParams, route, startRouter } from '../../ui/router.ts'
import { wordErrors } from '../../ui/site.ts'
import { Notices } from '../../ui/states.tsx'
import { isDrawerOpen } from './cart.ts'
import { errorText } from './format.ts'
import { AccountPage } from './pages/account.tsx'
import { AddressesPage } from './pages/addresses.tsx'
import { CallbackPage } from './pages/callback.tsx'
import { CartPage } from './pages/cart.tsx'
import { CategoryPage } from './pages/category.tsx'
import { CheckoutPage } from './pages/checkout.tsx'
import { DownloadsPage } from './pages/downloads.tsx'
import { ForgotPasswordPage } from './pages/forgot-password.tsx'
import { HomePage } from './pages/home.tsx'
import { InboxPage, MailPage } from './pages/inbox.tsx'
import { InfoPage } from './pages/info.tsx'
import { NotFoundPage } from './pages/not-found.tsx'
import { OrderPage } from './pages/order.tsx'
import { OrdersPage } from './pages/orders.tsx'
import { ProductPage } from './pages/product.tsx'
import { ResetPasswordPage } from './pages/reset-password.tsx'
import { SearchPage } from './pages/search.tsx'
import { SignInPage } from './pages/sign-in.tsx'
import { VerifyEmailPage } from './pages/verify-email.tsx'
import { WishlistPage } from './pages/wishlist.tsx'
import { CartDrawer } from './parts/cart-drawer.tsx'
import { Footer, Header } from './parts/layout.tsx'
import { startState } from './state.ts'

const routes: [string, ComponentType<PathParams>][] = [
  ['/', HomePage],
  ['/category/:slug', CategoryPage],
  ['/search', SearchPage],
  ['/product/:slug', ProductPage],
  ['/wishlist', WishlistPage],
  ['/sign-in', SignInPage],
  ['/forgot-password', ForgotPasswordPage],
  ['/reset-password', ResetPasswordPage],
  ['/verify-email', VerifyEmailPage],
  ['/account', AccountPage],
  ['/addresses', AddressesPage],
  ['/orders', OrdersPage],
  ['/orders/:id', OrderPage],
  ['/downloads', DownloadsPage],
  ['/cart', CartPage],
  ['/checkout', CheckoutPage],
  ['/payment/callback', CallbackPage],
  ['/inbox', InboxPage],
  ['/inbox/:id', MailPage],
  ['/page/:name', InfoPage],
]

const CurrentPage = () => {
  const { path } = route.value
  for (const [pattern, Page] of routes) {
    const params = matchPath(pattern, path)
    if (params) return <Page key={path} {...params} />
  }
  return <NotFoundPage key={path} />
}

const Shop = () => {
  const isDrawer = isDrawerOpen.value
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <div class="top">
        <Header />
        <Notices isShown={!isDrawer} />
      </div>
      <main id="main" tabIndex={-1}>
        <CurrentPage />
      </main>
      <Footer />
      <CartDrawer />
    </>
  )
}

wordErrors(errorText)
startState()
startRouter()
const root = document.getElementById('app')
if (root) render(<Shop />, root)
