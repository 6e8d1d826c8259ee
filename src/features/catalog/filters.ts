import { mustExist } from '../../core/must-exist.ts'
import type { StoreCtx } from '../context.ts'
import { outletRefOf, readFilter } from './catalog.ts'
import type { Filters, FiltersQuery } from './filters.contract.ts'
import { listOptions, type OptionList } from './filters.sql.ts'
import { search } from './search.ts'

const maxOptions = 10
const maxValues = 50

/** `asOfMs` as for the search, if there was one. */
type FiltersAnswer = { filters: Filters; asOfMs?: number }

/** The options of the products in a list or a search. */
export const listFilters = async (ctx: StoreCtx, { q, ...query }: FiltersQuery): Promise<FiltersAnswer> => {
  const matches = q === undefined ? undefined : await search(ctx, { q, ...query, limit: 100 })
  const filter = matches === undefined ? await readFilter(ctx, query) : { ids: matches.result.data.map(({ id }) => id) }
  const found = filter === null ? [] : await listOptions(ctx.db, outletRefOf(ctx), filter)
  const byName = Map.groupBy(found, ({ name }) => name)
  const options = [...byName]
    .sort(([one, some], [other, others]) => productsOf(others) - productsOf(some) || compareNames(one, other))
    .slice(0, maxOptions)
    .map(([name, values]) => ({ name, values: showValues(values) }))
  return { filters: { options }, ...(matches && { asOfMs: matches.asOfMs }) }
}

const productsOf = (lists: readonly OptionList[]) => lists.reduce((sum, { count }) => sum + count, 0)

/** The most common values, in the order of the products: `S, M, L`, with shoe sizes kept separate. */
const showValues = (lists: readonly OptionList[]) => {
  const counts = new Map<string, number>()
  for (const { values, count } of lists) {
    for (const value of new Set(values)) counts.set(value, (counts.get(value) ?? 0) + count)
  }
  const commonest = [...counts].sort(([, one], [, other]) => other - one).slice(0, maxValues)
  const isShown = new Set(commonest.map(([value]) => value))
  const order = joinLists(lists.map(({ values }) => values.filter((value) => isShown.has(value))))
  return order.map((value) => ({ value, count: mustExist(counts.get(value), 'the count of a value') }))
}

/**
 * Merges the lists into one order. A new value is placed before its successor in its own list if that is known, else after
 * its nearest known predecessor, else last.
 */
export const joinLists = (lists: readonly (readonly string[])[]): string[] => {
  const joined: string[] = []
  for (const list of lists) {
    for (const [i, value] of [...list.entries()].reverse()) {
      if (joined.includes(value)) continue
      const next = joined.indexOf(list[i + 1] ?? '')
      const previous = Math.max(...list.slice(0, i).map((known) => joined.indexOf(known)), -1)
      joined.splice(next >= 0 ? next : previous >= 0 ? previous + 1 : joined.length, 0, value)
    }
  }
  return joined
}

const { compare: compareNames } = new Intl.Collator('en', { numeric: true })
