/**
 * Internally, money is an integer in minor units; in requests and answers it is a decimal number in the store's currency.
 * The decimals of each currency are copied from ISO 4217. Node's own data comes from CLDR, which differs for a dozen
 * currencies and changes between versions, and a stored amount must never change its meaning.
 */
const exponents = new Map(
  Object.entries({
    0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    3: 'BHD IQD JOD KWD LYD OMR TND',
    4: 'CLF UYW',
  }).flatMap(([exponent, currencies]) =>
    currencies.split(' ').map((currency) => [currency, Number(exponent)] as const),
  ),
)

export const currencyExponent = (currency: string): number => exponents.get(currency) ?? 2

export const isCurrency = (code: string) => Intl.supportedValuesOf('currency').includes(code)

export const toWire = (minor: number, currency: string): number => minor / 10 ** currencyExponent(currency)

/** For people: `977.50 INR`. */
export const describeAmount = (minor: number, currency: string): string =>
  `${toWire(minor, currency).toFixed(currencyExponent(currency))} ${currency}`

export const maxMinor = 1_000_000_000_000

/** Null when the amount has more decimals than the currency, is negative, or is too large to be a price. */
export const toMinor = (amount: number, currency: string): number | null => {
  const scaled = amount * 10 ** currencyExponent(currency)
  const minor = Math.round(scaled)
  // Tolerates binary rounding errors, but no digit that a caller wrote.
  const exact = Number.isFinite(scaled) && Math.abs(scaled - minor) <= Math.max(1e-6, Math.abs(scaled) * 1e-15)
  return exact && minor >= 0 && minor <= maxMinor ? minor : null
}
