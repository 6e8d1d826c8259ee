import { globSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Deletable } from '../../src/db/due-rows.sql.ts'
import { Fragment } from '../../src/db/sql.ts'
import { root } from '../compiler.ts'

export type DeclaredDeletable = { path: string; deletable: Deletable }

/** The rows that cleanup jobs delete, with the file of the feature that declares them. */
export const listDeletables = async (): Promise<DeclaredDeletable[]> => {
  const paths = globSync('src/features/**/*.sql.ts', { cwd: root }).sort()
  const declared = await Promise.all(
    paths.map(async (path) => {
      const module: Record<string, unknown> = await import(pathToFileURL(root + path).href)
      return Object.values(module)
        .filter(isDeletable)
        .map((deletable) => ({ path, deletable }))
    }),
  )
  return declared.flat()
}

const isDeletable = (value: unknown): value is Deletable =>
  typeof value === 'object' && value !== null && 'table' in value && value.table instanceof Fragment
