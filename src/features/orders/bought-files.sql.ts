import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export const insertDownloads = (
  tx: Tx,
  storeId: StoreId,
  order: { id: string; customerId: string },
  files: readonly { id: string; position: number; mostUses: number }[],
) => tx.run`
  insert into download (store_id, id, customer_id, order_id, position, most_uses, created_at)
  select ${storeId}, f.id, ${order.customerId}, ${order.id}, f.position, f."mostUses", vitrine_now()
  from jsonb_to_recordset(${JSON.stringify(files)}::jsonb) as f (id text, position integer, "mostUses" integer)
  on conflict (store_id, order_id, position) do nothing`
