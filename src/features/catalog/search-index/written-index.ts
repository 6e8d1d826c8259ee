import type { DatabaseSync } from 'node:sqlite'
import {
  begunTermsOf,
  bytesIn,
  bytesOfChunk,
  categoryTerm,
  chunkOf,
  connectToWrite,
  isIndexOf,
  lateTerm,
  markedWordsOf,
  newChunk,
  readFacts,
  removeFacts,
  shortHash,
  unpackChunk,
  writeFacts,
} from './index-file.ts'
import type { Listed } from './listed.sql.ts'
import { listSlots, packNumbers, packSlots, slotsInBlock, unpackNumbers, unpackSlots } from './slots.ts'

export type WrittenIndex = NonNullable<ReturnType<typeof openWrittenIndex>>

const blockIsFull = 'a block of the search index is full'

/** Too many products got a number between those of one block. The file must be made anew. */
export const isBlockFull = (error: unknown) => error instanceof Error && error.message === blockIsFull

/** Opens the complete file of an outlet to write what has changed. Undefined if there is none, or one of another database. */
export const openWrittenIndex = (path: string, identity: string) => {
  const database = connectToWrite(path)
  if (!isIndexOf(database, identity)) {
    database.close()
    return undefined
  }
  database.exec('update state set ready = 0, confirmed_at = 0')
  const listVersions = database.prepare('select seq, version from product where seq > ? and seq <= ?')
  const noteChange = database.prepare('update state set changes = changes + 1 returning changes')
  const setConfirmed = database.prepare('update state set ready = 1, confirmed_at = ?')

  /** Replaces what is known about these products. Those that are not `listed` are removed. */
  const write = (seqs: readonly number[], listed: readonly Listed[]) => {
    const write = openChange(database, Number(noteChange.get()?.changes))
    const gone = new Set(seqs)
    for (const row of listed.toSorted((one, other) => one.seq - other.seq)) {
      gone.delete(row.seq)
      write.put(row)
    }
    for (const seq of gone) write.remove(seq)
    write.finish()
  }
  return {
    listVersions: (after: number, last: number) =>
      listVersions.all(after, last).map(({ seq, version }): [number, number] => [Number(seq), Number(version)]),
    write: (seqs: readonly number[], listed: readonly Listed[]) => {
      database.exec('begin immediate')
      try {
        write(seqs, listed)
        database.exec('commit')
      } catch (error) {
        if (database.isTransaction) database.exec('rollback')
        throw error
      }
    },
    /** All changes before this time are in it. */
    confirm: (atMs: number) => void setConfirmed.run(atMs),
    close: () => {
      if (database.isOpen) database.close()
    },
  }
}

/** Gathers changes of lists and chunks, so that each is read and written once. */
const openChange = (database: DatabaseSync, change: number) => {
  const blocks = changeBlocks(database)
  const chunks = changeChunks(database, change)
  const postings = changePostings(database)
  const numberOf = numberTexts(database)
  const find = database.prepare('select place, name, terms from product where seq = ?')
  const put = database.prepare('insert or replace into product values (?, ?, ?, ?, ?)')
  const remove = database.prepare('delete from product where seq = ?')

  const termsOf = (words: readonly number[], category: number) => {
    const all = new Set(words)
    for (const word of words) for (const beginning of numberOf.begun(word)) all.add(beginning)
    if (category > 0) all.add(numberOf.term(categoryTerm(category)))
    return all
  }
  const read = (seq: number) => {
    const row = find.get(seq)
    if (row === undefined) return undefined
    const place = Number(row.place)
    const { category } = readFacts(chunks.open(place), place)
    return { place, category, words: unpackNumbers(bytesIn(row.terms)) }
  }
  return {
    put: ({ seq, version, priceMinor, inStock, categoryId, nameKey, entries }: Listed) => {
      const before = read(seq)
      const { place, isLate } = before ? { ...before, isLate: false } : blocks.takeSlot(seq)
      if (isLate) postings.replace(place, undefined, new Set([numberOf.term(lateTerm)]))
      const category = categoryId === null ? 0 : numberOf.category(categoryId)
      const words = markedWordsOf(entries)
        .map(numberOf.term)
        .sort((one, other) => one - other)
      const isSame = before?.category === category && before.words.join() === words.join()
      if (!isSame) postings.replace(place, before && termsOf(before.words, before.category), termsOf(words, category))
      writeFacts(chunks.change(place), place, { seq, priceMinor, isInStock: inStock, category })
      put.run(seq, version, place, shortHash(nameKey), packNumbers(words))
    },
    remove: (seq: number) => {
      const before = read(seq)
      if (before === undefined) return
      postings.replace(before.place, termsOf(before.words, before.category), new Set())
      removeFacts(chunks.change(before.place), before.place)
      remove.run(seq)
    },
    finish: () => {
      postings.write()
      chunks.write()
    },
  }
}

