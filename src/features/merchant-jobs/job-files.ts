import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import * as sql from './job-files.sql.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

const partBytes = 1024 * 1024

/** Copies a file into the database, in parts, before its job is queued. */
export const storeFile = async (db: Queries, storeId: StoreId, jobId: string, path: string) => {
  let part = 0
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: partBytes })
  for await (const chunk of chunks) await storePart(db, storeId, jobId, part++, chunk)
}

export const storePart = async (db: Queries, storeId: StoreId, jobId: string, part: number, content: Buffer | string) =>
  sql.insertPart(db, storeId, jobId, part, await compress(content))

/** Reads a file part by part. */
export async function* readFile(db: Queries, storeId: StoreId, jobId: string): AsyncGenerator<Buffer> {
  for (let part = 0; ; part++) {
    const found = await sql.findPart(db, storeId, jobId, part)
    if (found === undefined) return
    yield await decompress(found.data)
  }
}

/** Copies a file from the database into a temporary one, which is deleted after the work. */
export const withFile = async <Result>(
  db: Queries,
  storeId: StoreId,
  jobId: string,
  work: (path: string) => Promise<Result>,
): Promise<Result> => {
  const path = join(tmpdir(), `vitrine-job-${randomUUID()}`)
  try {
    await pipeline(readFile(db, storeId, jobId), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    return await work(path)
  } finally {
    await rm(path, { force: true })
  }
}
