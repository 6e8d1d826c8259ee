import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import multipart, { type MultipartFile } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Failure, fail } from '../core/errors.ts'
import { errorCode, isSystemError } from '../core/thrown.ts'
import { inspectText, inspectValue } from './body.ts'
import { allowSlowBody } from './body-timeout.ts'
import type { UploadedFile } from './endpoint.ts'

export type Upload = { fields: Record<string, unknown>; file: UploadedFile }

const maxFields = 30
const maxFieldBytes = 64 * 1024
/** What the fields and the headers of the parts may add to the file. */
const maxFormBytes = 256 * 1024

/** Counts uploads under way. Each needs a file of the system for as long as its client takes to send it. */
export const createUploadSlots = (max: number) => {
  const perStore = Math.ceil(max / 2)
  const underWay = new Map<number, number>()
  let sum = 0
  return {
    /** Takes a slot until the work has ended, or refuses. A store has at most half of them. */
    hold: async <Result>(storeId: number, work: () => Promise<Result>): Promise<Result> => {
      const ofStore = underWay.get(storeId) ?? 0
      if (sum >= max || ofStore >= perStore) throw tooManyUploads()
      sum += 1
      underWay.set(storeId, ofStore + 1)
      try {
        return await work()
      } finally {
        sum -= 1
        const left = (underWay.get(storeId) ?? 1) - 1
        if (left === 0) underWay.delete(storeId)
        else underWay.set(storeId, left)
      }
    },
  }
}

export type UploadSlots = ReturnType<typeof createUploadSlots>

/** Closes the connection, because the file is still on its way. */
const tooManyUploads = () =>
  fail('SERVICE_UNAVAILABLE', 'Too many files are being uploaded. Try again shortly.', {
    headers: { 'retry-after': '5', connection: 'close' },
  })

/** Accepts `multipart/form-data` and nothing else. The body stays unread until `withUpload`. */
export const acceptUploads = async (server: FastifyInstance) => {
  server.removeAllContentTypeParsers()
  await server.register(multipart, { throwFileSizeLimit: false })
}

/**
 * Reads a form into a temporary file, in the folder for such files of the system, and deletes it when the work has ended
 * or the form is refused.
 */
export const withUpload = async <Result>(
  request: FastifyRequest,
  maxFileBytes: number,
  work: (upload: Upload) => Promise<Result>,
): Promise<Result> => {
  if (!request.isMultipart()) throw fail('BAD_REQUEST', 'Send a file as multipart/form-data.')
  if (Number(request.headers['content-length'] ?? 0) > maxFileBytes + maxFormBytes) throw tooLarge(maxFileBytes)
  allowSlowBody(request.raw)
  const path = join(tmpdir(), `vitrine-upload-${randomUUID()}`)
  try {
    return await work(await readForm(request, path, maxFileBytes).catch(explainFormError))
  } finally {
    await rm(path, { force: true })
  }
}

const readForm = async (request: FastifyRequest, path: string, maxFileBytes: number): Promise<Upload> => {
  const fields: Record<string, unknown> = {}
  let file: UploadedFile | undefined
  const limits = { fileSize: maxFileBytes, files: 1, fields: maxFields, fieldSize: maxFieldBytes, headerPairs: 20 }
  for await (const part of request.parts({ limits })) {
    if (part.type === 'file') {
      if (part.fieldname !== 'file') throw fail('BAD_REQUEST', 'Send the file in the field "file".')
      file = await saveFile(part, path, maxFileBytes)
    } else {
      if (Object.hasOwn(fields, part.fieldname)) throw fail('BAD_REQUEST', 'The form has a field twice.')
      if (part.valueTruncated) throw fail('BAD_REQUEST', 'A field of the form is too long.')
      fields[part.fieldname] = part.value
    }
  }
  inspectValue(fields)
  if (file === undefined) throw fail('BAD_REQUEST', 'The form needs a file in the field "file".')
  return { fields, file }
}

const saveFile = async (part: MultipartFile, path: string, maxFileBytes: number): Promise<UploadedFile> => {
  // The type says that there is always a name, but a file may come with its content type only.
  const { filename: name = '' }: { filename?: string } = part
  inspectText(name)
  const limit = new AbortController()
  part.file.on('limit', () => limit.abort(tooLarge(maxFileBytes)))
  try {
    await pipeline(part.file, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal: limit.signal })
  } finally {
    limit.signal.throwIfAborted()
  }
  return { path, bytes: part.file.bytesRead, name }
}

/** Closes the connection, because the rest of the file is still on its way. */
const tooLarge = (maxFileBytes: number) =>
  fail('PAYLOAD_TOO_LARGE', `The file is larger than ${describeBytes(maxFileBytes)}.`, {
    headers: { connection: 'close' },
  })

const describeBytes = (bytes: number) => {
  const mebibytes = bytes / 1024 / 1024
  return Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${bytes} bytes`
}

const limitErrors: Record<string, string> = {
  FST_FILES_LIMIT: 'The form has more than one file.',
  FST_FIELDS_LIMIT: `The form has more than ${maxFields} fields.`,
}

/** The parser reports a malformed form with errors of many kinds. Those of the file system are ours. */
const explainFormError = (error: unknown): never => {
  const code = errorCode(error) ?? ''
  if (error instanceof Failure || (isSystemError(error) && code !== 'ECONNRESET')) throw error
  throw fail('BAD_REQUEST', limitErrors[code] ?? 'The body is not a complete and valid form.', { cause: error })
}
