import { erasedText } from '../../core/erased.ts'
import { toFields } from '../../core/fields.ts'
import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import type { EventTypeOf } from '../events/events.contract.ts'
import { recordEvent, recordEvents } from '../events/record.ts'
import { toCustomer } from './customer.ts'
import { type CustomerRow, customerSnapshot } from './customers.sql.ts'

/** For a row as the statement that changed it has returned it. That statement has counted the event. */
export const recordCustomerEvent = (
  tx: Tx,
  store: { id: StoreId },
  { id, eventCount }: CustomerRow,
  type: EventTypeOf<'customer'>,
) => recordEvents(tx, store, [{ type, subject: id, sequence: eventCount }], customerSnapshot(store.id, id))

/** Records a customer who does not change any more in this transaction, which saves reading the row. */
export const recordKnownCustomer = (
  tx: Tx,
  store: { id: StoreId },
  customer: CustomerRow,
  type: EventTypeOf<'customer'>,
) => recordEvent(tx, store, { type, subject: customer.id, sequence: customer.eventCount }, customer, false)

/** JSON has times as texts. */
export type StoredCustomer = Omit<CustomerRow, 'createdAt' | 'updatedAt'> & { createdAt: string; updatedAt: string }

/** What is left of an earlier event of a customer who is erased. */
export const eraseCustomerEvent = (data: unknown): unknown => ({
  ...toFields(data),
  ...{ name: erasedText, email: null, phone: null, contactPhone: '' },
})

export const showCustomerEvent = ({ createdAt, updatedAt, ...customer }: StoredCustomer) =>
  toCustomer({ ...customer, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) })
