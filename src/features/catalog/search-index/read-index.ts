import { DatabaseSync } from 'node:sqlite'
import type { IndexBlock, IndexReader, IndexSlots } from '../../context.ts'
import { bytesIn, chunkOf, noProduct, readFacts, unpackChunk } from './index-file.ts'
import { slotsInBlock, unite, unpackSlots } from './slots.ts'

export type OpenIndex = IndexReader & {
  /** When all changes were in it, by `machineTimeMs`. 0 if it is not complete. Forgets what has changed since. */
  confirmedAtMs(): number
  close(): void
}

/** Each chunk has 12 kB: 36 MB, enough for 1,500,000 products. */
const maxChunks = 3_000
const maxListBytes = 12_000_000

/** Reads an index file. Reading waits for nothing: what is being written is not seen. */
export const openIndexReader = (path: string): OpenIndex => {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 0 })
  // In KiB. The file is not mapped into memory: if it became shorter, the process would end.
  database.exec('pragma cache_size = -8000')
  const prepare = (text: string) => {
    const statement = database.prepare(text)
    // Columns then have numbers in place of names.
    statement.setReturnArrays(true)
    return statement
  }
  const state = prepare('select ready, confirmed_at, changes from state')
  const findBlocks = prepare('select number, sorted from block order by number desc')
  const changedChunks = prepare('select number from chunk where change > ?')
  const findChunk = prepare('select data from chunk where number = ?')
  const findLists = prepare(`select block, count, slots from posting
    where term = (select number from term where word = ?) and block between ? and ?`)
  const begun = prepare('select word from term where word >= ? and word < ? || char(1114111) limit ?')
  const named = prepare('select place from product where name = ? order by seq desc limit ?')
  const categories = prepare('select number, id from category')

  let changes = 0
  let blocks: IndexBlock[] | undefined
  let lists = new Map<string, Lists>()
  let unions = new Map<string, Map<number, IndexSlots | undefined>>()
  let beginnings = new Map<string, readonly string[]>()
  let places = new Map<string, readonly Named[]>()
  let listBytes = 0
  let chunks: (Float64Array | undefined)[] = []
  let chunkCount = 0
  let idOf = new Map<number, string>()
  let numberOf = new Map<string, number>()

  const forgetChanged = (now: number) => {
    blocks = undefined
    forgetLists()
    for (const row of changedChunks.all(changes)) {
      const number = Number(row[0])
      if (chunks[number] !== undefined) chunkCount--
      chunks[number] = undefined
    }
    changes = now
  }
  const forgetLists = () => {
    lists = new Map()
    unions = new Map()
    beginnings = new Map()
    places = new Map()
    listBytes = 0
  }
  const readCategories = () => {
    const rows = categories.all().map((row) => [Number(row[0]), String(row[1])] as const)
    idOf = new Map(rows)
    numberOf = new Map(rows.map(([number, id]) => [id, number]))
  }
  const readChunk = (number: number) => {
    const row = findChunk.get(number)
    if (row === undefined) return undefined
    if (chunkCount >= maxChunks) {
      chunks = []
      chunkCount = 0
    }
    const chunk = unpackChunk(bytesIn(row[0]))
    chunks[number] = chunk
    chunkCount++
    return chunk
  }
  const noteList = (bytes: number) => {
    if (listBytes > maxListBytes) forgetLists()
    listBytes += bytesOfLists + bytes
  }
  const listsOf = (term: string) => {
    const known = lists.get(term)
    if (known !== undefined) return known
    noteList(0)
    const made: Lists = { byBlock: [], readFrom: Number.POSITIVE_INFINITY }
    lists.set(term, made)
    return made
  }
  const slotsOf = (term: string, { number }: IndexBlock) => {
    const known = listsOf(term)
    if (number < known.readFrom) {
      // Most searches need the newest products only, the others all of them.
      const from = known.readFrom === Number.POSITIVE_INFINITY ? Math.max(0, number - 1) : 0
      const last = Math.min(known.readFrom - 1, maxBlock)
      for (const row of findLists.all(term, from, last)) {
        const data = bytesIn(row[2])
        known.byBlock[Number(row[0])] = unpackSlots({ count: Number(row[1]), data })
        listBytes += data.length + bytesOfList
      }
      known.readFrom = from
    }
    return known.byBlock[number]
  }
  const anyOf = (terms: readonly string[]) => {
    const name = terms.join(' ')
    const union = unions.get(name) ?? new Map<number, IndexSlots | undefined>()
    if (!unions.has(name)) {
      noteList(name.length)
      unions.set(name, union)
    }
    return (block: IndexBlock) => {
      if (!union.has(block.number)) {
        const slots = unite(terms.flatMap((term) => slotsOf(term, block) ?? []))
        union.set(block.number, slots)
        listBytes += bytesOfList + (slots?.byteLength ?? 0)
      }
      return union.get(block.number)
    }
  }
  return {
    confirmedAtMs: () => {
      const row = state.get()
      const now = Number(row?.[2])
      if (now !== changes) forgetChanged(now)
      return Number(row?.[0]) === 1 ? Number(row?.[1]) : 0
    },
    blocks: () => {
      blocks ??= findBlocks.all().map((row) => ({ number: Number(row[0]), isSorted: row[1] === 1 }))
      return blocks
    },
    slotsOf,
    anyOf,
    listBegun: (beginning, limit) => {
      const name = `${limit} ${beginning}`
      let words = beginnings.get(name)
      if (words === undefined) {
        words = begun.all(beginning, beginning, limit).map((row) => String(row[0]))
        noteList(words.length * bytesOfList)
        beginnings.set(name, words)
      }
      return words
    },
    productAt: ({ number }, slot) => {
      const place = number * slotsInBlock + slot
      const chunk = chunks[chunkOf(place)] ?? readChunk(chunkOf(place))
      const facts = chunk && readFacts(chunk, slot)
      return facts?.seq === noProduct ? undefined : facts
    },
    listNamed: (name, limit) => {
      const key = `${limit} ${name}`
      let found = places.get(key)
      if (found === undefined) {
        found = named.all(name, limit).map((row) => placeIn(Number(row[0])))
        noteList(found.length * bytesOfList)
        places.set(key, found)
      }
      return found
    },
    categoryId: (number) => {
      if (number !== 0 && !idOf.has(number)) readCategories()
      return idOf.get(number) ?? null
    },
    categoryNumbers: (ids) => {
      if (ids.some((id) => !numberOf.has(id))) readCategories()
      return ids.flatMap((id) => numberOf.get(id) ?? [])
    },
    close: () => {
      if (database.isOpen) database.close()
    },
  }
}

type Named = { block: IndexBlock; slot: number }

const placeIn = (place: number): Named => ({
  block: { number: Math.floor(place / slotsInBlock), isSorted: true },
  slot: place % slotsInBlock,
})

/** The lists of a term, by the number of the block. Those from `readFrom` on were read. */
type Lists = { byBlock: (IndexSlots | undefined)[]; readFrom: number }

const maxBlock = Number.MAX_SAFE_INTEGER

/** What an object takes in memory beside its data. */
const [bytesOfLists, bytesOfList] = [300, 200]
