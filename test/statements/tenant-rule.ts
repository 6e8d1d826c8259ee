import { tenantTables } from '../../src/db/tenancy.ts'
import { type Item, type Level, levelsOf, partsOf, queriesIn } from './levels.ts'
import { sampleStoreId } from './samples.ts'
import { createTies } from './ties.ts'
import {
  conjunctsOf,
  equalPairsOf,
  isFields,
  listOf,
  namesOfColumn,
  nodeOf,
  numberOfParameter,
  stringOf,
  textOf,
} from './tree.ts'

/** A statement with values made of samples, in which only the store has the value `sampleStoreId`. */
export type CheckedStatement = { text: string; values: readonly unknown[] }

const isTenantTable = (table: string | undefined): table is string =>
  table !== undefined && tenantTables.includes(table)

/** The store that a statement is about. */
const theStore = 'the store'

/**
 * What keeps one server of a distributed database from answering a statement. Every tenant table that it names, at every
 * level, must be tied to the store: its `store_id` is equal to the parameter with the store, or to that of a table at the
 * same level that is. A column of a query around it does not tie, because the server is chosen before any row is read.
 */
export const findUntied = ({ text, values }: CheckedStatement): string[] => {
  const isStore = (node: unknown) => {
    const number = numberOfParameter(node)
    return number !== undefined && values[number - 1] === sampleStoreId
  }
  return levelsOf(text).flatMap((level) => {
    const ties = tiesOf(level, isStore)
    const isTied = ({ name }: Item) => ties.areTied(`${name}.store_id`, theStore)
    if (level.kind === 'insert') return findUntiedRows(level, isStore)
    return level.items.flatMap((item) =>
      isTenantTable(item.table) && !isTied(item)
        ? [`"${item.table}" is not tied to the store. Add: ${item.name}.store_id = storeId`]
        : [],
    )
  })
}

/**
 * What keeps all servers of a distributed database from answering a read across stores together: a write, a lock, or
 * tenant tables that are not joined by their store.
 */
export const findUnjoined = ({ text }: CheckedStatement): string[] =>
  levelsOf(text).flatMap((level) => {
    if (level.kind !== 'select') return [`writes "${level.items[0]?.table}" across stores. Write store by store`]
    if (level.isLocking) return ['locks rows across stores. Lock store by store']
    const ties = tiesOf(level, () => false)
    const [first, ...others] = level.items.filter(({ table }) => isTenantTable(table))
    return others.flatMap(({ name, table }) =>
      first === undefined || ties.areTied(`${name}.store_id`, `${first.name}.store_id`)
        ? []
        : [`"${table}" is not joined by its store. Add: ${name}.store_id = ${first.name}.store_id`],
    )
  })

/** The columns of a level that are equal to each other, or to the store. */
const tiesOf = (level: Level, isStore: (node: unknown) => boolean) => {
  const ties = createTies()
  const keyOf = (node: unknown): string | undefined => {
    if (isStore(node)) return theStore
    const [first, second] = namesOfColumn(node)
    if (first === undefined || second !== undefined) return second && `${first}.${second}`
    // A column without a table is that of the only tenant table.
    const tables = level.items.filter(({ table }) => isTenantTable(table))
    const [only] = tables.length === 0 ? level.items : tables
    return only && `${only.name}.${first}`
  }
  for (const condition of level.conditions.flatMap(conjunctsOf)) {
    for (const [a, b] of equalPairsOf(condition)) {
      const [left, right] = [keyOf(a), keyOf(b)]
      if (left !== undefined && right !== undefined) ties.tie(left, right)
    }
  }
  return ties
}

/** Rows are inserted with the store itself, so that the statement that selects them goes to the same server. */
const findUntiedRows = ({ fields, items, source }: Level, isStore: (node: unknown) => boolean): string[] => {
  const table = items[0]?.table
  if (!isTenantTable(table)) return []
  const columns = listOf(fields.cols).map((column) => textOf(nodeOf(column, 'ResTarget')?.name))
  const position = columns.indexOf('store_id')
  const rows = source ? partsOf(source).flatMap((part) => valuesOf(part)) : []
  const isTied = rows.length > 0 && position >= 0 && rows.every((row) => isStore(row[position]))
  return isTied ? [] : [`"${table}" gets rows that are not tied to the store. Insert store_id with storeId`]
}

