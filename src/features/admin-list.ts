import { csvLine } from '../core/csv.ts'
import { decodeCursor, encodeCursor } from '../core/cursor.ts'
import type { Answer } from '../http/endpoint.ts'
import type { AdminCtx } from './context.ts'
import type { Page, PageSource } from './paging.ts'

/** Matches are counted up to here. */
export const maxCounted = 10_000

export type CountedPage<Item> = Page<Item> & { total: number; totalIsExact: boolean }

export type AdminListQuery = { limit?: number; cursor?: string; format?: 'json' | 'csv' }

/** How a list of the admin API is read. `count` stops at its limit. */
export type AdminListSource<Row, Item> = PageSource<Row, Item> & {
  count(limit: number): Promise<number>
  /** The columns of the CSV file, named like the fields of an item. */
  columns?: readonly (keyof Item & string)[]
}

const csvBatch = 500

/** A page of a list, or all of it as CSV. `list` names it; with the query it is what a cursor is bound to. */
export const answerList = async <Row, Item extends object>(
  ctx: AdminCtx,
  list: string,
  query: AdminListQuery,
  source: AdminListSource<Row, Item>,
): Promise<Answer<CountedPage<Item>>> => {
  if (query.format === 'csv') return { body: noPage, stream: csvOf(source) }
  const { limit = 20, cursor, format: _, ...filters } = query
  const scope = JSON.stringify(['admin', ctx.store.id, list, Object.entries(filters).sort()])
  const position = cursor === undefined ? undefined : decodeCursor(ctx.cursors, scope, cursor)
  const [rows, counted] = await Promise.all([source.read(position, limit + 1), source.count(maxCounted + 1)])
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = rows.length > limit
  return {
    body: {
      data: shown.map(source.show),
      hasMore,
      nextCursor: hasMore && last !== undefined ? encodeCursor(ctx.cursors, scope, source.positionOf(last)) : null,
      total: Math.min(counted, maxCounted),
      totalIsExact: counted <= maxCounted,
    },
  }
}

const noPage = { data: [], hasMore: false, nextCursor: null, total: 0, totalIsExact: true }

const csvOf = <Row, Item extends object>(source: AdminListSource<Row, Item>) => ({
  contentType: 'text/csv; charset=utf-8',
  chunks: writeCsv(source),
})

async function* writeCsv<Row, Item extends object>({ columns = [], ...source }: AdminListSource<Row, Item>) {
  yield csvLine(columns)
  for (let position: ReturnType<typeof source.positionOf> | undefined; ; ) {
    const rows = await source.read(position, csvBatch)
    yield rows
      .map((row) => source.show(row))
      .map((item) => csvLine(columns.map((name) => item[name])))
      .join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < csvBatch) return
    position = source.positionOf(last)
  }
}
