/**
 * A database that is distributed over several servers keeps the rows of one store together, by `store_id` (decision 0053).
 * Tables of the directory are the exception: every server has all of them, because their rows are looked up before the
 * store is known, or belong to several stores. They are small and seldom written. The others are tenants': their rows
 * have a `store_id`, and every statement names it (`test/statements/tenant-rule.ts`). A new table gets its kind here.
 */
export const directoryTables: readonly string[] = [
  ...['store', 'outlet', 'store_key', 'store_origin', 'webhook_credential', 'payment_account'],
  // Staff sign in before they choose a store, and may work for several.
  ...['staff', 'staff_role', 'staff_session', 'staff_link', 'staff_recovery_code', 'staff_sign_in_failure'],
  'admin_token',
]

/** Tables that only the migrations use, on the server that the service is connected to. */
export const localTables: readonly string[] = ['vitrine_migration']

export const tenantTables: readonly string[] = [
  ...['address', 'audit', 'carrier_account', 'cart', 'cart_item', 'category', 'coupon', 'coupon_use', 'customer'],
  ...['customer_note', 'delivery_event', 'download', 'erasure', 'event', 'guest', 'invoice', 'invoice_series'],
  ...[
    'job_file',
    'kept_answer',
    'listing',
    'listing_change',
    'mail',
    'mail_token',
    'media',
    'media_total',
    'merchant_job',
  ],
  ...['one_time_code', 'order_counter', 'order_event', 'order_line', 'order_note', 'order_return', 'order_search'],
  ...['orders', 'otp_hour', 'otp_request', 'payment', 'payment_event', 'price_override', 'product', 'refund'],
  ...['sale_entry', 'sales_part', 'sales_quarter_hour', 'sandbox_payment', 'search_common', 'search_count'],
  ...['search_word', 'session', 'shared_file'],
  ...['shipment', 'sign_in_failure', 'stock', 'stock_move', 'variant', 'webhook_attempt', 'webhook_delivery'],
  ...['webhook_endpoint', 'wishlist_item'],
]
