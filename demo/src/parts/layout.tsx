import { useState } from 'preact/hooks'
import { Drawer } from '../../../ui/drawer.tsx'
import { BagIcon, HeartIcon, MenuIcon, MoonIcon, PersonIcon, SunIcon } from '../../../ui/icons.tsx'
import { switchTheme, theme } from '../../../ui/theme.ts'
import { cart, openDrawer } from '../cart.ts'
import { plural } from '../format.ts'
import { session } from '../session.ts'
import { development } from '../shop.ts'
import { loadStore, menu, startError, storeInfo } from '../state.ts'
import { wishlist } from '../wishlist.ts'
import { DeskMenu } from './desk-menu.tsx'
import { MenuLink, MenuList } from './menu-links.tsx'
import { SearchBox } from './search-box.tsx'

export const Header = () => {
  const info = storeInfo.value
  const items = menu.value?.items ?? []
  const wishes = wishlist.value.items.length
  const count = cart.value.cart?.itemCount ?? 0
  const isSignedIn = Boolean(session.value?.customerId)
  const startFailure = startError.value
  const [isMenuOpen, setMenuOpen] = useState(false)
  return (
    <header class="header">
      <div class="header-row">
        <button type="button" class="icon-button menu-button" aria-label="Menu" onClick={() => setMenuOpen(true)}>
          <MenuIcon />
        </button>
        <a class="brand" href="/">
          {info?.logo && <img src={info.logo} alt="" width="36" height="36" />}
          <span>{info?.name ?? 'Shop'}</span>
        </a>
        <SearchBox />
        <div class="header-tools">
          <ThemeButton />
          <a
            class="icon-button"
            href={isSignedIn ? '/account' : '/sign-in'}
            aria-label={isSignedIn ? 'Your account' : 'Sign in'}
          >
            <PersonIcon />
          </a>
          <a class="icon-button" href="/wishlist" aria-label={withCount('Wishlist', wishes, 'product')}>
            <HeartIcon />
            <Badge count={wishes} />
          </a>
          <button
            type="button"
            class="icon-button"
            aria-label={withCount('Cart', count, 'item')}
            aria-haspopup="dialog"
            onClick={openDrawer}
          >
            <BagIcon />
            <Badge count={count} />
          </button>
        </div>
      </div>
      <DeskMenu items={items} />
      {startFailure !== null && (
        <p class="menu-error" role="alert">
          The menu could not be loaded.{' '}
          <button type="button" class="text-button" onClick={loadStore}>
            Reload the menu
          </button>
        </p>
      )}
      <Drawer title="Menu" side="left" isOpen={isMenuOpen} onClose={() => setMenuOpen(false)}>
        <nav class="menu-tree" aria-label="All pages">
          <MenuList items={items} />
        </nav>
      </Drawer>
    </header>
  )
}

const withCount = (name: string, count: number, unit: string) => (count > 0 ? `${name}, ${plural(count, unit)}` : name)

const Badge = ({ count }: { count: number }) =>
  count > 0 ? (
    <span class="badge" aria-hidden="true">
      {count > 99 ? '99+' : count}
    </span>
  ) : null

const ThemeButton = () => {
  const isDark = theme.value === 'dark'
  return (
    <button
      type="button"
      class="icon-button theme-button"
      aria-label="Dark mode"
      aria-pressed={isDark}
      onClick={switchTheme}
    >
      {isDark ? <SunIcon /> : <MoonIcon />}
    </button>
  )
}

export const Footer = () => {
  const info = storeInfo.value
  const items = menu.value?.items ?? []
  if (!info) return <footer class="footer" />
  const address = (info.address ?? {}) as Record<string, string>
  return (
    <footer class="footer">
      <div class="footer-columns">
        <div>
          <p class="footer-name">{info.name}</p>
          <address>
            {[address.line1, address.city, address.postalCode].filter(Boolean).join(', ')}
            <br />
            <a href={`mailto:${info.contact.email}`}>{info.contact.email}</a>
            <br />
            <a href={`tel:${info.contact.phone.replaceAll(' ', '')}`}>{info.contact.phone}</a>
          </address>
        </div>
        <nav aria-label="All categories" class="footer-menu">
          {items.map((item) => (
            <div key={item.id}>
              <p>
                <MenuLink item={item} />
              </p>
              <MenuList items={item.children} />
            </div>
          ))}
        </nav>
      </div>
      <p class="quiet-text">
        A demo of the Vitrine API. Nothing here is really for sale.
        {development.showsMail && (
          <>
            {' '}
            <a href="/inbox">Inbox of this demo</a>
          </>
        )}
      </p>
    </footer>
  )
}
