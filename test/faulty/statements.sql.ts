import type { Queries } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'

/** One fault in each statement, for the test of the checker. */
type Product = { name: string }

export const isRight = (db: Queries) => db.many<{ id: string; tags: string[]; categoryId: string | null }>`
  select id, tags, category_id as "categoryId" from product`

export const missesColumn = (db: Queries) => db.many<Product>`select slug as name, id from product`

export const inventsColumn = (db: Queries) => db.many<Product & { colour: string }>`select name from product`

export const takesNumericForNumber = (db: Queries) => db.many<{ rate: number }>`select tax_rate as rate from product`

export const takesDateForText = (db: Queries) => db.many<{ at: string }>`select created_at as at from product`

export const takesTextForLiteral = (db: Queries) => db.many<{ seq: 1 | 'x' }>`select seq from product`

export const takesArrayOfText = (db: Queries) => db.many<{ tags: number[] }>`select tags from product`

export const takesDateInJson = (db: Queries) => db.many<{ seo: { at: Date } }>`select seo from product`

export const forgetsNull = (db: Queries) => db.many<{ parentId: string }>`select parent_id as "parentId" from category`

export const forgetsOuterJoin = (db: Queries) => db.many<Product>`
  select c.name from product p left join category c on c.store_id = p.store_id and c.id = p.category_id`

export const hasNoRowType = (db: Queries) => db.many`select 1 as one`

/** Valid with one sort, and not with the other. */
export const isInvalidByOneArgument = (db: Queries, sort: 'name' | 'colour') => db.many<Product>`
  select name from product order by ${sort === 'name' ? sql`name` : sql`colour`}`

export const isInvalid = (db: Queries) => db.run`update product set colour = 'red'`

export const isNeverReached = async (db: Queries, word: string) =>
  word === 'sesame' ? db.run`update product set name = ${word}` : 0

export const failsWithSample = (db: Queries, word: string) => {
  if (word !== 'sesame') throw new Error('the word is wrong')
  return db.run`update product set name = ${word}`
}
