import { decodeCursor, encodeCursor, type Position } from '../core/cursor.ts'
import type { StoreCtx } from './context.ts'

export type Page<Item> = { data: Item[]; nextCursor: string | null; hasMore: boolean }

/** `readPage` requests one row more than the limit, to see whether there is a next page. */
export type PageSource<Row, Item> = {
  read(position: Position | undefined, limit: number): Promise<Row[]>
  positionOf(row: Row): Position
  show(row: Row): Item
}

export const readPage = async <Row, Item>(
  ctx: StoreCtx,
  query: { limit?: number; cursor?: string },
  scope: string,
  source: PageSource<Row, Item>,
): Promise<Page<Item>> => {
  const limit = query.limit ?? 20
  const position = query.cursor === undefined ? undefined : decodeCursor(ctx.cursors, scope, query.cursor)
  const rows = await source.read(position, limit + 1)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = rows.length > limit
  return {
    data: shown.map(source.show),
    hasMore,
    nextCursor: hasMore && last !== undefined ? encodeCursor(ctx.cursors, scope, source.positionOf(last)) : null,
  }
}

/** A cursor is valid for one store, outlet, list, filters and sort; the page size may change. */
export const cursorScope = (ctx: StoreCtx, list: string, query: Record<string, unknown>) => {
  const { limit: _limit, cursor: _cursor, ...rest } = query
  return JSON.stringify([ctx.store.id, ctx.outlet.id, list, Object.entries(rest).sort()])
}
