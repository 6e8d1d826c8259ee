import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { removeIndexFile } from './files.ts'
import { entryEnd, type Listed } from './listed.sql.ts'

/** Changes whenever files must be made anew, because the service writes them in another way. */
const format = 1

/**
 * `product` has what searches filter, sort and count by. `word` has the words: `~` for any word of the product and `^` for a
 * word of its name, as in the listing, and `#` for its category. It can be read from the newest product on, and in this
 * order most searches need only the first. Of beginnings with two to four letters it keeps a list too.
 */
const schema = `
  create table state (
    id integer primary key check (id = 1), identity text not null, ready integer not null, confirmed_at real not null);
  create table category (number integer primary key, id text not null unique);
  create table product (
    seq integer primary key, price integer not null, in_stock integer not null, category integer, name integer not null,
    words integer not null, version integer not null);
  create index product_by_name on product (name);
  create virtual table word using fts5(
    words, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '~^#'", prefix='3 4 5');
  insert into word (word, rank) values ('hashsize', 16777216);`

/** Equal for equal texts, and different for nearly all others. */
export const shortHash = (text: string) => hash('sha1', text, 'buffer').readUIntBE(0, 6)

export type WrittenIndex = ReturnType<typeof openWrittenIndex>

/** Opens the file of an outlet to write it. One of another database or format is replaced. */
export const openWrittenIndex = (path: string, identity: string) => {
  const wanted = `${format}/${identity}`
  let database = connect(path)
  if (readIdentity(database) !== wanted) {
    database.close()
    removeIndexFile(path)
    database = connect(path)
    database.exec('begin immediate')
    database.exec(schema)
    database.prepare('insert into state values (1, ?, 0, 0)').run(wanted)
    database.exec('commit')
  }
  database.exec('update state set ready = 0, confirmed_at = 0')
  const listVersions = database.prepare('select seq, version from product where seq > ? and seq <= ?')
  const findWords = database.prepare('select words from product where seq = ?')
  const findCategory = database.prepare('select number from category where id = ?')
  const addCategory = database.prepare('insert into category (id) values (?) returning number')
  const putProduct = database.prepare('insert or replace into product values (?, ?, ?, ?, ?, ?, ?)')
  const putWords = database.prepare('insert or replace into word (rowid, words) values (?, ?)')
  const addWords = database.prepare('insert into word (rowid, words) values (?, ?)')
  const removeProduct = database.prepare('delete from product where seq = ?')
  const removeWords = database.prepare('delete from word where rowid = ?')
  const setConfirmed = database.prepare('update state set ready = 1, confirmed_at = ?')

  const numberOf = (categoryId: string | null) => {
    if (categoryId === null) return null
    return Number((findCategory.get(categoryId) ?? addCategory.get(categoryId))?.number)
  }
  const put = ({ seq, version, priceMinor, inStock, categoryId, nameKey, entries }: Listed) => {
    const category = numberOf(categoryId)
    const words = wordsOf(entries, category)
    const wordsHash = shortHash(words)
    const known = findWords.get(seq)
    if (known === undefined) addWords.run(seq, words)
    else if (known.words !== wordsHash) putWords.run(seq, words)
    putProduct.run(seq, priceMinor, Number(inStock), category, shortHash(nameKey), wordsHash, version)
  }
  const inTransaction = (work: () => void) => {
    if (database.isTransaction) return work()
    database.exec('begin immediate')
    try {
      work()
      database.exec('commit')
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      throw error
    }
  }
  return {
    listVersions: (after: number, last: number) =>
      listVersions.all(after, last).map(({ seq, version }): [number, number] => [Number(seq), Number(version)]),
    /** Replaces what is known about these products. Those that are not `listed` are removed. */
    write: (seqs: readonly number[], listed: readonly Listed[]) =>
      inTransaction(() => {
        const gone = new Set(seqs)
        for (const row of listed) {
          gone.delete(row.seq)
          put(row)
        }
        for (const seq of gone) {
          removeProduct.run(seq)
          removeWords.run(seq)
        }
      }),
    /**
     * Writes together what follows, until `commit`. Each transaction adds a part to the index of words, and parts are merged
     * again and again: with few large ones an index is made in a fraction of the time.
     */
    begin: () => database.exec('begin immediate'),
    commit: () => database.exec('commit'),
    isOpen: () => database.isTransaction,
    /** All changes before this time are in it. */
    confirm: (atMs: number) => void setConfirmed.run(atMs),
    /** Merges what was written in many steps, so that it is read in one. */
    optimize: () => {
      database.exec(`insert into word (word) values ('optimize')`)
      database.exec('pragma wal_checkpoint(truncate)')
    },
    close: () => {
      if (database.isOpen) database.close()
    },
  }
}

const connect = (path: string) => {
  const database = new DatabaseSync(path, { timeout: 1_000 })
  // The disk is waited for at checkpoints only. What a loss of power undoes is read again.
  database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma journal_size_limit = 67108864')
  return database
}

const readIdentity = (database: DatabaseSync) => {
  const hasState = database.prepare(`select 1 from sqlite_schema where name = 'state'`).get() !== undefined
  return hasState ? database.prepare('select identity from state').get()?.identity : undefined
}

/** Without the number of the outlet. Options of variants are not searched here. */
const wordsOf = (entries: string, category: number | null) => {
  const words = entries.split(entryEnd).flatMap((entry) => {
    const mark = entry.search(/[~^=]/)
    return entry[mark] === '=' ? [] : [entry.slice(mark)]
  })
  if (category !== null) words.push(`#${category}`)
  return words.join(' ')
}
