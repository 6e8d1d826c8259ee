import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OutletRef } from '../catalog.sql.ts'

/** Where an instance keeps its index files. They can be deleted at any time. */
export const indexFolderIn = (dataDir: string) => join(dataDir, 'search')

export const indexFileOf = (folder: string, { storeId, outletId }: OutletRef) =>
  join(folder, `${storeId}-${outletId}.sqlite`)

/** A file that says when an index was last asked for, for the process that keeps it. */
const askedOf = (folder: string, { storeId, outletId }: OutletRef) => join(folder, `${storeId}-${outletId}.asked`)

export const noteAsked = (folder: string, outlet: OutletRef) => {
  const file = askedOf(folder, outlet)
  const now = new Date()
  try {
    utimesSync(file, now, now)
  } catch {
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, '')
  }
}

export type AskedIndex = { outlet: OutletRef; askedAtMs: number }

/** What was asked for, the latest first. */
export const listAsked = (folder: string): AskedIndex[] => {
  if (!existsSync(folder)) return []
  const asked = readdirSync(folder).flatMap((name): AskedIndex[] => {
    const [, storeId, outletId] = /^(\d+)-(\d+)\.asked$/.exec(name) ?? []
    if (storeId === undefined) return []
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    const outlet = { storeId: Number(storeId), outletId: Number(outletId) }
    return found === undefined ? [] : [{ outlet, askedAtMs: found.mtimeMs }]
  })
  return asked.sort((one, other) => other.askedAtMs - one.askedAtMs)
}

/** SQLite keeps what was written last in two more files. */
export const removeIndexFile = (path: string) => {
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
}

/** While it is made. */
export const newFileOf = (path: string) => `${path}.new`

export const forgetIndex = (folder: string, outlet: OutletRef) => {
  const path = indexFileOf(folder, outlet)
  for (const file of [path, newFileOf(path)]) removeIndexFile(file)
  rmSync(askedOf(folder, outlet), { force: true })
}

/** The same clock in all processes of a machine, which nothing sets back until the machine starts again. */
export const machineTimeMs = () => Number(process.hrtime.bigint() / 1_000n) / 1_000

/** The file cannot be read by SQLite, or contradicts itself, so it must be made anew. */
export const isBroken = (error: unknown) =>
  error instanceof Error && 'errcode' in error && brokenCodes.has(Number(error.errcode) & 0xff)

/** SQLITE_CORRUPT, SQLITE_CONSTRAINT, SQLITE_FORMAT and SQLITE_NOTADB. */
const brokenCodes = new Set([11, 19, 24, 26])

/** Another process uses the file, or has just begun to make it, or must make it anew in the format of this version. */
export const isInUse = (error: unknown) =>
  error instanceof Error &&
  (('errcode' in error && error.errcode === 5) || /^no such (table|column)/.test(error.message))
