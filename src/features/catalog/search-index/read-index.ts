import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import type { IndexedProduct, IndexReader } from '../../context.ts'

/** An array in fact: with `setReturnArrays`, columns have numbers. */
type Row = Record<number, SQLOutputValue>

export type OpenIndex = IndexReader & {
  /** When all changes were in it, by `machineTimeMs`. 0 if it is not complete. */
  confirmedAtMs(): number
  close(): void
}

/** Reads an index file. Reading waits for nothing: what is being written is not seen. */
export const openIndexReader = (path: string): OpenIndex => {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 0 })
  // In KiB. Products are read here and there in the file, and reading pages again and again takes twice as long. The file
  // is not mapped into memory: if it became shorter, the process would end.
  database.exec('pragma cache_size = -40000')
  const prepare = (text: string) => {
    const statement = database.prepare(text)
    statement.setReturnArrays(true)
    return statement
  }
  const state = prepare('select ready, confirmed_at from state')
  const columns = 'p.seq, p.price, p.in_stock, p.category, p.name'
  const walk = prepare(`select ${columns} from word cross join product p on p.seq = word.rowid
    where word match ? and p.price between ? and ? and p.in_stock between ? and ? order by word.rowid desc limit ?`)
  const numbers = prepare('select rowid from word where word match ? limit ?')
  const named = prepare(`select ${columns} from product p where p.name = ? order by p.seq desc limit ?`)
  const categories = prepare('select number, id from category')
  let idOf = new Map<number, string>()
  let numberOf = new Map<string, number>()
  const readCategories = () => {
    const rows = categories.all().map((row) => [Number(row[0]), String(row[1])] as const)
    idOf = new Map(rows)
    numberOf = new Map(rows.map(([number, id]) => [id, number]))
  }
  return {
    confirmedAtMs: () => {
      const row = state.get()
      return Number(row?.[0]) === 1 ? Number(row?.[1]) : 0
    },
    *walk(query, limit, { minMinor = 0, maxMinor = Number.MAX_SAFE_INTEGER, inStock } = {}) {
      const [soldOut, available] = [inStock === true ? 1 : 0, inStock === false ? 0 : 1]
      for (const row of walk.iterate(query, minMinor, maxMinor, soldOut, available, limit)) yield toProduct(row)
    },
    numbers: (query, limit) => new Set(numbers.all(query, limit).map((row) => Number(row[0]))),
    named: (name, limit) => named.all(name, limit).map(toProduct),
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

/** A category of null becomes 0. */
const toProduct = (row: Row): IndexedProduct => ({
  seq: Number(row[0]),
  priceMinor: Number(row[1]),
  isInStock: row[2] === 1,
  category: Number(row[3]),
  name: Number(row[4]),
})
