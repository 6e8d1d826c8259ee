import type { Db } from '../../db/database.ts'
import { byKey } from '../../db/plan-hints.ts'
import { sql } from '../../db/sql.ts'
import type { KnownWord, StoreId } from '../context.ts'

export type KnownWords = { words: KnownWord[]; products: number }

/** What is known of these words, and how many products the store has. No `exists`: the planner may read all words for it. */
export const lookUpWords = (db: Db, storeId: StoreId, words: readonly string[]) => {
  const common = (word: ReturnType<typeof sql>) =>
    sql`(select json_build_object('products', c.products, 'named', c.named) from search_common c
      where c.store_id = ${storeId} and c.word = ${word})`
  return db.one<KnownWords>`
    select coalesce((select products from search_count where store_id = ${storeId}), 0) as products, (
      select json_agg(json_build_object('word', asked.word, 'isWhole', coalesce(known.word = asked.word, false),
        'isBegun', known.word is not null, 'whole', ${common(sql`asked.word`)}, 'begun', ${common(sql`asked.word || '*'`)}))
      from unnest(${words}::text[]) as asked (word)
      left join ${byKey(sql`select v.word from search_word v
        where v.store_id = ${storeId} and v.word >= asked.word and v.word < asked.word || chr(1114111)
        order by v.word`)} known on true) as words`
}

/**
 * Words that are like a misspelt one, at most two letters away by Levenshtein, where a swap counts as two. With one typo,
 * the letters before the middle are right, or those behind it: words are found by either.
 */
export const findLookalikes = async (db: Db, storeId: StoreId, word: string) => {
  const letters = [...word]
  const middle = Math.floor(letters.length / 2)
  const start = letters.slice(0, middle).join('')
  const end = letters
    .slice(middle + 1)
    .reverse()
    .join('')
  return (
    await db.many<{ word: string }>`
      select v.word from (
        select v.word from search_word v
        where v.store_id = ${storeId} and v.word >= ${start} and v.word < ${start} || chr(1114111)
        union
        select v.word from search_word v
        where v.store_id = ${storeId} and reverse(v.word) >= ${end} and reverse(v.word) < ${end} || chr(1114111)) v
      where ${isLike(word)} order by levenshtein(v.word, ${word}), v.word limit 20`
  ).map((row) => row.word)
}

/**
 * The same for two typos, which may be on both sides of the middle. Reads all words that begin with one of two letters; the
 * offset keeps the planner from reading all words of the store instead.
 */
export const findFarLookalikes = async (db: Db, storeId: StoreId, word: string) => {
  const [first = '', second = ''] = word
  return (
    await db.many<{ word: string }>`
      select v.word from unnest(${[...new Set([first, second])]}::text[]) as initial (letter)
      cross join lateral (
        select v.word from search_word v where v.store_id = ${storeId}
          and v.word >= initial.letter and v.word < initial.letter || chr(1114111) and ${isLike(word)} offset 0) v
      order by levenshtein(v.word, ${word}), v.word limit 20`
  ).map((row) => row.word)
}

const isLike = (word: string) => sql`length(v.word) between length(${word}) - 2 and length(${word}) + 2
  and levenshtein_less_equal(v.word, ${word}, 2) <= 2`
