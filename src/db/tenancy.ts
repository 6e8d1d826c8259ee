/**
 * A database that is distributed over several servers keeps the rows of one store together, by `store_id` (decision 0050).
 * Tables of the directory are the exception: every server has all of them, because their rows are looked up before the
 * store is known, or belong to several stores. They are small and seldom written. Every other table is a tenant's: its
 * rows have a `store_id`, and every statement names it (`test/statements/tenant-rule.ts`).
 */
export const directoryTables: readonly string[] = [
  ...['store', 'outlet', 'store_key', 'store_origin', 'webhook_credential', 'payment_account'],
  // Staff sign in before they choose a store, and may work for several.
  ...['staff', 'staff_role', 'staff_session', 'staff_link', 'staff_recovery_code', 'staff_sign_in_failure'],
  'admin_token',
]

/** Tables that only the migrations use, on the server that the service is connected to. */
export const localTables: readonly string[] = ['vitrine_migration']
