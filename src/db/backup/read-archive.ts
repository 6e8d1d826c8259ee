import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { createTarDecoder } from 'modern-tar'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { OperatorError } from '../../core/operator-error.ts'
import { errorCode, errorMessage } from '../../core/thrown.ts'
import { BackupHead, BackupIndex, backupFormat, headName, indexName, type OnProgress } from './format.ts'

export type ArchiveEntry = { name: string; size: number; mode: number; content: AsyncIterable<Uint8Array> }

/** The entries in order. Each must be read to its end before the next one. */
export async function* readEntries(path: string): AsyncGenerator<ArchiveEntry> {
  const file = createReadStream(path, { highWaterMark: 1024 * 1024 })
  const unzipped = file.pipe(createGunzip({ chunkSize: 256 * 1024 }))
  file.on('error', (error) => unzipped.destroy(error))
  // The web stream would replace it by an error without a message.
  let cause: unknown
  unzipped.on('error', (error) => {
    cause = error
  })
  const decoder = createTarDecoder({ strict: true })
  const fed = Readable.toWeb(unzipped).pipeTo(decoder.writable)
  fed.catch(() => {})
  try {
    for await (const { header, body } of decoder.readable) {
      if (header.type !== undefined && header.type !== 'file') throw new Error(`${header.name} is not a file`)
      yield { name: header.name, size: header.size, mode: header.mode ?? 0o600, content: body }
    }
    await fed
  } catch (error) {
    throw cause ?? error
  } finally {
    file.destroy()
    unzipped.destroy()
    await fed.catch(() => {})
  }
}

export type VerifiedBackup = { path: string; head: BackupHead; index: BackupIndex; bytes: number }

/** Reads the whole file and compares every checksum, so that a damaged one is refused before anything is changed. */
export const verifyArchive = async (path: string, onProgress: OnProgress): Promise<VerifiedBackup> => {
  const seen: BackupIndex['entries'] = []
  let head: BackupHead | undefined
  let index: BackupIndex | undefined
  let bytes = 0
  try {
    for await (const { name, size, content } of readEntries(path)) {
      const isKept = name === headName || name === indexName
      if (head === undefined && name !== headName) throw notABackup(path)
      if (index !== undefined) throw new Error(`${name} comes after the index`)
      const digest = createHash('sha256')
      const kept: Uint8Array[] = []
      for await (const chunk of content) {
        digest.update(chunk)
        if (isKept) kept.push(chunk)
        bytes += chunk.length
        onProgress(name, bytes)
      }
      if (name === indexName) index = parse(BackupIndex, kept)
      else seen.push({ name, size, sha256: digest.digest('hex') })
      if (name === headName) head = parseHead(path, kept)
    }
    if (head === undefined) throw notABackup(path)
    if (index === undefined) throw new Error('its end is missing')
    compare(seen, index)
    return { path, head, index, bytes }
  } catch (error) {
    throw explain(path, error)
  }
}

const parseHead = (path: string, chunks: Uint8Array[]) => {
  const fields: unknown = JSON.parse(Buffer.concat(chunks).toString())
  if (typeof fields !== 'object' || fields === null || !('format' in fields)) throw notABackup(path)
  if (fields.format !== backupFormat) {
    throw new OperatorError(
      `${path} has the backup format ${String(fields.format).slice(0, 20)}, and this version reads ${backupFormat}: use the version that made it, or a later one.`,
    )
  }
  return parse(BackupHead, chunks)
}

const parse = <Schema extends TSchema>(schema: Schema, chunks: Uint8Array[]): Static<Schema> => {
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString())
  if (!Value.Check(schema, value)) throw new Error('its description has the wrong form')
  return value
}

const compare = (seen: BackupIndex['entries'], { entries }: BackupIndex) => {
  if (seen.length !== entries.length) throw new Error(`it has ${seen.length} entries instead of ${entries.length}`)
  for (const [i, { name, size, sha256 }] of entries.entries()) {
    const found = seen[i]
    if (found?.name !== name || found.size !== size || found.sha256 !== sha256) {
      throw new Error(`the checksum of ${name} is wrong`)
    }
  }
}

const notABackup = (path: string) => new OperatorError(`${path} is not a backup of Vitrine.`)

const explain = (path: string, error: unknown) => {
  if (error instanceof OperatorError) return error
  const code = errorCode(error)
  if (code === 'ENOENT') return new OperatorError(`There is no file ${path}.`, { cause: error })
  if (code === 'EISDIR') return new OperatorError(`${path} is a folder.`, { cause: error })
  if (code === 'EACCES') return new OperatorError(`${path} cannot be read: permission denied.`, { cause: error })
  // Not compressed at all, unlike a file whose later part is damaged.
  if (errorMessage(error) === 'incorrect header check') return notABackup(path)
  return new OperatorError(`${path} is damaged or incomplete: ${errorMessage(error)}.`, { cause: error })
}
