import assert from 'node:assert/strict'
import { loadModule, parseSync } from 'libpg-query'

/** The tables that a statement writes (insert, update, delete), locks with `for update` and its like, and reads. */
export type TableUse = { writes: Set<string>; locks: Set<string>; reads: Set<string> }

await loadModule()

type Fields = Record<string, unknown>

/** Parses a statement with PostgreSQL's own parser. Names of common table expressions are not tables. */
export const findTables = (text: string): TableUse => {
  const use: TableUse = { writes: new Set(), locks: new Set(), reads: new Set() }
  const tree: unknown = parseSync(text)
  const named = new Set(findAll(tree, 'CommonTableExpr').map(({ ctename }) => String(ctename)))
  for (const kind of ['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt']) {
    for (const { relation } of findAll(tree, kind)) use.writes.add(nameOf(relation))
  }
  for (const select of findAll(tree, 'SelectStmt')) for (const table of findLocked(select)) use.locks.add(table)
  // `for update of o` names aliases, which are in the `from` clause anyway.
  for (const table of findAll(tree, 'RangeVar', 'lockedRels')) use.reads.add(nameOf(table))
  for (const name of named) {
    assert.ok(!use.writes.has(name), `"${name}" is a table and a common table expression in: ${text}`)
    use.reads.delete(name)
    use.locks.delete(name)
  }
  return use
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** The nodes of a kind, at any depth but not below `except`. The target of a write is not of the kind `RangeVar`. */
const findAll = (node: unknown, kind: string, except?: string): Fields[] => {
  if (!isFields(node)) return []
  return Object.entries(node).flatMap(([key, value]) => {
    if (key === except) return []
    const below = findAll(value, kind, except)
    return key === kind && isFields(value) ? [value, ...below] : below
  })
}

const nameOf = (table: unknown) => {
  assert.ok(isFields(table) && typeof table.relname === 'string', 'a table without a name')
  return table.relname
}

/** Without `of`, `for update` locks everything in the `from` clause. */
const findLocked = ({ lockingClause, fromClause }: Fields): string[] => {
  const tables = findAll(fromClause, 'RangeVar')
  return findAll(lockingClause, 'LockingClause').flatMap(({ lockedRels }) => {
    const aliases = findAll(lockedRels, 'RangeVar').map(nameOf)
    return tables.filter((table) => aliases.length === 0 || aliases.includes(aliasOf(table))).map(nameOf)
  })
}

const aliasOf = (table: Fields) =>
  isFields(table.alias) && typeof table.alias.aliasname === 'string' ? table.alias.aliasname : nameOf(table)
