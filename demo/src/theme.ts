import { signal } from '@preact/signals'

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

export const theme = signal<Theme>(keptTheme() ?? (prefersDark.matches ? 'dark' : 'light'))

export const switchTheme = () => {
  const next = theme.value === 'dark' ? 'light' : 'dark'
  try {
    localStorage.setItem(themeKey, next)
  } catch {
    // The choice then lasts as long as the page.
  }
  theme.value = next
}

export const startTheme = () => {
  theme.subscribe((shown) => {
    document.documentElement.dataset.theme = shown
  })
  prefersDark.addEventListener('change', () => {
    if (keptTheme() === null) theme.value = prefersDark.matches ? 'dark' : 'light'
  })
}
