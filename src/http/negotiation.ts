import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { CachedAnswer } from './cached-answers.ts'

export type Encoding = 'identity' | 'gzip' | 'br'

const compressGzip = promisify(gzip)
const compressBrotli = promisify(brotliCompress)
const minCompressedBytes = 1024

/** The bytes to send for an Accept-Encoding header. Each compressed form is made once, on first use. */
export const encodeAnswer = (answer: CachedAnswer, acceptEncoding: string | undefined) => {
  const encoding = answer.body.byteLength < minCompressedBytes ? 'identity' : chooseEncoding(acceptEncoding)
  if (encoding === 'identity') return { encoding, bytes: answer.body }
  const known = answer[encoding]
  if (known !== undefined) return { encoding, bytes: known }
  const bytes = compress(answer.body, encoding)
  answer[encoding] = bytes
  bytes.then(
    (done) => {
      answer[encoding] = done
    },
    // The next caller tries again.
    () => delete answer[encoding],
  )
  return { encoding, bytes }
}

const compress = async (body: Buffer, encoding: 'gzip' | 'br') =>
  encoding === 'br' ? compressBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }) : compressGzip(body)

export const chooseEncoding = (acceptEncoding: string | undefined): Encoding => {
  if (acceptEncoding === undefined) return 'identity'
  const accepts = (name: string) =>
    acceptEncoding.split(',').some((part) => {
      const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
      return coding === name && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    })
  if (accepts('br')) return 'br'
  return accepts('gzip') ? 'gzip' : 'identity'
}

/** If-None-Match compares weakly: the encoding does not matter. */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string) => {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === opaque)
}
