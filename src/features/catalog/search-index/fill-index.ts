import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { newFileOf, removeIndexFile } from './files.ts'
import {
  begunTermsOf,
  bytesOfChunk,
  categoryTerm,
  chunksInBlock,
  createTables,
  markedWordsOf,
  newChunk,
  shortHash,
  slotsInChunk,
  writeFacts,
} from './index-file.ts'
import type { Listed } from './listed.sql.ts'
import { packNumbers, packSlots, slotsInBlock } from './slots.ts'

/** A full block has room for so many products that get a number between two others later. */
const spareSlots = 8_192
const filledSlots = slotsInBlock - spareSlots

export type IndexFile = ReturnType<typeof fillIndexFile>

/** Makes a file from nothing. It is put in its place when it is complete, so nothing needs to survive a crash. */
export const fillIndexFile = (path: string, identity: string) => {
  const newPath = newFileOf(path)
  removeIndexFile(newPath)
  const database = new DatabaseSync(newPath)
  // In KiB. Lists of one term are beside each other, but written block by block.
  database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -64000')
  database.exec('begin')
  createTables(database, identity)
  const addTerm = database.prepare('insert into term values (?, ?)')
  const addCategory = database.prepare('insert into category values (?, ?)')
  const addPosting = database.prepare('insert into posting values (?, ?, ?, ?)')
  const addBlock = database.prepare('insert into block values (?, ?, ?, 1)')
  const addChunk = database.prepare('insert into chunk values (?, 0, ?)')
  const addProduct = database.prepare('insert into product values (?, ?, ?, ?, ?)')

  const findTerm = database.prepare('select number from term where word = ?')
  const terms = numberTerms({
    add: (number, word) => addTerm.run(number, word),
    find: (word) => {
      const found = findTerm.get(word)?.number
      return found === undefined ? undefined : Number(found)
    },
  })
  const categories = new Map<string, number>()
  const numberOf = (id: string | null) => {
    if (id === null) return 0
    const known = categories.get(id)
    if (known !== undefined) return known
    addCategory.run(categories.size + 1, id)
    categories.set(id, categories.size + 1)
    return categories.size
  }
  let number = 0
  let block = newBlock()

  const writeBlock = () => {
    if (block.used === 0) return
    addBlock.run(number, block.first, block.used)
    for (const { term, slots } of listPostings(block)) {
      const { count, data } = packSlots(slots)
      addPosting.run(term, number, count, data)
    }
    for (let i = 0; i * slotsInChunk < block.used; i++) {
      const chunk = block.chunks[i]
      if (chunk !== undefined) addChunk.run(number * chunksInBlock + i, bytesOfChunk(chunk))
    }
    number++
    block = newBlock()
  }
  return {
    /** In ascending order of their numbers. */
    add: (rows: readonly Listed[]) => {
      for (const { seq, version, priceMinor, inStock, categoryId, nameKey, entries } of rows) {
        const slot = block.used++
        if (slot === 0) block.first = seq
        const category = numberOf(categoryId)
        const words = markedWordsOf(entries).map(terms.find)
        for (const { term, begun } of words) {
          noteTerm(block, term, slot)
          for (const beginning of begun) noteTerm(block, beginning, slot)
        }
        if (category > 0) noteTerm(block, terms.find(categoryTerm(category)).term, slot)
        const part = Math.floor(slot / slotsInChunk)
        const chunk = block.chunks[part] ?? newChunk()
        block.chunks[part] = chunk
        writeFacts(chunk, slot, { seq, priceMinor, isInStock: inStock, category })
        const numbers = packNumbers(words.map(({ term }) => term).sort((one, other) => one - other))
        addProduct.run(seq, version, number * slotsInBlock + slot, shortHash(nameKey), numbers)
        if (block.used === filledSlots) writeBlock()
      }
    },
    finish: () => {
      writeBlock()
      database.exec('commit')
      database.close()
      flush(newPath)
      removeIndexFile(path)
      renameSync(newPath, path)
    },
    abandon: () => {
      if (database.isOpen) database.close()
      removeIndexFile(newPath)
    },
  }
}

