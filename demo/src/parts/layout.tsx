import { useState } from 'preact/hooks'
import { cart, openDrawer } from '../cart.ts'
import { plural } from '../format.ts'
import { usePlace } from '../router.ts'
import type { Menu } from '../shop.ts'
import { loadStore, menu, session, startFault, storeInfo, switchTheme, theme } from '../state.ts'
import { useStore } from '../store.ts'
import { wishlist } from '../wishlist.ts'
import { Drawer } from './drawer.tsx'
import { BagIcon, HeartIcon, MenuIcon, MoonIcon, PersonIcon, SunIcon } from './icons.tsx'
import { SearchBox } from './search-box.tsx'

type MenuItem = Pick<Menu['items'][number], 'id' | 'label' | 'type' | 'target'>

const addressOf = ({ type, target }: MenuItem) => {
  if (type === 'link') return target
  return `/${type === 'product' || type === 'category' ? type : 'page'}/${target}`
}

const MenuLink = ({ item }: { item: MenuItem }) => {
  const { path } = usePlace()
  const address = addressOf(item)
  return (
    <a href={address} aria-current={path === address ? 'page' : undefined}>
      {item.label}
    </a>
  )
}

export const Header = () => {
  const info = useStore(storeInfo)
  const items = useStore(menu)?.items ?? []
  const wishes = useStore(wishlist).items.length
  const count = useStore(cart).cart?.itemCount ?? 0
  const isSignedIn = Boolean(useStore(session)?.customerId)
  const fault = useStore(startFault)
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
      <nav class="nav" aria-label="Categories">
        {items.map((item) => (
          <MenuLink key={item.id} item={item} />
        ))}
      </nav>
      {fault !== null && (
        <p class="menu-fault" role="alert">
          The menu could not be loaded.{' '}
          <button type="button" class="text-button" onClick={loadStore}>
            Load the menu
          </button>
        </p>
      )}
      <Drawer title="Menu" side="left" isOpen={isMenuOpen} onClose={() => setMenuOpen(false)}>
        <nav class="menu-tree" aria-label="All pages">
          <ul>
            {items.map((item) => (
              <li key={item.id}>
                <MenuLink item={item} />
                <MenuChildren items={item.children} />
              </li>
            ))}
          </ul>
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

const MenuChildren = ({ items }: { items: MenuItem[] }) =>
  items.length > 0 ? (
    <ul>
      {items.map((item) => (
        <li key={item.id}>
          <MenuLink item={item} />
        </li>
      ))}
    </ul>
  ) : null

const ThemeButton = () => {
  const isDark = useStore(theme) === 'dark'
  return (
    <button
      type="button"
      class="icon-button theme-button"
      aria-label="Dark colours"
      aria-pressed={isDark}
      onClick={switchTheme}
    >
      {isDark ? <SunIcon /> : <MoonIcon />}
    </button>
  )
}

export const Footer = () => {
  const info = useStore(storeInfo)
  const items = useStore(menu)?.items ?? []
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
              <MenuChildren items={item.children} />
            </div>
          ))}
        </nav>
      </div>
      <p class="quiet-text">A demo of the Vitrine API. Nothing here is really for sale.</p>
    </footer>
  )
}
