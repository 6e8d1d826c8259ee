import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { CachedAnswer } from './cached-answers.ts'

export type Encoding = 'identity' | 'gzip' | 'br'

const compressGzip = promisify(gzip)
const compressBrotli = promisify(brotliCompress)
const minCompressedBytes = 1024

/** The bytes to send for an Accept-Encoding header. */
export const encodeAnswer = (answer: CachedAnswer, acceptEncoding: string | undefined) => {
  const encoding = encodingFor(answer, acceptEncoding)
  return { encoding, bytes: encoding === 'identity' ? Buffer.from(answer.text) : compressAnswer(answer, encoding) }
}

/** Each compressed form is made once, on first use. */
export const compressAnswer = (answer: CachedAnswer, encoding: 'gzip' | 'br') => {
  const known = answer[encoding]
  if (known !== undefined) return known
  const bytes = compress(answer, encoding)
  answer[encoding] = bytes
  bytes.then(
    (done) => {
      answer[encoding] = done
    },
    // The next caller tries again.
    () => delete answer[encoding],
  )
  return bytes
}

export const encodingFor = ({ byteLength }: CachedAnswer, acceptEncoding: string | undefined): Encoding =>
  byteLength < minCompressedBytes ? 'identity' : chooseEncoding(acceptEncoding)

const compress = async ({ text }: CachedAnswer, encoding: 'gzip' | 'br') =>
  encoding === 'br' ? compressBrotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }) : compressGzip(text)

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
