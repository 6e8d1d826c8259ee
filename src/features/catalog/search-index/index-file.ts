import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { entryEnd } from './listed.sql.ts'

/** Changes whenever files must be made anew, because the service writes them in another way. */
export const format = 3

/**
 * Products lie in blocks of neighbouring numbers, the newest in the last. Each has a slot in its block, whatever becomes of
 * its words. `posting` has the slots of a block for each term: `~` and a word of the product, `^` and a word of its name, as
 * in the listing, each also with `*` after its first one to four letters, and `#` and the number of its category; and `!`, see `lateTerm`. `chunk` has
 * what searches filter, sort and count by. `product` is only read to write changes: `place` is the block and slot, `terms`
 * are the words. A change raises `changes`, so that readers know which chunks to read again.
 */
const schema = `
  create table state (
    id integer primary key check (id = 1), identity text not null, ready integer not null, confirmed_at real not null,
    changes integer not null);
  create table category (number integer primary key, id text not null unique);
  create table term (number integer primary key, word text not null unique);
  create table posting (
    term integer not null, block integer not null, count integer not null, slots blob not null,
    primary key (term, block)) without rowid;
  create table block (
    number integer primary key, first integer not null unique, used integer not null, sorted integer not null);
  create table chunk (number integer primary key, change integer not null, data blob not null);
  create index chunk_by_change on chunk (change);
  create table product (
    seq integer primary key, version integer not null, place integer not null, name integer not null,
    terms blob not null);
  create index product_by_name on product (name, seq);`

export const createTables = (database: DatabaseSync, identity: string) => {
  database.exec(schema)
  database.prepare('insert into state values (1, ?, 0, 0, 0)').run(identityOf(identity))
}

const identityOf = (identity: string) => `${format}/${identity}`

/** Whether the file has the complete index of this database, in the format of this version. */
export const isIndexOf = (database: DatabaseSync, identity: string) => {
  const hasState = database.prepare(`select 1 from sqlite_schema where name = 'state'`).get() !== undefined
  return hasState && database.prepare('select identity from state').get()?.identity === identityOf(identity)
}

export const connectToWrite = (path: string) => {
  const database = new DatabaseSync(path, { timeout: 1_000 })
  // The disk is waited for at checkpoints only. What a loss of power undoes is read again.
  database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma journal_size_limit = 67108864')
  return database
}

/** Equal for equal texts, and different for nearly all others. */
export const shortHash = (text: string) => hash('sha1', text, 'buffer').readUIntBE(0, 6)

/** So many slots of a block are in one chunk, which is read and written as a whole. */
export const slotsInChunk = 512
const numbersOfProduct = 3
export const chunksInBlock = 65_536 / slotsInChunk

export const newChunk = () => new Float64Array(slotsInChunk * numbersOfProduct).fill(noProduct)
export const chunkOf = (place: number) => Math.floor(place / slotsInChunk)

/** In a slot whose product was removed. */
export const noProduct = -1

export type Facts = { seq: number; priceMinor: number; isInStock: boolean; category: number }

export const writeFacts = (chunk: Float64Array, slot: number, { seq, priceMinor, isInStock, category }: Facts) => {
  const at = (slot % slotsInChunk) * numbersOfProduct
  chunk[at] = seq
  chunk[at + 1] = priceMinor
  chunk[at + 2] = category * 2 + Number(isInStock)
}

export const removeFacts = (chunk: Float64Array, slot: number) => {
  chunk[(slot % slotsInChunk) * numbersOfProduct] = noProduct
}

/** `rank` is 0 until the search sets it. It is in this object so that a search makes one for each match, not two. */
export const readFacts = (chunk: Float64Array, slot: number): Facts & { rank: number } => {
  const at = (slot % slotsInChunk) * numbersOfProduct
  const flags = chunk[at + 2] ?? 0
  return {
    seq: chunk[at] ?? noProduct,
    rank: 0,
    priceMinor: chunk[at + 1] ?? 0,
    isInStock: flags % 2 === 1,
    category: flags >>> 1,
  }
}

export const bytesOfChunk = ({ buffer, byteOffset, byteLength }: Float64Array) =>
  new Uint8Array(buffer, byteOffset, byteLength)

/** A column of bytes. */
export const bytesIn = (value: unknown): Uint8Array => {
  if (value instanceof Uint8Array) return value
  throw new Error('a part of the search index is missing')
}

/** Numbers of eight bytes begin at a multiple of eight. */
export const unpackChunk = (data: Uint8Array) => {
  const { buffer, byteOffset, byteLength } = data.byteOffset % 8 === 0 ? data : data.slice()
  return new Float64Array(buffer, byteOffset, byteLength >> 3)
}

/** The words of a listing with their marks. Options of variants are not searched here. */
export const markedWordsOf = (entries: string): string[] =>
  entries.split(entryEnd).flatMap((entry) => {
    const mark = entry.search(/[~^=]/)
    return entry[mark] === '=' ? [] : [entry.slice(mark)]
  })

/** Words have letters, digits and marks of letters only, so no word is like one of these. */
const begunMark = '*'
export const maxBegunLetters = 4

/** Of a beginning with a mark, if there is a list of the words that begin so. */
export const begunTerm = (beginning: string) => {
  const letters = [...beginning].length - 1
  return letters >= 1 && letters <= maxBegunLetters ? `${beginning}${begunMark}` : undefined
}

/** The beginnings of a word with a mark that have such a list. */
export const begunTermsOf = (word: string): string[] => {
  const letters = [...word]
  return letters.slice(1, 1 + maxBegunLetters).map((_, i) => `${letters.slice(0, i + 2).join('')}${begunMark}`)
}

export const categoryTerm = (category: number) => `#${category}`

/** Has the products that got a slot behind newer ones. The others of a block are in order. */
export const lateTerm = '!'
