import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Scope } from './endpoint.ts'

/** A ready answer: bytes in up to three encodings, made when first asked for, and the headers that go with them. */
export type CachedAnswer = {
  body: Buffer
  etag: string
  headers: Record<string, string>
  /** The endpoint that it answers, and the scope that one needs there. */
  route: string
  scope: Scope | undefined
  gzip?: Buffer | Promise<Buffer>
  br?: Buffer | Promise<Buffer>
}

export type Encoding = 'identity' | 'gzip' | 'br'

export type AnswerCache = {
  get(store: number, key: string): CachedAnswer | undefined
  /** The same for the fast lane, where a miss is counted by the long way that follows. */
  peek(store: number, key: string): CachedAnswer | undefined
  fill(store: number, key: string, make: () => Promise<CachedAnswer>): Promise<CachedAnswer>
  forgetStore(store: number): void
  forgetAll(): void
  stats(): { entries: number; bytes: number; hits: number; misses: number }
}

export type AnswerCacheOptions = { maxBytes: number; maxAgeMs: number }

/**
 * Keys are addresses as they were sent, below the number of the store. A store's entries are dropped by raising its
 * generation, which is part of the key, so forgetting costs the same however many there are.
 */
export const createAnswerCache = ({ maxBytes, maxAgeMs }: AnswerCacheOptions): AnswerCache => {
  const answers = new LRUCache<string, CachedAnswer>({
    maxSize: maxBytes,
    // Room for the two compressed forms and the bookkeeping.
    sizeCalculation: (answer, key) => Math.ceil(answer.body.byteLength * 1.5) + key.length + 300,
    ttl: maxAgeMs,
  })
  const generations = new Map<number, number>()
  const filling = new Map<string, Promise<CachedAnswer>>()
  let epoch = 0
  let hits = 0
  let misses = 0
  const fullKey = (store: number, key: string) => `${epoch}.${store}.${generations.get(store) ?? 0}${key}`

  return {
    get: (store, key) => {
      const answer = answers.get(fullKey(store, key))
      if (answer === undefined) misses++
      else hits++
      return answer
    },
    peek: (store, key) => {
      const answer = answers.get(fullKey(store, key))
      if (answer !== undefined) hits++
      return answer
    },
    fill: (store, key, make) => {
      // What is read before a change and finished after it lands under the old generation, where nobody looks.
      const full = fullKey(store, key)
      let under = filling.get(full)
      if (under === undefined) {
        under = make()
          .then((answer) => {
            answers.set(full, answer)
            return answer
          })
          .finally(() => filling.delete(full))
        filling.set(full, under)
      }
      return under
    },
    forgetStore: (store) => generations.set(store, (generations.get(store) ?? 0) + 1),
    forgetAll: () => {
      epoch++
      generations.clear()
      answers.clear()
    },
    stats: () => ({ entries: answers.size, bytes: answers.calculatedSize, hits, misses }),
  }
}

export type AnswerDetails = Partial<Pick<CachedAnswer, 'headers' | 'route'>> & { scope?: Scope | undefined }

export const makeCachedAnswer = (
  text: string,
  { headers = {}, route = '', scope }: AnswerDetails = {},
): CachedAnswer => ({
  body: Buffer.from(text),
  etag: `W/"${hash('sha256', text, 'base64url').slice(0, 27)}"`,
  headers,
  route,
  scope,
})

const compressGzip = promisify(gzip)
const compressBrotli = promisify(brotliCompress)
const worthCompressing = 1024

/** The bytes to send for an Accept-Encoding. A compressed form is made once, for the first who asks. */
export const encodeAnswer = (answer: CachedAnswer, acceptEncoding: string | undefined) => {
  const encoding = answer.body.byteLength < worthCompressing ? 'identity' : chooseEncoding(acceptEncoding)
  if (encoding === 'identity') return { encoding, bytes: answer.body }
  answer[encoding] ??= compress(answer, encoding)
  return { encoding, bytes: answer[encoding] }
}

const compress = async (answer: CachedAnswer, encoding: 'gzip' | 'br') => {
  const bytes =
    encoding === 'br'
      ? await compressBrotli(answer.body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
      : await compressGzip(answer.body)
  answer[encoding] = bytes
  return bytes
}

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
