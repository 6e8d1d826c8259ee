import { csvLine } from '../core/csv.ts'
import { decodeCursor, encodeCursor, type Position } from '../core/cursor.ts'
import type { Answer } from '../http/endpoint.ts'
import type { AdminCtx } from './context.ts'
import type { Page, PageSource } from './paging.ts'

/** Matches are counted up to here. */
export const maxCounted = 10_000

export type CountedPage<Item> = Page<Item> & { total: number; totalIsExact: boolean }

export type AdminListQuery = { limit?: number; cursor?: string; format?: 'json' | 'csv' }

/** A count that may have stopped before the end: then there are at least `found`. */
export type CountedMatches = { found: number; isExact: boolean }

/** Rows of a search that stopped at a position before it found as many as were asked for. Null: there are no others. */
export type PartOfList<Row> = { rows: Row[]; reached: Position | null }

/** How a list of the admin API is read. `count` stops at its limit. */
export type AdminListSource<Row, Item, Line extends object = Item & object> = Omit<PageSource<Row, Item>, 'read'> & {
  read(position: Position | undefined, limit: number): Promise<Row[] | PartOfList<Row>>
  count(limit: number): Promise<number | CountedMatches>
  /** The columns of the CSV file, named like the fields of an item. */
  columns?: readonly (keyof Line & string)[]
  /** A line of the CSV file, where it is not the item. */
  showLine?(row: Row): Line
}

const csvBatch = 500

/** A page of a list, or all of it as CSV. `list` names it; with the query it is what a cursor is bound to. */
export const answerList = async <Row, Item extends object, Line extends object = Item>(
  ctx: AdminCtx,
  list: string,
  query: AdminListQuery,
  source: AdminListSource<Row, Item, Line>,
): Promise<Answer<CountedPage<Item>>> => {
  if (query.format === 'csv') return { body: noPage, ...csvFile(ctx, list, writeCsv(source)) }
  const { limit = 20, cursor, format: _, ...filters } = query
  const scope = JSON.stringify(['admin', ctx.store.id, list, Object.entries(filters).sort()])
  const position = cursor === undefined ? undefined : decodeCursor(ctx.cursors, scope, cursor)
  const [read, counted] = await Promise.all([source.read(position, limit + 1), source.count(maxCounted + 1)])
  const { rows, reached } = toPart(read)
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  const next = last === undefined ? reached : source.positionOf(last)
  const { found, isExact } = typeof counted === 'number' ? { found: counted, isExact: counted <= maxCounted } : counted
  return {
    body: {
      data: shown.map(source.show),
      hasMore: next !== null,
      nextCursor: next === null ? null : encodeCursor(ctx.cursors, scope, next),
      total: Math.min(isExact ? found : Math.max(found, rows.length), maxCounted),
      totalIsExact: isExact,
    },
  }
}

/** The first rows of a list whose searches stop before they have found enough, for a caller who waits for all of them. */
export const readAtOnce = async <Row, Key>(list: SearchedList<Row, Key>, limit: number): Promise<Row[]> => {
  const all: Row[] = []
  for (let after: Key | null = null; ; ) {
    const { rows, reached } = await list.read(after, limit - all.length)
    all.push(...rows)
    if (reached === null || all.length >= limit) return all
    after = reached
  }
}

type SearchedList<Row, Key> = { read(after: Key | null, limit: number): Promise<{ rows: Row[]; reached: Key | null }> }

const toPart = <Row>(read: Row[] | PartOfList<Row>): PartOfList<Row> =>
  Array.isArray(read) ? { rows: read, reached: null } : read

const noPage = { data: [], hasMore: false, nextCursor: null, total: 0, totalIsExact: true }

/** Lines of CSV as a file with the name and the day, in the time zone of the store, such as `orders-2026-11-17.csv`. */
export const csvFile = (
  { store, clock }: Pick<AdminCtx, 'store' | 'clock'>,
  name: string,
  chunks: AsyncIterable<string>,
) => {
  const day = Temporal.Instant.fromEpochMilliseconds(clock.now()).toZonedDateTimeISO(store.timezone).toPlainDate()
  const plain = name.replaceAll(/[^\w-]+/g, '-').replaceAll(/^-|-$/g, '')
  return {
    stream: { contentType: 'text/csv; charset=utf-8', chunks },
    headers: { 'content-disposition': `attachment; filename="${plain}-${day}.csv"` },
  }
}

async function* writeCsv<Row, Item extends object, Line extends object>({
  columns = [],
  showLine,
  ...source
}: AdminListSource<Row, Item, Line>) {
  yield csvLine(columns)
  for (let position: ReturnType<typeof source.positionOf> | undefined; ; ) {
    const { rows, reached } = toPart(await source.read(position, csvBatch))
    yield rows
      .map((row): object => showLine?.(row) ?? source.show(row))
      .map((line) => csvLine(columns.map((name) => Reflect.get(line, name))))
      .join('')
    const last = rows.at(-1)
    const next = rows.length < csvBatch || last === undefined ? reached : source.positionOf(last)
    if (next === null) return
    position = next
  }
}
