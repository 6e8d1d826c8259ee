import { currencyExponent } from './money.ts'

/**
 * The default maximum of a cash-on-delivery order, in whole units of the currency: about 50,000 rupees, a usual limit of
 * carriers in India, rounded for each currency. A rough value is enough, because an operator can change it.
 */
const limits = new Map(
  Object.entries({
    500: 'USD EUR GBP CHF',
    1000: 'AUD CAD NZD SGD',
    2000: 'AED SAR QAR ILS PLN GEL',
    2500: 'MYR RON BGN',
    150: 'KWD',
    200: 'BHD OMR',
    400: 'JOD',
    1500: 'TND',
    3000: 'BRL PEN',
    4000: 'CNY DKK',
    5000: 'HKD NOK SEK MAD',
    10000: 'MXN ZAR',
    12000: 'CZK',
    15000: 'TWD',
    20000: 'THB TRY UAH',
    25000: 'EGP',
    30000: 'PHP',
    50000: 'INR RUB',
    60000: 'BDT',
    70000: 'KES DZD',
    80000: 'JPY NPR',
    150000: 'PKR LKR',
    200000: 'HUF',
    300000: 'XAF XOF',
    500000: 'CLP ARS',
    700000: 'KRW IQD',
    800000: 'NGN',
    2000000: 'COP UGX',
    10000000: 'IDR',
    15000000: 'VND',
  }).flatMap(([amount, currencies]) => currencies.split(' ').map((currency) => [currency, Number(amount)] as const)),
)

/** In minor units. Null for a currency that is not in the table: it has no limit until the store sets one. */
export const defaultCashLimitMinor = (currency: string): number | null => {
  const amount = limits.get(currency)
  return amount === undefined ? null : amount * 10 ** currencyExponent(currency)
}
