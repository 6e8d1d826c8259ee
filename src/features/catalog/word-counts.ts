import type { Db } from '../../db/database.ts'
import type { OutletRef } from './catalog.sql.ts'
import * as sql from './word-counts.sql.ts'
import { beginningsOf, createTally } from './word-tally.ts'

/** A search counts its matches up to here; beyond, the total is an estimate. */
export const countedMatches = 1_000

/** So many products are enough to tell how common a word is. */
const sampledProducts = 40_000
/** Beginnings are more, and need not be known as well: they are counted in some of these. */
const sampledForBeginnings = 8_000
/** How many are read by one statement. The service does nothing else while it counts their words. */
const readAtOnce = 200

/** Counts which words are common in a store, so that searches know it in advance (decision 0057). */
export const countStoreWords = async (db: Db, outlet: OutletRef, signal?: AbortSignal): Promise<void> => {
  const products = await sql.countListed(db, outlet)
  const counted = products < countedMatches ? [] : await countSample(db, outlet, products, signal)
  await db.tx(async (tx) => {
    await sql.keepWordCounts(tx, outlet.storeId, counted)
    await sql.noteWordsCounted(tx, outlet.storeId, products)
  })
}

/** In many short statements: one for all would take seconds, and on a busy server more than a statement may take. */
const countSample = async (db: Db, outlet: OutletRef, products: number, signal?: AbortSignal) => {
  const prefixLength = String(outlet.outletId).length + 1
  const [words, beginnings] = [createTally(prefixLength), createTally(prefixLength)]
  const step = Math.max(1, Math.round(products / sampledProducts))
  const perBeginnings = Math.max(1, Math.round(products / step / sampledForBeginnings))
  let after = 0
  for (;;) {
    signal?.throwIfAborted()
    const part = await sql.readSampledWords(db, outlet, { after, rows: step * readAtOnce, step })
    if (part.last === null) break
    after = part.last
    for (const [i, text] of (part.words?.split(sql.wordEnds.product) ?? []).entries()) {
      const entries = text.split(sql.wordEnds.entry)
      words.add(entries)
      if (i % perBeginnings === 0) beginnings.add(beginningsOf(entries, prefixLength))
    }
  }
  const begun = beginnings.listCommon(products, countedMatches)
  return [
    ...words.listCommon(products, countedMatches),
    ...begun.map((count) => ({ ...count, word: `${count.word}*` })),
  ]
}
