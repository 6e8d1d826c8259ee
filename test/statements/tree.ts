import { loadModule, parseSync } from 'libpg-query'

/** The tree that PostgreSQL's own parser makes of a statement. A node is an object with one field, which is its kind. */
export type Fields = Record<string, unknown>

await loadModule()

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const parsed = new Map<string, unknown>()

/** The parsed statement with its kind, such as `SelectStmt`. Every rule reads all statements, which are parsed once. */
export const parseStatement = (text: string): unknown => {
  if (!parsed.has(text)) parsed.set(text, parse(text))
  return parsed.get(text)
}

const parse = (text: string): unknown => {
  const tree: unknown = parseSync(text)
  const [first] = isFields(tree) ? listOf(tree.stmts) : []
  return isFields(first) ? first.stmt : undefined
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The fields of a node of a kind, or undefined for one of another kind. */
export const nodeOf = (node: unknown, kind: string): Fields | undefined => {
  const fields = isFields(node) ? node[kind] : undefined
  return isFields(fields) ? fields : undefined
}

export const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** The text of a `String` node. */
export const stringOf = (node: unknown) => textOf(nodeOf(node, 'String')?.sval)

/** An expression without its casts. */
export const withoutCasts = (node: unknown): unknown => {
  const cast = nodeOf(node, 'TypeCast')
  return cast ? withoutCasts(cast.arg) : node
}

/** The names of a column such as `o.store_id`. A star is `*`. */
export const namesOfColumn = (node: unknown): readonly string[] => {
  const column = nodeOf(withoutCasts(node), 'ColumnRef')
  return listOf(column?.fields).map((part) => stringOf(part) ?? '*')
}

export const numberOfParameter = (node: unknown) => {
  const parameter = nodeOf(withoutCasts(node), 'ParamRef')
  return typeof parameter?.number === 'number' ? parameter.number : undefined
}

/** Conditions that are joined by `and`. */
export const conjunctsOf = (node: unknown): readonly unknown[] => {
  if (node === undefined) return []
  const both = nodeOf(node, 'BoolExpr')
  return both?.boolop === 'AND_EXPR' ? listOf(both.args).flatMap(conjunctsOf) : [node]
}

/** Both sides of `a = b`, and of each column of `(a, b) = (c, d)`. */
export const equalPairsOf = (node: unknown): readonly (readonly [unknown, unknown])[] => {
  const comparison = nodeOf(node, 'A_Expr')
  if (comparison?.kind !== 'AEXPR_OP' || stringOf(listOf(comparison.name)[0]) !== '=') return []
  const left = nodeOf(comparison.lexpr, 'RowExpr')
  const right = nodeOf(comparison.rexpr, 'RowExpr')
  if (left && right) return listOf(left.args).map((arg, i) => [arg, listOf(right.args)[i]] as const)
  return [[comparison.lexpr, comparison.rexpr]]
}
