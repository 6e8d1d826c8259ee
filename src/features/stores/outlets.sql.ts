import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { OutletId, StoreId } from '../context.ts'

export type OutletRow = { number: OutletId; id: string; name: string; isDefault: boolean; createdAt: Date }

const columns = sql`o.id as number, o.public_id as id, o.name, o.id = s.default_outlet_id as "isDefault",
  o.created_at as "createdAt"`
const source = sql`outlet o join store s on s.id = o.store_id`

export const listOutlets = (db: Queries, storeId: StoreId, after: number, limit: number) => db.many<OutletRow>`
  select ${columns} from ${source} where o.store_id = ${storeId} and o.id > ${after} order by o.id limit ${limit}`

export const countOutlets = async (db: Queries, storeId: StoreId) =>
  (await db.one<{ count: number }>`select count(*)::integer as count from outlet where store_id = ${storeId}`).count

export const findOutletRow = (db: Queries, storeId: StoreId, publicId: string) => db.maybeOne<OutletRow>`
  select ${columns} from ${source} where o.store_id = ${storeId} and o.public_id = ${publicId}`

export const renameOutlet = (tx: Tx, storeId: StoreId, outletId: OutletId, name: string) => tx.run`
  update outlet set name = ${name} where store_id = ${storeId} and id = ${outletId}`

export const deleteOutletRow = (tx: Tx, storeId: StoreId, outletId: OutletId) => tx.run`
  delete from outlet where store_id = ${storeId} and id = ${outletId}`
