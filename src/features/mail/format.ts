import type { Language } from '../../core/languages.ts'
import { currencyExponent, toWire } from '../../core/money.ts'
import type { Store } from '../context.ts'

/** Amounts and times as people of the store's region write them, in the language of the mail. */
export type Format = {
  money(minor: number, currency: string): string
  number(value: number): string
  date(time: Date | string): string
  dateTime(time: Date | string): string
}

export const createFormat = ({ locale, timezone }: Pick<Store, 'locale' | 'timezone'>, language: Language): Format => {
  const formatLocale = joinLocale(locale, language)
  const numbers = new Intl.NumberFormat(formatLocale)
  const dates = new Intl.DateTimeFormat(formatLocale, { dateStyle: 'long', timeZone: timezone })
  const times = new Intl.DateTimeFormat(formatLocale, {
    ...{ hour: 'numeric', minute: '2-digit', timeZone: timezone, timeZoneName: 'short' },
  })
  return {
    money: (minor, currency) => {
      const decimals = currencyExponent(currency)
      return new Intl.NumberFormat(formatLocale, {
        ...{ style: 'currency', currency, minimumFractionDigits: decimals, maximumFractionDigits: decimals },
      }).format(toWire(minor, currency))
    },
    number: (value) => numbers.format(value),
    date: (time) => dates.format(new Date(time)),
    // Joined here: CLDR puts the time zone inside the Hindi words for "at … o'clock".
    dateTime: (time) => `${dates.format(new Date(time))}, ${times.format(new Date(time))}`,
  }
}

/** The language of the mail with the region of the store: `hi-IN` for Hindi mail of a store with `en-IN`. */
const joinLocale = (storeLocale: string, language: Language) => {
  const locale = new Intl.Locale(storeLocale)
  if (locale.language === language) return storeLocale
  return locale.region === undefined ? language : `${language}-${locale.region}`
}
