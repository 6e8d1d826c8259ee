import { signal } from '@preact/signals'

export const themeKey = 'theme'
type Theme = 'light' | 'dark'
const prefersDark = matchMedia('(prefers-color-scheme: dark)')

const storedTheme = (): Theme | null => {
  try {
    const stored = localStorage.getItem(themeKey)
    return stored === 'light' || stored === 'dark' ? stored : null
  } catch {
    return null
  }
}

export const theme = signal<Theme>(storedTheme() ?? (prefersDark.matches ? 'dark' : 'light'))

export const switchTheme = () => {
  const next = theme.value === 'dark' ? 'light' : 'dark'
  try {
    localStorage.setItem(themeKey, next)
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
  theme.value = next
}

export const startTheme = () => {
  theme.subscribe((shown) => {
    document.documentElement.dataset.theme = shown
  })
  prefersDark.addEventListener('change', () => {
    if (storedTheme() === null) theme.value = prefersDark.matches ? 'dark' : 'light'
  })
}