/** After a power failure, pages that were not written would be read as empty lists. */
const flush = (path: string) => {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** `begun`: the terms of its beginnings. */
type Numbered = { term: number; begun: readonly number[] }

/** So many words are kept in memory. A store may have more, such as a number for each product. */
const maxKnown = 100_000

type Terms = { add(number: number, word: string): void; find(word: string): number | undefined }

const numberTerms = ({ add, find }: Terms) => {
  const known = new Map<string, Numbered>()
  let count = 0
  let isForgetful = false
  const number = (word: string) => {
    const found = isForgetful ? find(word) : undefined
    if (found !== undefined) return found
    add(++count, word)
    return count
  }
  const keep = (word: string, numbered: Numbered) => {
    if (known.size >= maxKnown) {
      isForgetful = true
      known.clear()
    }
    known.set(word, numbered)
    return numbered
  }
  const findBeginning = (word: string) => (known.get(word) ?? keep(word, { term: number(word), begun: [] })).term
  return {
    find: (word: string): Numbered => {
      const found = known.get(word)
      if (found !== undefined) return found
      const isWord = word.startsWith('~') || word.startsWith('^')
      return keep(word, { term: number(word), begun: isWord ? begunTermsOf(word).map(findBeginning) : [] })
    },
  }
}

/** `terms`, `slots`: of each posting, in order of the slots. `last`: the slot that each term was noted for last. */
type Block = {
  first: number
  used: number
  chunks: Float64Array[]
  terms: Uint32Array
  slots: Uint16Array
  noted: number
  last: Int32Array
  counts: Uint32Array
}

const newBlock = (): Block => ({
  ...{ first: 0, used: 0, chunks: [], noted: 0 },
  ...{ terms: new Uint32Array(1 << 20), slots: new Uint16Array(1 << 20) },
  ...{ last: new Int32Array(1 << 16).fill(-1), counts: new Uint32Array(1 << 16) },
})

/** A product has a beginning only once, whichever of its words begin so. */
const noteTerm = (block: Block, term: number, slot: number) => {
  if (term >= block.last.length) {
    block.last = enlarge(block.last, new Int32Array(term * 2).fill(-1))
    block.counts = enlarge(block.counts, new Uint32Array(term * 2))
  }
  if (block.last[term] === slot) return
  block.last[term] = slot
  block.counts[term] = (block.counts[term] ?? 0) + 1
  if (block.noted === block.terms.length) {
    block.terms = enlarge(block.terms, new Uint32Array(block.noted * 2))
    block.slots = enlarge(block.slots, new Uint16Array(block.noted * 2))
  }
  block.terms[block.noted] = term
  block.slots[block.noted++] = slot
}

const enlarge = <Numbers extends Int32Array | Uint32Array | Uint16Array>(numbers: Numbers, into: Numbers): Numbers => {
  into.set(numbers)
  return into
}

/** Sorts what was noted by term, in two passes. Within a term the slots stay in their order. */
const listPostings = function* ({ terms, slots, noted, counts }: Block) {
  const ends = new Uint32Array(counts.length)
  let end = 0
  for (let term = 0; term < counts.length; term++) {
    ends[term] = end
    end += counts[term] ?? 0
  }
  const sorted = new Uint16Array(noted)
  for (let i = 0; i < noted; i++) {
    const term = terms[i] ?? 0
    const place = ends[term] ?? 0
    ends[term] = place + 1
    sorted[place] = slots[i] ?? 0
  }
  for (let term = 0; term < counts.length; term++) {
    const count = counts[term] ?? 0
    if (count > 0) yield { term, slots: sorted.slice((ends[term] ?? 0) - count, ends[term]) }
  }
}
