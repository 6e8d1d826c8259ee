import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from '../../ui/dialog.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { MenuIcon, MoonIcon, PersonIcon, SunIcon } from '../../ui/icons.tsx'
import { showNotice } from '../../ui/notice.ts'
import { navigate, route } from '../../ui/router.ts'
import { Notices } from '../../ui/states.tsx'
import { switchTheme, theme } from '../../ui/theme.ts'
import { wordProblem } from './format.ts'
import { SearchButton, SearchEverywhere } from './parts/search-everywhere.tsx'
import { SignInForm } from './parts/sign-in-form.tsx'
import { type ScreenLink, screensOf } from './screens.ts'
import { enter, hasExpired, pathTo, session, signOut, store } from './session.ts'

/** The frame of every screen: the menu, who is signed in, and the screen itself. */
export const Shell = ({ children }: { children: ComponentChildren }) => {
  const [isMenuOpen, setMenuOpen] = useState(false)
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        {store.value && (
          <button type="button" class="icon-button menu-button" aria-label="Menu" onClick={() => setMenuOpen(true)}>
            <MenuIcon />
          </button>
        )}
        <a class="brand" href={store.value ? pathTo() : '/admin'}>
          {store.value?.name ?? 'Vitrine'}
        </a>
        {store.value && <SearchButton />}
        <ThemeSwitch />
        <PersonMenu />
        <Notices isShown={!isMenuOpen && !hasExpired.value} />
      </header>
      <div class="frame">
        {store.value && (
          <nav class="side" aria-label="Screens">
            <Menu />
          </nav>
        )}
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
      <Drawer title="Menu" side="left" isOpen={isMenuOpen} onClose={() => setMenuOpen(false)}>
        <nav aria-label="Screens">
          <Menu />
        </nav>
      </Drawer>
      <SearchEverywhere />
      <ExpiredDialog />
    </>
  )
}

const Menu = () => (
  <ul class="menu">
    {screensOf().map(({ within = [], ...screen }) => {
      const isOpen = [screen, ...within].some(isCurrent)
      return (
        <li key={screen.path}>
          <MenuLink screen={screen} />
          {isOpen && within.length > 0 && (
            <ul class="menu within">
              {within.map((inner) => (
                <li key={inner.path}>
                  <MenuLink screen={inner} />
                </li>
              ))}
            </ul>
          )}
        </li>
      )
    })}
  </ul>
)

const isCurrent = ({ path }: ScreenLink) => {
  const { path: current } = route.value
  return current === pathTo(path) || (path !== '' && current.startsWith(`${pathTo(path)}/`))
}

const MenuLink = ({ screen }: { screen: ScreenLink }) => (
  <a href={pathTo(screen.path)} aria-current={isCurrent(screen) ? 'page' : undefined}>
    {screen.label}
  </a>
)

const ThemeSwitch = () => {
  const isDark = theme.value === 'dark'
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={isDark ? 'Use light colours' : 'Use dark colours'}
      onClick={switchTheme}
    >
      {isDark ? <SunIcon /> : <MoonIcon />}
    </button>
  )
}

/** A click elsewhere closes it. */
document.addEventListener('click', ({ target }) => {
  const menu = document.querySelector<HTMLDetailsElement>('.person[open]')
  if (menu && !menu.contains(target as Node)) menu.open = false
})

const PersonMenu = () => {
  const { staff, stores = [] } = session.value ?? {}
  if (staff === undefined) return null
  const leave = async () => {
    try {
      await signOut()
      navigate('/admin/sign-in')
    } catch (error) {
      showNotice(wordProblem(error))
    }
  }
  return (
    // Another screen closes it.
    <details class="person" key={route.value.path}>
      <summary>
        <PersonIcon />
        <span class="person-name">{staff.name || staff.email}</span>
      </summary>
      <div class="person-body">
        <p class="quiet-text">{staff.email}</p>
        <p>
          <a href="/admin/account">Your account</a>
        </p>
        {stores.length > 1 && (
          <p>
            <a href="/admin">Choose another store</a>
          </p>
        )}
        <button type="button" class="text-button" onClick={leave}>
          Sign out
        </button>
      </div>
    </details>
  )
}

/** Over the page, so that everything that was typed is still there afterwards. */
const ExpiredDialog = () => {
  if (!hasExpired.value) return null
  return (
    <Dialog title="Sign in again">
      <p>Your session has ended. Everything on this page stays as it is.</p>
      <SignInForm
        email={session.value?.staff.email ?? ''}
        onEntered={(entered) => {
          enter(entered)
          showNotice('You are signed in again.')
        }}
      />
      <p class="apart-small">
        <a href="/admin/sign-in" onClick={() => location.assign('/admin/sign-in')}>
          Leave this page
        </a>
      </p>
    </Dialog>
  )
}
