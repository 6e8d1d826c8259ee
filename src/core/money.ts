/**
 * Inside, money is an integer of minor units; on the wire it is a decimal number in the store's currency.
 * How many decimals a currency has comes from the ISO 4217 data inside Node.
 */
const exponents = new Map<string, number>()

export const currencyExponent = (currency: string): number => {
  let exponent = exponents.get(currency)
  if (exponent === undefined) {
    exponent = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
    exponents.set(currency, exponent)
  }
  return exponent
}

export const isCurrency = (code: string) => Intl.supportedValuesOf('currency').includes(code)

export const toWire = (minor: number, currency: string): number => minor / 10 ** currencyExponent(currency)

export const maxMinor = 1_000_000_000_000

/** Null when the amount has more decimals than the currency, is negative, or is too large to be a price. */
export const toMinor = (amount: number, currency: string): number | null => {
  const scaled = amount * 10 ** currencyExponent(currency)
  const minor = Math.round(scaled)
  const exact = Number.isFinite(scaled) && Math.abs(scaled - minor) < 1e-6 * Math.max(1, Math.abs(scaled) * 1e-6)
  return exact && minor >= 0 && minor <= maxMinor ? minor : null
}
