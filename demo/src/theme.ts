import { createStore } from './store.ts'

export const themeKey = 'shop.theme'
type Theme = 'light' | 'dark'
const prefersDark = matchMedia('(prefers-color-scheme: dark)')

const keptTheme = (): Theme | null => {
  try {
    const kept = localStorage.getItem(themeKey)
    return kept === 'light' || kept === 'dark' ? kept : null
  } catch {
    return null
  }
}

export const theme = createStore<Theme>(keptTheme() ?? (prefersDark.matches ? 'dark' : 'light'))

export const switchTheme = () => {
  const next = theme.get() === 'dark' ? 'light' : 'dark'
  try {
    localStorage.setItem(themeKey, next)
  } catch {
    // The choice then lasts as long as the page.
  }
  theme.set(next)
}

const showTheme = () => {
  document.documentElement.dataset.theme = theme.get()
}

export const startTheme = () => {
  showTheme()
  theme.subscribe(showTheme)
  prefersDark.addEventListener('change', () => {
    if (keptTheme() === null) theme.set(prefersDark.matches ? 'dark' : 'light')
  })
}
