import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { createTarPacker } from 'modern-tar'
import { OperatorError } from '../../core/operator-error.ts'
import { type BackupHead, type BackupIndex, headName, indexName, type OnProgress } from './format.ts'

export type ArchiveWriter = {
  add(name: string, content: Uint8Array): Promise<void>
  addStream(name: string, size: number, content: AsyncIterable<Uint8Array>, mode?: number): Promise<void>
  bytes(): number
}

export type WriteArchiveOptions = {
  path: string
  head: BackupHead
  /** Adds the content and returns the number of rows of each table. */
  fill: (archive: ArchiveWriter) => Promise<Record<string, number>>
  onProgress: OnProgress
}

/** Writes a new file that only its owner can read, and that is on the disk when this returns. */
export const writeArchive = async ({ path, head, fill, onProgress }: WriteArchiveOptions): Promise<BackupIndex> => {
  const { readable, controller } = createTarPacker()
  // Fast rather than small: a backup runs beside the service.
  const written = pipeline(
    Readable.fromWeb(readable),
    createGzip({ level: 1, chunkSize: 256 * 1024 }),
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
  )
  // A failed write stops the packer, which fails the next entry. Awaited below.
  written.catch(() => {})
  const entries: BackupIndex['entries'] = []
  let bytes = 0
  const addStream: ArchiveWriter['addStream'] = async (name, size, content, mode = 0o600) => {
    const digest = createHash('sha256')
    const writer = controller.add({ name, size, mode, mtime: new Date(head.madeAt) }).getWriter()
    let left = size
    for await (const chunk of content) {
      left -= chunk.length
      if (left < 0) break
      digest.update(chunk)
      await writer.write(chunk)
      bytes += chunk.length
      onProgress(name, bytes)
    }
    if (left !== 0) throw new OperatorError(`${name} was changed while it was read: run the backup again.`)
    await writer.close()
    entries.push({ name, size, sha256: digest.digest('hex') })
  }
  const add = (name: string, content: Uint8Array) => addStream(name, content.length, oneChunk(content))
  try {
    await add(headName, toBytes(head))
    const rows = await fill({ add, addStream, bytes: () => bytes })
    const index: BackupIndex = { entries: [...entries], rows }
    await add(indexName, toBytes(index))
    controller.finalize()
    await written
    return index
  } catch (error) {
    controller.error(error)
    // The cause may be the file rather than what was put into it.
    await written
    throw error
  }
}

const toBytes = (value: object) => Buffer.from(JSON.stringify(value))

async function* oneChunk(content: Uint8Array) {
  yield content
}
