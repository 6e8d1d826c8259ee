import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, mkdir, open, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '../../core/operator-error.ts'
import { errorCode } from '../../core/thrown.ts'
import { type BackupPart, backupParts, type OnProgress } from './format.ts'
import { readEntries } from './read-archive.ts'
import type { ArchiveWriter } from './write-archive.ts'

/** Folders are always there after a restore, even empty, so that they replace what was there before. */
const folders: readonly BackupPart[] = ['files', 'media']

/** Adds the files of the data folder. Returns how many there were. */
export const addParts = async (archive: ArchiveWriter, dataDir: string, parts: readonly BackupPart[]) => {
  let count = 0
  for (const part of parts) {
    const root = join(dataDir, part)
    for await (const path of walk(root, root)) {
      if (await addFile(archive, dataDir, path)) count++
    }
  }
  return count
}

/** Files in a stable order. Links are followed as far as the service follows them: within their folder. */
async function* walk(path: string, root: string): AsyncGenerator<string> {
  const found = await lstat(path).catch(ignoreMissing)
  if (found === undefined) return
  if (found.isDirectory()) {
    const names = await readdir(path)
    for (const name of names.toSorted()) yield* walk(join(path, name), root)
  } else if (found.isFile()) {
    // An upload that is not complete yet.
    if (!path.endsWith('.part')) yield path
  } else if (found.isSymbolicLink()) {
    const target = await realpath(path).catch(ignoreMissing)
    const isInside = target?.startsWith(`${await realpath(root)}${sep}`)
    if (target !== undefined && isInside && (await stat(target)).isFile()) yield path
  }
}

/** False when the file was removed meanwhile. A picture is removed an hour after the last row that names it, or later. */
const addFile = async (archive: ArchiveWriter, dataDir: string, path: string) => {
  const file = await open(path, 'r').catch(ignoreMissing)
  if (file === undefined) return false
  try {
    const { size, mode } = await file.stat()
    const content = createReadStream('', { fd: file, autoClose: false, highWaterMark: 1024 * 1024 })
    await archive.addStream(path.slice(dataDir.length + 1), size, content, mode & 0o777)
    return true
  } finally {
    await file.close()
  }
}

const ignoreMissing = (error: unknown) => {
  if (errorCode(error) !== 'ENOENT') throw error
  return undefined
}

/** Unpacks the files of a verified backup into a new folder. */
export const unpackParts = async (
  path: string,
  parts: readonly BackupPart[],
  folder: string,
  onProgress: OnProgress,
) => {
  let count = 0
  let bytes = 0
  for (const part of parts)
    if (folders.includes(part)) await mkdir(join(folder, part), { recursive: true, mode: 0o700 })
  for await (const { name, mode, content } of readEntries(path)) {
    const isPart = isPartEntry(name, parts)
    const target = join(folder, name)
    if (isPart) await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    const counted = countBytes(content, (added) => {
      bytes += added
      onProgress(name, bytes)
    })
    if (isPart) {
      await pipeline(Readable.from(counted), createWriteStream(target, { flags: 'wx', mode, flush: true }))
      count++
    } else for await (const _ of counted);
  }
  return count
}

async function* countBytes(content: AsyncIterable<Uint8Array>, onBytes: (added: number) => void) {
  for await (const chunk of content) {
    onBytes(chunk.length)
    yield chunk
  }
}

/** Whoever made the file chose the names, so one that leaves the folder is refused. */
const isPartEntry = (name: string, parts: readonly BackupPart[]) => {
  const [first, ...rest] = name.split('/')
  const part = backupParts.find((each) => each === first)
  if (part === undefined || !parts.includes(part)) return false
  const isSafe = rest.every((step) => !['', '.', '..'].includes(step)) && !/[\0\\]/.test(name)
  if (!isSafe || folders.includes(part) !== rest.length > 0) {
    throw new OperatorError(`The backup has a file with the invalid name ${name}.`)
  }
  return true
}
