import { type Level, levelsOf } from './levels.ts'
import { isFields, listOf, nodeOf } from './tree.ts'

type Text = { text: string }

/**
 * What goes wrong in an `insert … select` of a distributed database that reads the rows first and then sends them to the
 * server of the store. Without `returning`, the rows are copied, and it cannot be told which key an error is about; or, with
 * `on conflict`, the rows that were read are counted, and not those that were written.
 */
export const findRefusedInserts = ({ text }: Text): string[] =>
  levelsOf(text).flatMap(({ kind, fields, source, items, isNamed }) => {
    if (kind !== 'insert' || source === undefined || listOf(source.valuesLists).length > 0) return []
    const { onConflictClause: conflict, returningClause, returningList } = fields
    const answer = returningClause ?? returningList
    return [
      ...(answer === undefined && (conflict === undefined || maySkip(conflict))
        ? [`inserts into "${items[0]?.table}" without returning. Add: returning 1`]
        : []),
      // Of a named part, the values are known before.
      ...(!isNamed && hasParameter([conflict, answer])
        ? ['has a parameter in on conflict or returning of insert … select. Write literalNumber(…)']
        : []),
    ]
  })

/** `do nothing`, or `do update` with a condition. */
const maySkip = (conflict: unknown) =>
  isFields(conflict) && (conflict.action === 'ONCONFLICT_NOTHING' || conflict.whereClause !== undefined)

const hasParameter = (node: unknown): boolean =>
  isFields(node) && (nodeOf(node, 'ParamRef') !== undefined || Object.values(node).some(hasParameter))

/** A row of `child` refers to one of `parent`. */
export type Reference = { child: string; parent: string }

/**
 * The parts of a statement that inserts run one after another in a distributed database, in the order of the text, and
 * each checks its foreign keys. PostgreSQL alone checks them at the end of the statement.
 */
export const findChildrenFirst = ({ text }: Text, references: readonly Reference[]): string[] => {
  const writes = levelsOf(text).filter(({ kind }) => kind !== 'select')
  if (!writes.some(({ kind }) => kind === 'insert')) return []
  return writes.flatMap((first, i) =>
    writes.slice(i + 1).flatMap((second) => {
      const isWrong = references.some(({ child, parent }) => isBefore(first, second, child, parent))
      return isWrong ? [`writes "${tableOf(first)}" before "${tableOf(second)}", against their foreign key`] : []
    }),
  )
}

const isBefore = (first: Level, second: Level, child: string, parent: string) =>
  (isWrite(first, 'insert', child) && isWrite(second, 'insert', parent)) ||
  (isWrite(first, 'delete', parent) && isWrite(second, 'delete', child))

const isWrite = (level: Level, kind: Level['kind'], table: string) => level.kind === kind && tableOf(level) === table

const tableOf = ({ items }: Level) => items[0]?.table

/**
 * Reads of a table after a part that writes it. They find the rows of before on one server, and those of afterwards where
 * the parts run one after another. A part that comes before the write reads the same on both.
 */
export const findReadsOfWritten = ({ text }: Text): string[] => {
  const levels = levelsOf(text)
  return levels.flatMap((write, i) =>
    write.kind === 'select'
      ? []
      : levels
          .slice(i + 1)
          .filter((level) => !isInside(level, write) && readsOf(level).includes(tableOf(write)))
          .map(() => `reads "${tableOf(write)}" after writing it. Read it in a part before`),
  )
}

const readsOf = ({ kind, items }: Level) => items.slice(kind === 'select' ? 0 : 1).map(({ table }) => table)

const isInside = ({ outer }: Level, level: Level): boolean =>
  outer !== undefined && (outer === level || isInside(outer, level))
