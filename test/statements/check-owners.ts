import { toStatement } from '../../src/db/sql.ts'
import { listDeletables } from './deletables.ts'
import { type Exception, locksOfOthers, readsOfOthers, tablesOf, writesOfOthers } from './owners.ts'
import { findTables, type TableUse } from './tables.ts'

export type OwnedStatement = { site: { path: string; line: number }; text: string }

type Kind = keyof TableUse

const exceptions: Record<Kind, readonly Exception[]> = {
  writes: writesOfOthers,
  locks: locksOfOthers,
  reads: readsOfOthers,
}

const ownerOf = new Map(Object.entries(tablesOf).flatMap(([owner, tables]) => tables.map((table) => [table, owner])))

/** Statements that use tables of other features without a listed exception, and exceptions that no statement needs. */
export const checkOwners = (statements: readonly OwnedStatement[]): string[] => {
  const needed = new Set<string>()
  const faults = new Set<string>()
  for (const { site, text } of statements) {
    const feature = /^src\/features\/([^/]+)\//.exec(site.path)?.[1] ?? 'no feature'
    const use = findTables(text)
    for (const kind of kinds) {
      for (const table of use[kind]) {
        const owner = ownerOf.get(table)
        if (owner === undefined || owner === feature) continue
        if (isExcepted(kind, feature, table)) needed.add(`${kind} ${feature} ${table}`)
        else faults.add(`${site.path}:${site.line} ${kind} "${table}", which ${owner} owns. ${advice[kind]}`)
      }
    }
  }
  return [...faults, ...listNeedless(needed)]
}

const kinds = ['writes', 'locks', 'reads'] as const

const advice: Record<Kind, string> = {
  writes: 'Call a use case of the owner.',
  locks: 'Call a use case of the owner.',
  reads: 'Ask the owner, or name the join in test/statements/owners.ts with a reason.',
}

const isExcepted = (kind: Kind, feature: string, table: string) =>
  exceptions[kind].some((exception) => exception.feature === feature && exception.tables.includes(table))

const listNeedless = (needed: ReadonlySet<string>) =>
  kinds.flatMap((kind) =>
    exceptions[kind].flatMap(({ feature, tables }) =>
      tables
        .filter((table) => feature !== 'doctor' && !needed.has(`${kind} ${feature} ${table}`))
        .map((table) => `owners.ts allows that ${feature} ${kind} "${table}", and no statement does`),
    ),
  )

/** The deletions of cleanup jobs, as statements of the features that declare them. `src/db/due-rows.sql.ts` sends them. */
export const listDeletions = async (): Promise<OwnedStatement[]> =>
  (await listDeletables()).map(({ path, deletable: { table } }) => ({
    site: { path, line: 1 },
    text: textOf`delete from ${table}`,
  }))

const textOf = (strings: TemplateStringsArray, ...values: unknown[]) => toStatement(strings, values).text
