import { store } from './session.ts'

/** Days are texts such as "2026-11-17", in the time zone of the store. */

export type Grouping = 'day' | 'week' | 'month'
export type DayRange = { from: string; to: string }

const dayMs = 86_400_000

export const currentDay = () =>
  new Intl.DateTimeFormat('en-CA', {
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', timeZone: store.value?.timezone },
  }).format(new Date())

const timeOf = (day: string) => Date.parse(`${day}T00:00:00Z`)
export const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(timeOf(text))
export const addDays = (day: string, days: number) => new Date(timeOf(day) + days * dayMs).toISOString().slice(0, 10)
export const countDays = ({ from, to }: DayRange) => Math.round((timeOf(to) - timeOf(from)) / dayMs) + 1

/** As many days directly before. */
export const rangeBefore = (range: DayRange): DayRange => ({
  from: addDays(range.from, -countDays(range)),
  to: addDays(range.from, -1),
})

export const presets = {
  today: { label: 'Today', range: (today) => ({ from: today, to: today }) },
  '7': { label: 'Last 7 days', range: (today) => ({ from: addDays(today, -6), to: today }) },
  '30': { label: 'Last 30 days', range: (today) => ({ from: addDays(today, -29), to: today }) },
  '90': { label: 'Last 90 days', range: (today) => ({ from: addDays(today, -89), to: today }) },
  month: { label: 'This month', range: (today) => ({ from: `${today.slice(0, 7)}-01`, to: today }) },
  'last-month': {
    label: 'Last month',
    range: (today) => {
      const to = addDays(`${today.slice(0, 7)}-01`, -1)
      return { from: `${to.slice(0, 7)}-01`, to }
    },
  },
  year: { label: 'This year', range: (today) => ({ from: `${today.slice(0, 4)}-01-01`, to: today }) },
} satisfies Record<string, { label: string; range: (today: string) => DayRange }>

export type PresetName = keyof typeof presets
const isPreset = (name: string | null): name is PresetName => name !== null && name in presets

/** The period that the address names: two days or a preset; otherwise the last thirty days. */
export const readRange = (query: URLSearchParams): DayRange & { preset: PresetName | null } => {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? '']
  if (isDay(from) && isDay(to) && from <= to) return { from, to, preset: null }
  const name = query.get('period')
  const preset = isPreset(name) ? name : '30'
  return { ...presets[preset].range(currentDay()), preset }
}

export const groupingFor = (range: DayRange): Grouping => {
  const days = countDays(range)
  return days <= 62 ? 'day' : days <= 200 ? 'week' : 'month'
}

const write = (day: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(store.value?.locale, { ...options, timeZone: 'UTC' }).format(timeOf(day))

/** A day, or a month such as "2026-11". */
export const nameOfPeriod = (period: string, by: Grouping) => {
  if (by === 'month') return write(`${period}-01`, { month: 'long', year: 'numeric' })
  const day = write(period, { day: 'numeric', month: 'long', year: 'numeric' })
  return by === 'week' ? `Week of ${day}` : day
}

export const labelOfPeriod = (period: string, by: Grouping) =>
  by === 'month'
    ? write(`${period}-01`, { month: 'short', year: '2-digit' })
    : write(period, { day: 'numeric', month: 'short' })

export const nameOfRange = ({ from, to }: DayRange) =>
  from === to ? nameOfPeriod(from, 'day') : `${nameOfPeriod(from, 'day')} – ${nameOfPeriod(to, 'day')}`
