import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Endpoint } from './endpoint.ts'

/** A ready answer: bytes in up to three encodings, made when first asked for, and the headers that go with them. */
export type CachedAnswer = {
  body: Buffer
  etag: string
  headers: Readonly<Record<string, string>>
  /** The endpoint that it answers; undefined for pages and files. */
  endpoint: Endpoint | undefined
  madeAtMs: number
  gzip?: Buffer | Promise<Buffer>
  br?: Buffer | Promise<Buffer>
}

export type AnswerDetails = Partial<Pick<CachedAnswer, 'headers' | 'endpoint'>>

export const makeCachedAnswer = (text: string, { headers = {}, endpoint }: AnswerDetails = {}): CachedAnswer => ({
  body: Buffer.from(text),
  etag: `W/"${hash('sha256', text, 'base64url').slice(0, 27)}"`,
  headers,
  endpoint,
  madeAtMs: performance.now(),
})

export type AnswerCache = {
  /** `nowMs` is the time of `performance.now()`, for who has it at hand. */
  get(store: number, key: string, nowMs?: number): CachedAnswer | undefined
  /** Reads once for all who ask at the same time. */
  fill(store: number, key: string, make: () => Promise<CachedAnswer>): Promise<CachedAnswer>
  forgetStore(store: number): void
  forgetAll(): void
  stats(): { entries: number; bytes: number; hits: number; misses: number }
}

export type AnswerCacheOptions = { maxBytes: number; maxAgeMs: number }

/** `byKey` holds the same answers as `answers`, which knows whom to give up first: every request looks into it. */
type Shelf = {
  answers: LRUCache<string, CachedAnswer>
  byKey: Map<string, CachedAnswer>
  filling: Map<string, Promise<CachedAnswer>>
}

/**
 * Each store has a shelf of its own. When memory runs short, the fullest shelf gives up what was not asked for longest,
 * so a busy store pushes out its own answers before anybody else's.
 */
export const createAnswerCache = ({ maxBytes, maxAgeMs }: AnswerCacheOptions): AnswerCache => {
  const shelves = new Map<number, Shelf>()
  let bytes = 0
  let hits = 0
  let misses = 0

  const shelfOf = (store: number) => {
    let shelf = shelves.get(store)
    if (shelf === undefined) {
      const byKey = new Map<string, CachedAnswer>()
      shelf = { answers: newShelf(byKey), byKey, filling: new Map() }
      shelves.set(store, shelf)
    }
    return shelf
  }
  const newShelf = (byKey: Map<string, CachedAnswer>) =>
    new LRUCache<string, CachedAnswer>({
      maxSize: maxBytes,
      sizeCalculation: sizeOf,
      dispose: (answer, key) => {
        bytes -= sizeOf(answer, key)
        byKey.delete(key)
      },
    })
  const put = (shelf: Shelf, key: string, answer: CachedAnswer) => {
    const size = sizeOf(answer, key)
    // A shelf refuses what is larger than all the room there is, and then nothing that is pushed out would make any.
    if (size > maxBytes) return void shelf.answers.delete(key)
    bytes += size
    shelf.answers.set(key, answer)
    shelf.byKey.set(key, answer)
    while (bytes > maxBytes) fullest().answers.pop()
  }
  const fullest = () =>
    [...shelves.values()].reduce((a, b) => (b.answers.calculatedSize > a.answers.calculatedSize ? b : a))
  const drop = (store: number) => {
    const shelf = shelves.get(store)
    shelves.delete(store)
    shelf?.answers.clear()
  }

  return {
    get: (store, key, nowMs = performance.now()) => {
      // No note is taken of the use: an answer in use is made anew every second, and that counts as one.
      const answer = shelves.get(store)?.byKey.get(key)
      if (answer !== undefined && nowMs - answer.madeAtMs < maxAgeMs) {
        hits++
        return answer
      }
      return undefined
    },
    fill: (store, key, make) => {
      const shelf = shelfOf(store)
      const under = shelf.filling.get(key)
      if (under !== undefined) return under
      misses++
      const made = make()
        .then((answer) => {
          // What was read before a change and is finished after it belongs to a shelf that is gone.
          if (shelves.get(store) === shelf) put(shelf, key, answer)
          return answer
        })
        .finally(() => shelf.filling.delete(key))
      shelf.filling.set(key, made)
      return made
    },
    forgetStore: drop,
    forgetAll: () => {
      for (const store of [...shelves.keys()]) drop(store)
    },
    stats: () => {
      let entries = 0
      for (const { answers } of shelves.values()) entries += answers.size
      return { entries, bytes, hits, misses }
    },
  }
}

/** With room for the two compressed forms, all three once more as text, and the bookkeeping. */
const sizeOf = (answer: CachedAnswer, key: string) => answer.body.byteLength * 3 + key.length + 400
