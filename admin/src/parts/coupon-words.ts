import type { StoreCoupon } from '../api.ts'
import { counted, date, money, percent } from '../format.ts'
import { store } from '../session.ts'

/** The form of a coupon: texts as typed. Days are of the store's time zone. */
export type CouponDraft = {
  kind: string
  value: string
  minSubtotal: string
  categories: string[]
  products: string[]
  startsAt: string
  endsAt: string
  usageLimit: string
  customerLimit: string
  listed: boolean
  description: string
}

export const emptyCoupon: CouponDraft = {
  ...{ kind: 'percent', value: '', minSubtotal: '', categories: [], products: [], startsAt: '', endsAt: '' },
  ...{ usageLimit: '', customerLimit: '', listed: false, description: '' },
}

export const couponLabels: Record<keyof CouponDraft, string> = {
  kind: 'Kind of discount',
  value: 'Discount',
  minSubtotal: 'Smallest order',
  categories: 'Categories',
  products: 'Products',
  startsAt: 'First day',
  endsAt: 'Last day',
  usageLimit: 'Uses in all',
  customerLimit: 'Uses per customer',
  listed: 'Shown in the shop',
  description: 'Description',
}

/** The day of a time in the store's time zone, such as 2026-11-30. */
export const dayIn = (ms: number) =>
  new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone: store.value?.timezone }).format(ms)

/** The time of day of a limit that is not midnight: it was set by a program. Otherwise null. */
export const timeWithinDay = (iso: string | null) => {
  if (iso === null) return null
  const options = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: store.value?.timezone } as const
  const time = new Intl.DateTimeFormat('en-GB', options).format(new Date(iso))
  return time === '00:00' ? null : time
}

const optional = (value: number | null) => (value === null ? '' : String(value))

export const toCouponDraft = (coupon: StoreCoupon): CouponDraft => ({
  kind: coupon.kind,
  value: String(coupon.value),
  minSubtotal: coupon.minSubtotal === 0 ? '' : String(coupon.minSubtotal),
  categories: coupon.categories,
  products: coupon.products,
  startsAt: coupon.startsAt === null ? '' : dayIn(Date.parse(coupon.startsAt)),
  // The service keeps the end of the last day.
  endsAt: coupon.endsAt === null ? '' : dayIn(Date.parse(coupon.endsAt) - 1),
  usageLimit: optional(coupon.usageLimit),
  customerLimit: optional(coupon.customerLimit),
  listed: coupon.listed,
  description: coupon.description,
})

/** A number as it was typed, with a comma or a point. Something else is sent as it is, and refused with a reason. */
export const readAmount = (text: string) => Number(text.trim().replace(',', '.'))
const limitOf = (text: string) => (text.trim() === '' ? null : readAmount(text))

/** The fields of a draft as the service takes them. */
export const toCouponInput = ({ kind, value, minSubtotal, startsAt, endsAt, ...rest }: Partial<CouponDraft>) => {
  const { usageLimit, customerLimit, ...same } = rest
  return {
    ...same,
    ...(kind === undefined ? {} : { kind: kind === 'fixed' ? ('fixed' as const) : ('percent' as const) }),
    ...(value === undefined ? {} : { value: readAmount(value) }),
    ...(minSubtotal === undefined ? {} : { minSubtotal: readAmount(minSubtotal) || 0 }),
    ...(startsAt === undefined ? {} : { startsAt: startsAt || null }),
    ...(endsAt === undefined ? {} : { endsAt: endsAt || null }),
    ...(usageLimit === undefined ? {} : { usageLimit: limitOf(usageLimit) }),
    ...(customerLimit === undefined ? {} : { customerLimit: limitOf(customerLimit) }),
  }
}

export const couponStates = {
  running: ['Running', 'good'],
  planned: ['Planned', 'warn'],
  ended: ['Ended', 'plain'],
  'used-up': ['Used up', 'plain'],
  off: ['Switched off', 'plain'],
} as const satisfies Record<string, [string, 'good' | 'warn' | 'plain']>

export const couponState = ({
  stopped,
  startsAt,
  endsAt,
  usageLimit,
  used,
}: StoreCoupon): keyof typeof couponStates => {
  if (stopped) return 'off'
  if (endsAt !== null && Date.parse(endsAt) <= Date.now()) return 'ended'
  if (usageLimit !== null && used >= usageLimit) return 'used-up'
  return startsAt !== null && Date.parse(startsAt) > Date.now() ? 'planned' : 'running'
}

export const discountText = ({ kind, value }: { kind: string; value: number }) =>
  kind === 'fixed' ? `${money(value)} off` : `${percent(value / 100)} off`

/** A day such as 2026-11-30 in words. Noon, so that no time zone moves it to another day. */
const dayText = (day: string) => {
  const ms = Date.parse(`${day}T12:00:00Z`)
  return Number.isNaN(ms) ? '' : date(new Date(ms).toISOString())
}

const periodText = (startsAt: string, endsAt: string) => {
  const [from, to] = [dayText(startsAt), dayText(endsAt)]
  if (from !== '' && from === to) return `on ${from} only`
  if (from !== '' && to !== '') return `from ${from} to ${to}`
  if (from !== '') return `from ${from} on`
  return to === '' ? '' : `until ${to}`
}

const timesText = (count: number) => (count === 1 ? 'once' : `${counted(count, 'time')}`)

const listText = (names: readonly string[]) =>
  names.length > 3 ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} more` : joined(names)

const joined = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** What a coupon does, in plain words. Null while the discount is not known. */
export const sayCoupon = (code: string, draft: CouponDraft, nameOf: (slug: string) => string): string | null => {
  const value = readAmount(draft.value)
  if (!(value > 0)) return null
  const names = [...draft.categories, ...draft.products].map(nameOf)
  const smallest = readAmount(draft.minSubtotal)
  const first = [
    `${code.trim() === '' ? 'This coupon' : code.trim().toUpperCase()} gives ${discountText({ kind: draft.kind, value })}`,
    names.length === 0 ? 'the whole order' : listText(names),
    smallest > 0 ? `if the items cost ${money(smallest)} or more` : '',
    periodText(draft.startsAt, draft.endsAt),
  ]
  const [inAll, each] = [readAmount(draft.usageLimit), readAmount(draft.customerLimit)]
  const limits = [
    ...(each > 0 ? [`each customer can use it ${timesText(each)}`] : []),
    ...(inAll > 0 ? [`it works ${timesText(inAll)} in all`] : []),
  ]
  const seen = draft.listed ? 'Customers see it in the shop.' : 'Only customers who know the code can use it.'
  const limitText = limits.length === 0 ? 'It can be used any number of times' : capital(joined(limits))
  return `${first.filter(Boolean).join(' ')}. ${limitText}. ${seen}`
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
