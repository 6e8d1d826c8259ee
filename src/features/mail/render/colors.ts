import { isHexColor } from '../../../core/hex-color.ts'

/** Colours of a mail, computed from the colour of the store so that every text has a contrast of at least 4.5 (WCAG AA). */
export type Palette = {
  /** The background of buttons and the text on it. */
  button: string
  onButton: string
  /** Links on the light and on the dark background. */
  link: string
  linkDark: string
}

const defaultBrandColor = '#1f5fd1'
export const lightBackground = '#ffffff'
export const darkBackground = '#1c1c1f'
const minContrast = 4.5

export const makePalette = (brandColor: string): Palette => {
  const button = isHexColor(brandColor) ? brandColor.toLowerCase() : defaultBrandColor
  return {
    button,
    // One of them has at least 4.58 on any colour.
    onButton: contrast(button, '#ffffff') >= contrast(button, '#000000') ? '#ffffff' : '#000000',
    link: shiftUntilReadable(button, lightBackground, 0),
    linkDark: shiftUntilReadable(button, darkBackground, 255),
  }
}

/** Moves a colour towards black (0) or white (255) until it can be read on the background. */
const shiftUntilReadable = (color: string, background: string, target: number) => {
  for (let step = 0; step <= 20; step++) {
    const shifted = toHex(channelsOf(color).map((value) => value + ((target - value) * step) / 20))
    if (contrast(shifted, background) >= minContrast) return shifted
  }
  return toHex([target, target, target])
}

/** The contrast ratio of WCAG 2, from 1 to 21. */
export const contrast = (first: string, second: string) => {
  const [low = 0, high = 0] = [luminance(first), luminance(second)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

const luminance = (color: string) => {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const channelsOf = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

const toHex = (channels: readonly number[]) =>
  `#${channels.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`
