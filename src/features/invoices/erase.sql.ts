import { erasedText } from '../../core/erased.ts'
import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** Numbers, lines, amounts and tax stay. A reason may name the customer. */
export const eraseInvoices = (tx: Tx, storeId: StoreId, orderIds: readonly string[]) => tx.run`
  update invoice i set content = (i.content::jsonb || jsonb_build_object(
    'buyer', jsonb_build_object('name', ${erasedText}::text, 'lines', '[]'::jsonb, 'taxId', '', 'email', '', 'phone', ''),
    'reason', case when i.content ->> 'reason' = '' then '' else ${erasedText}::text end))::json
  where i.store_id = ${storeId} and i.order_id = any(${orderIds}::text[])`
