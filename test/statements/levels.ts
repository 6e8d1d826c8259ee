import assert from 'node:assert/strict'
import { type Fields, isFields, listOf, nodeOf, parseStatement, textOf } from './tree.ts'

/** What a `from` clause names. `table` is undefined for a query, a function or a common table expression. */
export type Item = { name: string; table: string | undefined }

/** One level of a statement: a query, or a write, without the queries inside of it. */
export type Level = {
  kind: 'select' | 'insert' | 'update' | 'delete'
  fields: Fields
  items: readonly Item[]
  /** The conditions of `where` and of joins. */
  conditions: readonly unknown[]
  /** What is inserted, as values or by queries. */
  source: Fields | undefined
  isLocking: boolean
  /** A common table expression, or inside of one. */
  isNamed: boolean
  outer: Level | undefined
}

/** All levels of a statement, a level before those inside of it. */
export const levelsOf = (text: string): readonly Level[] => {
  const levels: Level[] = []
  readLevels(parseStatement(text), { outer: undefined, named: new Set(), isNamed: false }, levels)
  return levels
}

/** The queries without `union` that a query is made of. */
export const partsOf = (select: Fields): readonly Fields[] =>
  isFields(select.larg) && isFields(select.rarg) ? [...partsOf(select.larg), ...partsOf(select.rarg)] : [select]

type Around = { outer: Level | undefined; named: ReadonlySet<string>; isNamed: boolean }

const kinds = [
  ['SelectStmt', 'select'],
  ['InsertStmt', 'insert'],
  ['UpdateStmt', 'update'],
  ['DeleteStmt', 'delete'],
] as const

const readLevels = (node: unknown, around: Around, levels: Level[]) => {
  for (const [name, kind] of kinds) {
    const fields = nodeOf(node, name)
    if (fields) return readLevel(fields, kind, around, levels)
  }
  // Settings and `analyze` read no rows.
  assert.ok(nodeOf(node, 'VariableSetStmt') ?? nodeOf(node, 'VacuumStmt'), 'a statement of an unknown kind')
}

const readLevel = (fields: Fields, kind: Level['kind'], { outer, named, isNamed }: Around, levels: Level[]) => {
  const clause = isFields(fields.withClause) ? listOf(fields.withClause.ctes) : []
  const expressions = clause.map((node) => nodeOf(node, 'CommonTableExpr'))
  const around = { outer, isNamed, named: new Set([...named, ...expressions.map((of) => textOf(of?.ctename) ?? '')]) }
  for (const expression of expressions) readLevels(expression?.ctequery, { ...around, isNamed: true }, levels)
  if (isFields(fields.larg) && isFields(fields.rarg)) {
    for (const part of [fields.larg, fields.rarg]) readLevel(part, kind, around, levels)
    return
  }
  const from: unknown[] = [...listOf(fields.fromClause), ...listOf(fields.usingClause)]
  // The target of a write has no kind.
  if (kind !== 'select') from.unshift({ RangeVar: fields.relation })
  const joins = from.flatMap(joinsOf)
  const leaves = from.flatMap(leavesOf)
  const level: Level = {
    kind,
    fields,
    items: leaves.map((node) => itemOf(node, around.named)),
    conditions: [fields.whereClause, ...joins],
    source: nodeOf(fields.selectStmt, 'SelectStmt'),
    isLocking: listOf(fields.lockingClause).length > 0,
    isNamed,
    outer,
  }
  levels.push(level)
  const inside = { outer: level, named: around.named, isNamed }
  for (const node of leaves) {
    const query = nodeOf(node, 'RangeSubselect')
    if (query) readLevels(query.subquery, inside, levels)
  }
  if (level.source) readLevel(level.source, 'select', inside, levels)
  const { withClause: _, fromClause: __, larg: ___, rarg: ____, selectStmt: _____, ...own } = fields
  for (const query of queriesIn([own, joins, leaves.filter((node) => !nodeOf(node, 'RangeSubselect'))])) {
    readLevels(query, inside, levels)
  }
}

/** The conditions of joins. */
const joinsOf = (node: unknown): readonly unknown[] => {
  const join = nodeOf(node, 'JoinExpr')
  return join ? [join.quals, ...joinsOf(join.larg), ...joinsOf(join.rarg)] : []
}

const leavesOf = (node: unknown): readonly unknown[] => {
  const join = nodeOf(node, 'JoinExpr')
  return join ? [...leavesOf(join.larg), ...leavesOf(join.rarg)] : [node]
}

const itemOf = (node: unknown, named: ReadonlySet<string>): Item => {
  const [fields] = isFields(node) ? Object.values(node) : []
  const alias = isFields(fields) && isFields(fields.alias) ? textOf(fields.alias.aliasname) : undefined
  const table = textOf(nodeOf(node, 'RangeVar')?.relname)
  return { name: alias ?? table ?? '', table: table === undefined || named.has(table) ? undefined : table }
}

/** Queries inside of expressions, but not those inside of these queries. */
export const queriesIn = (node: unknown): readonly unknown[] => {
  if (!isFields(node)) return []
  const query = nodeOf(node, 'SubLink')
  if (query) return [query.subselect, ...queriesIn(query.testexpr)]
  return Object.values(node).flatMap(queriesIn)
}