const numberTexts = (database: DatabaseSync) => {
  const findTerm = database.prepare('select number from term where word = ?')
  const addTerm = database.prepare('insert into term (word) values (?) returning number')
  const findWord = database.prepare('select word from term where number = ?')
  const findCategory = database.prepare('select number from category where id = ?')
  const addCategory = database.prepare('insert into category (id) values (?) returning number')
  const known = new Map<string, number>()
  const begunOf = new Map<number, number[]>()
  const term = (word: string) => {
    const number = known.get(word) ?? Number((findTerm.get(word) ?? addTerm.get(word))?.number)
    known.set(word, number)
    return number
  }
  return {
    term,
    category: (id: string) => Number((findCategory.get(id) ?? addCategory.get(id))?.number),
    begun: (word: number) => {
      const begun = begunOf.get(word) ?? begunTermsOf(String(findWord.get(word)?.word)).map(term)
      begunOf.set(word, begun)
      return begun
    },
  }
}

/** A product that gets a number between others lies in their block, at its end. */
const changeBlocks = (database: DatabaseSync) => {
  const find = database.prepare('select number, first, used from block where first <= ? order by first desc limit 1')
  const findFirst = database.prepare('select number, first, used from block order by first limit 1')
  const findLast = database.prepare('select max(number) as number from block')
  const findNewest = database.prepare('select max(seq) as seq from product')
  const add = database.prepare('insert into block values (?, ?, 1, 1)')
  const use = database.prepare('update block set first = ?, used = used + 1, sorted = sorted and ? where number = ?')
  return {
    takeSlot: (seq: number): { place: number; isLate: boolean } => {
      const isNewest = seq > Number(findNewest.get()?.seq ?? 0)
      const block = find.get(seq) ?? findFirst.get()
      const used = Number(block?.used ?? slotsInBlock)
      if (block === undefined || used >= slotsInBlock) {
        // There may be blocks behind it of which all products were removed.
        const isLast = block?.number === findLast.get()?.number
        if (block !== undefined && !(isNewest && isLast)) throw new Error(blockIsFull)
        const number = block === undefined ? 0 : Number(block.number) + 1
        add.run(number, seq)
        return { place: number * slotsInBlock, isLate: false }
      }
      use.run(Math.min(Number(block.first), seq), Number(isNewest), Number(block.number))
      return { place: Number(block.number) * slotsInBlock + used, isLate: !isNewest }
    },
  }
}

const changeChunks = (database: DatabaseSync, change: number) => {
  const find = database.prepare('select data from chunk where number = ?')
  const put = database.prepare('insert or replace into chunk values (?, ?, ?)')
  const opened = new Map<number, Float64Array>()
  const changed = new Set<number>()
  const open = (place: number) => {
    const number = chunkOf(place)
    const known = opened.get(number)
    if (known !== undefined) return known
    const row = find.get(number)
    const chunk = row === undefined ? newChunk() : unpackChunk(bytesIn(row.data))
    opened.set(number, chunk)
    return chunk
  }
  return {
    open,
    change: (place: number) => {
      changed.add(chunkOf(place))
      return open(place)
    },
    write: () => {
      for (const number of changed) {
        const chunk = opened.get(number)
        if (chunk !== undefined) put.run(number, change, bytesOfChunk(chunk))
      }
    },
  }
}

/** More products than numbers of this size can tell apart. */
const maxBlocks = 65_536

type Change = { term: number; block: number; added: Set<number>; removed: Set<number> }

const changePostings = (database: DatabaseSync) => {
  const find = database.prepare('select count, slots from posting where term = ? and block = ?')
  const put = database.prepare('insert or replace into posting values (?, ?, ?, ?)')
  const remove = database.prepare('delete from posting where term = ? and block = ?')
  const changes = new Map<number, Change>()
  const changeOf = (term: number, place: number) => {
    const block = Math.floor(place / slotsInBlock)
    const key = term * maxBlocks + block
    const change = changes.get(key) ?? { term, block, added: new Set(), removed: new Set() }
    changes.set(key, change)
    return change
  }
  return {
    replace: (place: number, before: ReadonlySet<number> = new Set(), after: ReadonlySet<number> = new Set()) => {
      const slot = place % slotsInBlock
      for (const term of before) if (!after.has(term)) changeOf(term, place).removed.add(slot)
      for (const term of after) if (!before.has(term)) changeOf(term, place).added.add(slot)
    },
    write: () => {
      for (const { term, block, added, removed } of changes.values()) {
        const row = find.get(term, block)
        const before = row && unpackSlots({ count: Number(row.count), data: bytesIn(row.slots) })
        const slots = (before ? listSlots(before) : []).filter((slot) => !removed.has(slot) && !added.has(slot))
        const all = Uint16Array.from([...slots, ...added]).sort()
        if (all.length === 0) remove.run(term, block)
        else {
          const { count, data } = packSlots(all)
          put.run(term, block, count, data)
        }
      }
    },
  }
}