/** The rows of `values`, or the columns of a query as its only row. */
const valuesOf = (part: Level['fields']): readonly (readonly unknown[])[] => {
  const rows = listOf(part.valuesLists).map((row) => listOf(nodeOf(row, 'List')?.items))
  return rows.length > 0 ? rows : [listOf(part.targetList).map((target) => nodeOf(target, 'ResTarget')?.val)]
}

/**
 * What a distributed database refuses in writes: `vitrine_now()` where the server of the row cannot evaluate it once for
 * the whole statement. `(select vitrine_now())` is evaluated by that server, and allowed except beside `on conflict`.
 */
export const findRefusedTimes = ({ text }: Pick<CheckedStatement, 'text'>): string[] =>
  levelsOf(text).flatMap(({ kind, fields, source }) => {
    if (kind === 'select') return []
    const written = [fields.targetList, fields.whereClause]
    const isConditional = [...nodesIn(written, 'CaseExpr'), ...nodesIn(written, 'CoalesceExpr')].some(namesTime)
    const conflict = fields.onConflictClause
    const isInValues = listOf(source?.valuesLists).length > 0
    return [
      ...(isConditional ? ['has vitrine_now() in case or coalesce. Write (select vitrine_now())'] : []),
      ...(namesTime(fields.returningClause ?? fields.returningList)
        ? ['returns vitrine_now(). Return (select vitrine_now())']
        : []),
      ...(namesTime(conflict) ? ['has vitrine_now() in on conflict. Compare with a column of excluded'] : []),
      ...(movesTime(conflict) ? [`adds an interval in on conflict. Add it to a time at time zone 'UTC'`] : []),
      ...(isInValues && queriesIn([conflict, source?.valuesLists]).length > 0
        ? ['has a query beside values. Write insert … select']
        : []),
    ]
  })

/** The nodes of a kind, but not those in queries. */
const nodesIn = (node: unknown, kind: string): readonly unknown[] => {
  if (!isFields(node) || nodeOf(node, 'SubLink')) return []
  const own = nodeOf(node, kind)
  return own ? [own] : Object.values(node).flatMap((value) => nodesIn(value, kind))
}

const namesTime = (node: unknown) =>
  nodesIn(node, 'FuncCall').some((call) => isFields(call) && stringOf(listOf(call.funcname).at(-1)) === 'vitrine_now')

/** Whether an interval is added to a time with a time zone, which depends on that of the session and is not immutable. */
const movesTime = (node: unknown): boolean => {
  if (!isFields(node) || nodeOf(node, 'SubLink')) return false
  const { name, lexpr, rexpr } = nodeOf(node, 'A_Expr') ?? {}
  const isSum = /^[+-]$/.test(stringOf(listOf(name)[0]) ?? '')
  const moves = (time: unknown, by: unknown) => isInterval(by) && !isInterval(time) && !isInUtc(time)
  return (
    (isSum && (moves(lexpr, rexpr) || moves(rexpr, lexpr))) || Object.values(node).some((value) => movesTime(value))
  )
}

const isInterval = (node: unknown): boolean => {
  const { name, lexpr, rexpr } = nodeOf(node, 'A_Expr') ?? {}
  if (stringOf(listOf(name)[0]) === '*') return isInterval(lexpr) || isInterval(rexpr)
  const type = nodeOf(node, 'TypeCast')?.typeName
  return isFields(type) && stringOf(listOf(type.names).at(-1)) === 'interval'
}

const isInUtc = (node: unknown) => stringOf(listOf(nodeOf(node, 'FuncCall')?.funcname).at(-1)) === 'timezone'

/**
 * A distributed database runs common table expressions that insert one after another, each as a statement of its own, and
 * the rest of the statement then reads what they have written. PostgreSQL alone reads what was there before.
 */
export const findReadWrites = ({ text }: Pick<CheckedStatement, 'text'>): string[] => {
  const levels = levelsOf(text)
  const writes = levels.filter(({ kind }) => kind !== 'select')
  if (!writes.some(({ kind }) => kind === 'insert')) return []
  return writes
    .filter(({ isNamed }) => isNamed)
    .flatMap((write) => {
      const table = write.items[0]?.table
      const isRead = levels.some(
        (level) =>
          level.kind === 'select' && !isInside(level, write) && level.items.some((item) => item.table === table),
      )
      return isRead ? [`writes "${table}" and reads it in the same statement`] : []
    })
}

const isInside = (level: Level, outer: Level): boolean =>
  level.outer === outer || (level.outer !== undefined && isInside(level.outer, outer))
