// Generated from the contract of the service by `npm run generate`. Do not edit.

import type { AdminOperation, ChangeOptions, Counted, WithEtag } from './admin-options.ts'
import type {
  AdminActivatePaymentAccountAnswer,
  AdminActivatePaymentAccountInput,
  AdminAddOrderNoteInput,
  AdminAddOriginAnswer,
  AdminAddOriginInput,
  AdminAddStaffAnswer,
  AdminAddStaffInput,
  AdminAdjustStockAnswer,
  AdminAdjustStockInput,
  AdminApproveReturnInput,
  AdminArchiveProductInput,
  AdminBulkProductsInput,
  AdminCancelJobInput,
  AdminCancelOrderInput,
  AdminCancelShipmentInput,
  AdminCategory,
  AdminChangeMediumInput,
  AdminChangePasswordAnswer,
  AdminChangePasswordInput,
  AdminConfirmSecondFactorAnswer,
  AdminConfirmSecondFactorInput,
  AdminCreateCategoryInput,
  AdminCreateCouponInput,
  AdminCreateCustomerNoteInput,
  AdminCreateJobInput,
  AdminCreateKeyAnswer,
  AdminCreateKeyInput,
  AdminCreateOutletInput,
  AdminCreateProductInput,
  AdminCreateReturnInput,
  AdminCreateTokenAnswer,
  AdminCreateTokenInput,
  AdminCreateVariantInput,
  AdminCreateWebhookAnswer,
  AdminCreateWebhookInput,
  AdminDeleteCategoryInput,
  AdminDeleteCustomerNoteInput,
  AdminDeleteMediumInput,
  AdminDeleteOutletInput,
  AdminDeleteWebhookInput,
  AdminDeliverOrderInput,
  AdminDownloadJobFileInput,
  AdminDuplicateProductInput,
  AdminEnableWebhookInput,
  AdminEndOtherSessionsAnswer,
  AdminEndSessionInput,
  AdminEraseCustomerAnswer,
  AdminEraseCustomerInput,
  AdminExportCustomerInput,
  AdminExportProductsInput,
  AdminForgotPasswordAnswer,
  AdminForgotPasswordInput,
  AdminGetCategoryInput,
  AdminGetCouponInput,
  AdminGetCreditNoteInput,
  AdminGetCustomerInput,
  AdminGetInvoiceInput,
  AdminGetJobInput,
  AdminGetOrderInput,
  AdminGetOutletInput,
  AdminGetPackingSlipInput,
  AdminGetPackingSlipsInput,
  AdminGetProductInput,
  AdminGetReturnInput,
  AdminGetVariantInput,
  AdminInviteStaffAnswer,
  AdminInviteStaffInput,
  AdminIssueCreditNoteAnswer,
  AdminIssueCreditNoteInput,
  AdminIssueInvoiceAnswer,
  AdminIssueInvoiceInput,
  AdminLabelShipmentInput,
  AdminListAuditInput,
  AdminListCarriersAnswer,
  AdminListCategoriesInput,
  AdminListCouponsInput,
  AdminListCouponUsesInput,
  AdminListCustomerOrdersInput,
  AdminListCustomersInput,
  AdminListDeliveriesInput,
  AdminListInboxInput,
  AdminListJobsInput,
  AdminListKeysAnswer,
  AdminListMediaInput,
  AdminListOrdersInput,
  AdminListOriginsAnswer,
  AdminListOutletsInput,
  AdminListPaymentAccountsAnswer,
  AdminListProductsInput,
  AdminListReturnsInput,
  AdminListSessionsAnswer,
  AdminListShippingCarriersAnswer,
  AdminListStaffAnswer,
  AdminListStockInput,
  AdminListStockMovesInput,
  AdminListTokensAnswer,
  AdminListVariantsAnswer,
  AdminListVariantsInput,
  AdminListWebhooksAnswer,
  AdminOrder,
  AdminPickUpShipmentInput,
  AdminPreviewRefundAnswer,
  AdminPreviewRefundInput,
  AdminProduct,
  AdminProductItem,
  AdminReceiveReturnInput,
  AdminRedeliverInput,
  AdminRefund,
  AdminRefundOrderInput,
  AdminRefundReturnInput,
  AdminRejectReturnInput,
  AdminRemoveOriginInput,
  AdminRemoveSecondFactorAnswer,
  AdminRemoveSecondFactorInput,
  AdminRemoveStaffInput,
  AdminReplayEventInput,
  AdminReportCartsAnswer,
  AdminReportCartsInput,
  AdminReportCategoriesAnswer,
  AdminReportCategoriesInput,
  AdminReportCouponsAnswer,
  AdminReportCouponsInput,
  AdminReportOutletsAnswer,
  AdminReportOutletsInput,
  AdminReportProductsAnswer,
  AdminReportProductsInput,
  AdminReportSalesAnswer,
  AdminReportSalesInput,
  AdminReportTaxAnswer,
  AdminReportTaxInput,
  AdminResendMessageAnswer,
  AdminResendMessageInput,
  AdminResolveOrderInput,
  AdminReturn,
  AdminRevokeKeyInput,
  AdminRevokeTokenInput,
  AdminRotateCredentialAnswer,
  AdminRotateCredentialInput,
  AdminRotateWebhookAnswer,
  AdminRotateWebhookInput,
  AdminSetPasswordInput,
  AdminShipment,
  AdminShipOrderInput,
  AdminShowMediumInput,
  AdminSignInByLinkInput,
  AdminSignInInput,
  AdminStartSecondFactorAnswer,
  AdminStartSecondFactorInput,
  AdminTestWebhookAnswer,
  AdminTestWebhookInput,
  AdminToday,
  AdminUpdateCarrierAnswer,
  AdminUpdateCarrierInput,
  AdminUpdateCategoryInput,
  AdminUpdateCouponInput,
  AdminUpdateCustomerInput,
  AdminUpdateKeyInput,
  AdminUpdateMeInput,
  AdminUpdateMenuInput,
  AdminUpdateOutletInput,
  AdminUpdatePaymentAccountAnswer,
  AdminUpdatePaymentAccountInput,
  AdminUpdateProductInput,
  AdminUpdateSettingsInput,
  AdminUpdateStaffInput,
  AdminUpdateVariantInput,
  AdminUploadMediaInput,
  AdminVariant,
  AuditEntry,
  CouponUse,
  Customer,
  CustomerDetails,
  CustomerExport,
  CustomerNote,
  InboxEvent,
  Medium,
  MediumDetail,
  Menu,
  MerchantJob,
  Order,
  OrderEventData,
  OrderNote,
  Outlet,
  Settings,
  Setup,
  Staff,
  StaffSession,
  StockLevel,
  StockMove,
  StoreCoupon,
  StoreCustomer,
  StoreKey,
  WebhookDelivery,
  WebhookEndpoint,
} from './admin-types.ts'
import type { CsvText } from './csv.ts'
import type { CallOptions } from './options.ts'
import type { Paged } from './paging.ts'

export const adminTable = {
  today: { path: '/admin/v1/stores/{storeId}/today' },
  listOrders: { path: '/admin/v1/stores/{storeId}/orders', query: true, paged: true, csv: true },
  getOrder: { path: '/admin/v1/stores/{storeId}/orders/{id}' },
  addOrderNote: { method: 'POST', path: '/admin/v1/stores/{storeId}/orders/{id}/notes', body: true, once: true },
  resolveOrder: { method: 'POST', path: '/admin/v1/stores/{storeId}/orders/{id}/resolve', once: true },
  listShippingCarriers: { path: '/admin/v1/stores/{storeId}/shipping-carriers' },
  shipOrder: { method: 'POST', path: '/admin/v1/stores/{storeId}/orders/{id}/shipments', body: true, once: true },
  labelShipment: { method: 'POST', path: '/admin/v1/stores/{storeId}/orders/{id}/shipments/{shipmentId}/label' },
  pickUpShipment: { method: 'POST', path: '/admin/v1/stores/{storeId}/orders/{id}/shipments/{shipmentId}/pickup' },
  cancelShipment: { method: 'POST', path: '/admin/v1/stores/{storeId}/orders/{id}/shipments/{shipmentId}/cancel' },
  deliverOrder: { method: 'POST', path: '/admin/v1/stores/{storeId}/orders/{id}/deliver', once: true },
  cancelOrder: { method: 'POST', path: '/admin/v1/stores/{storeId}/orders/{id}/cancel' },
  refundOrder: { method: 'POST', path: '/admin/v1/stores/{storeId}/orders/{id}/refunds', body: true, once: true },
  previewRefund: { method: 'POST', path: '/admin/v1/stores/{storeId}/orders/{id}/refunds/preview', body: true },
  resendMessage: { method: 'POST', path: '/admin/v1/stores/{storeId}/orders/{id}/messages/{name}/resend', once: true },
  issueInvoice: { method: 'POST', path: '/admin/v1/stores/{storeId}/orders/{id}/invoice', body: true },
  getInvoice: { path: '/admin/v1/stores/{storeId}/orders/{id}/invoice', text: true },
  issueCreditNote: { method: 'POST', path: '/admin/v1/stores/{storeId}/orders/{id}/refunds/{refundId}/credit-note' },
  getCreditNote: { path: '/admin/v1/stores/{storeId}/orders/{id}/refunds/{refundId}/credit-note', text: true },
  getPackingSlip: { path: '/admin/v1/stores/{storeId}/orders/{id}/packing-slip', query: true, text: true },
  getPackingSlips: { path: '/admin/v1/stores/{storeId}/packing-slips', query: true, text: true },
  listProducts: { path: '/admin/v1/stores/{storeId}/products', query: true, paged: true, csv: true },
  createProduct: { method: 'POST', path: '/admin/v1/stores/{storeId}/products', body: true, once: true, etag: true },
  getProduct: { path: '/admin/v1/stores/{storeId}/products/{productId}', etag: true },
  updateProduct: { method: 'PATCH', path: '/admin/v1/stores/{storeId}/products/{productId}', body: true, etag: true },
  archiveProduct: { method: 'DELETE', path: '/admin/v1/stores/{storeId}/products/{productId}' },
  duplicateProduct: {
    method: 'POST',
    path: '/admin/v1/stores/{storeId}/products/{productId}/duplicate',
    body: true,
    once: true,
    etag: true,
  },
  listVariants: { path: '/admin/v1/stores/{storeId}/products/{productId}/variants' },
  createVariant: {
    method: 'POST',
    path: '/admin/v1/stores/{storeId}/products/{productId}/variants',
    body: true,
    once: true,
    etag: true,
  },
  getVariant: { path: '/admin/v1/stores/{storeId}/products/{productId}/variants/{variantId}', etag: true },
  updateVariant: {
    method: 'PATCH',
    path: '/admin/v1/stores/{storeId}/products/{productId}/variants/{variantId}',
    body: true,
    etag: true,
  },
  bulkProducts: { method: 'POST', path: '/admin/v1/stores/{storeId}/products/bulk', body: true, once: true },
  createJob: { method: 'POST', path: '/admin/v1/stores/{storeId}/jobs', body: true, once: true, file: true },
  exportProducts: { method: 'POST', path: '/admin/v1/stores/{storeId}/products/export', body: true, once: true },
  listCategories: { path: '/admin/v1/stores/{storeId}/categories', query: true, paged: true },
  createCategory: { method: 'POST', path: '/admin/v1/stores/{storeId}/categories', body: true, once: true, etag: true },
  getCategory: { path: '/admin/v1/stores/{storeId}/categories/{categoryId}', etag: true },
  updateCategory: {
    method: 'PATCH',
    path: '/admin/v1/stores/{storeId}/categories/{categoryId}',
    body: true,
    etag: true,
  },
  deleteCategory: { method: 'DELETE', path: '/admin/v1/stores/{storeId}/categories/{categoryId}' },
  listOutlets: { path: '/admin/v1/stores/{storeId}/outlets', query: true, paged: true },
  createOutlet: { method: 'POST', path: '/admin/v1/stores/{storeId}/outlets', body: true, once: true, etag: true },
  getOutlet: { path: '/admin/v1/stores/{storeId}/outlets/{outletId}', etag: true },
  updateOutlet: { method: 'PATCH', path: '/admin/v1/stores/{storeId}/outlets/{outletId}', body: true, etag: true },
  deleteOutlet: { method: 'DELETE', path: '/admin/v1/stores/{storeId}/outlets/{outletId}' },
  getMenu: { path: '/admin/v1/stores/{storeId}/menu', etag: true },
  updateMenu: { method: 'PATCH', path: '/admin/v1/stores/{storeId}/menu', body: true, etag: true },
  listJobs: { path: '/admin/v1/stores/{storeId}/jobs', query: true, paged: true },
  getJob: { path: '/admin/v1/stores/{storeId}/jobs/{jobId}' },
  cancelJob: { method: 'POST', path: '/admin/v1/stores/{storeId}/jobs/{jobId}/cancel' },
  downloadJobFile: { path: '/admin/v1/stores/{storeId}/jobs/{jobId}/file', text: true },
  listMedia: { path: '/admin/v1/stores/{storeId}/media', query: true, paged: true },
  uploadMedia: { method: 'POST', path: '/admin/v1/stores/{storeId}/media', body: true, once: true, file: true },
  showMedium: { path: '/admin/v1/stores/{storeId}/media/{mediaId}', etag: true },
  changeMedium: { method: 'PATCH', path: '/admin/v1/stores/{storeId}/media/{mediaId}', body: true, etag: true },
  deleteMedium: { method: 'DELETE', path: '/admin/v1/stores/{storeId}/media/{mediaId}' },
  getSettings: { path: '/admin/v1/stores/{storeId}/settings', etag: true },
  updateSettings: { method: 'PATCH', path: '/admin/v1/stores/{storeId}/settings', body: true, etag: true },
  getSetup: { path: '/admin/v1/stores/{storeId}/setup' },
  listStock: { path: '/admin/v1/stores/{storeId}/stock', query: true, paged: true, csv: true },
  adjustStock: { method: 'POST', path: '/admin/v1/stores/{storeId}/stock/adjust', body: true },
  listStockMoves: { path: '/admin/v1/stores/{storeId}/stock/moves', query: true, paged: true, csv: true },
  listKeys: { path: '/admin/v1/stores/{storeId}/keys' },
  createKey: { method: 'POST', path: '/admin/v1/stores/{storeId}/keys', body: true },
  updateKey: { method: 'PATCH', path: '/admin/v1/stores/{storeId}/keys/{keyId}', body: true },
  revokeKey: { method: 'DELETE', path: '/admin/v1/stores/{storeId}/keys/{keyId}' },
  listOrigins: { path: '/admin/v1/stores/{storeId}/origins' },
  addOrigin: { method: 'POST', path: '/admin/v1/stores/{storeId}/origins', body: true },
  removeOrigin: { method: 'DELETE', path: '/admin/v1/stores/{storeId}/origins/{origin}' },
  rotateCredential: {
    method: 'POST',
    path: '/admin/v1/stores/{storeId}/webhook-credentials/{kind}/rotate',
    body: true,
  },
  listCustomers: { path: '/admin/v1/stores/{storeId}/customers', query: true, paged: true, csv: true },
  getCustomer: { path: '/admin/v1/stores/{storeId}/customers/{customerId}', etag: true },
  updateCustomer: {
    method: 'PATCH',
    path: '/admin/v1/stores/{storeId}/customers/{customerId}',
    body: true,
    etag: true,
  },
  listCustomerOrders: { path: '/admin/v1/stores/{storeId}/customers/{customerId}/orders', query: true, paged: true },
  createCustomerNote: {
    method: 'POST',
    path: '/admin/v1/stores/{storeId}/customers/{customerId}/notes',
    body: true,
    once: true,
  },
  exportCustomer: { path: '/admin/v1/stores/{storeId}/customers/{customerId}/export' },
  eraseCustomer: { method: 'DELETE', path: '/admin/v1/stores/{storeId}/customers/{customerId}' },
  deleteCustomerNote: { method: 'DELETE', path: '/admin/v1/stores/{storeId}/customers/{customerId}/notes/{noteId}' },
  listCoupons: { path: '/admin/v1/stores/{storeId}/coupons', query: true, paged: true, csv: true },
  createCoupon: { method: 'POST', path: '/admin/v1/stores/{storeId}/coupons', body: true, once: true },
  getCoupon: { path: '/admin/v1/stores/{storeId}/coupons/{code}', etag: true },
  updateCoupon: { method: 'PATCH', path: '/admin/v1/stores/{storeId}/coupons/{code}', body: true, etag: true },
  listCouponUses: { path: '/admin/v1/stores/{storeId}/coupons/{code}/uses', query: true, paged: true },
  listPaymentAccounts: { path: '/admin/v1/stores/{storeId}/payment-accounts' },
  updatePaymentAccount: { method: 'PATCH', path: '/admin/v1/stores/{storeId}/payment-accounts/{provider}', body: true },
  activatePaymentAccount: { method: 'POST', path: '/admin/v1/stores/{storeId}/payment-accounts/{provider}/activate' },
  listCarriers: { path: '/admin/v1/stores/{storeId}/carriers' },
  updateCarrier: { method: 'PATCH', path: '/admin/v1/stores/{storeId}/carriers/{carrier}', body: true },
  listInbox: { path: '/admin/v1/stores/{storeId}/inbox', query: true, paged: true },
  replayEvent: { method: 'POST', path: '/admin/v1/stores/{storeId}/inbox/{eventNumber}/replay' },
  listWebhooks: { path: '/admin/v1/stores/{storeId}/webhooks' },
  createWebhook: { method: 'POST', path: '/admin/v1/stores/{storeId}/webhooks', body: true },
  deleteWebhook: { method: 'DELETE', path: '/admin/v1/stores/{storeId}/webhooks/{endpointId}' },
  rotateWebhook: { method: 'POST', path: '/admin/v1/stores/{storeId}/webhooks/{endpointId}/rotate', body: true },
  enableWebhook: { method: 'POST', path: '/admin/v1/stores/{storeId}/webhooks/{endpointId}/enable' },
  testWebhook: { method: 'POST', path: '/admin/v1/stores/{storeId}/webhooks/{endpointId}/test' },
  listDeliveries: { path: '/admin/v1/stores/{storeId}/webhook-deliveries', query: true, paged: true },
  redeliver: { method: 'POST', path: '/admin/v1/stores/{storeId}/webhook-deliveries/{deliveryId}/redeliver' },
  listReturns: { path: '/admin/v1/stores/{storeId}/returns', query: true, paged: true, csv: true },
  createReturn: { method: 'POST', path: '/admin/v1/stores/{storeId}/returns', body: true, once: true },
  getReturn: { path: '/admin/v1/stores/{storeId}/returns/{id}' },
  approveReturn: { method: 'POST', path: '/admin/v1/stores/{storeId}/returns/{id}/approve', body: true, once: true },
  rejectReturn: { method: 'POST', path: '/admin/v1/stores/{storeId}/returns/{id}/reject', body: true, once: true },
  receiveReturn: { method: 'POST', path: '/admin/v1/stores/{storeId}/returns/{id}/receive', body: true, once: true },
  refundReturn: { method: 'POST', path: '/admin/v1/stores/{storeId}/returns/{id}/refund', body: true, once: true },
  reportSales: { path: '/admin/v1/stores/{storeId}/reports/sales', query: true, csv: true },
  reportProducts: { path: '/admin/v1/stores/{storeId}/reports/products', query: true, csv: true },
  reportCategories: { path: '/admin/v1/stores/{storeId}/reports/categories', query: true, csv: true },
  reportOutlets: { path: '/admin/v1/stores/{storeId}/reports/outlets', query: true, csv: true },
  reportCoupons: { path: '/admin/v1/stores/{storeId}/reports/coupons', query: true, csv: true },
  reportTax: { path: '/admin/v1/stores/{storeId}/reports/tax', query: true, csv: true },
  reportCarts: { path: '/admin/v1/stores/{storeId}/reports/carts', query: true, csv: true },
  listStaff: { path: '/admin/v1/stores/{storeId}/staff' },
  addStaff: { method: 'POST', path: '/admin/v1/stores/{storeId}/staff', body: true },
  updateStaff: { method: 'PATCH', path: '/admin/v1/stores/{storeId}/staff/{staffId}', body: true },
  removeStaff: { method: 'DELETE', path: '/admin/v1/stores/{storeId}/staff/{staffId}' },
  inviteStaff: { method: 'POST', path: '/admin/v1/stores/{storeId}/staff/{staffId}/invite' },
  listTokens: { path: '/admin/v1/stores/{storeId}/tokens' },
  createToken: { method: 'POST', path: '/admin/v1/stores/{storeId}/tokens', body: true },
  revokeToken: { method: 'DELETE', path: '/admin/v1/stores/{storeId}/tokens/{tokenId}' },
  listAudit: { path: '/admin/v1/stores/{storeId}/audit', query: true, paged: true, csv: true },
} as const satisfies Record<string, AdminOperation>

export const staffTable = {
  signIn: { method: 'POST', path: '/admin/v1/session', body: true },
  signInByLink: { method: 'POST', path: '/admin/v1/session/link', body: true },
  getSession: { path: '/admin/v1/session' },
  signOut: { method: 'DELETE', path: '/admin/v1/session' },
  forgotPassword: { method: 'POST', path: '/admin/v1/password/forgot', body: true },
  setPassword: { method: 'POST', path: '/admin/v1/password', body: true },
  getMe: { path: '/admin/v1/staff/me' },
  updateMe: { method: 'PATCH', path: '/admin/v1/staff/me', body: true },
  changePassword: { method: 'POST', path: '/admin/v1/staff/me/password', body: true },
  listSessions: { path: '/admin/v1/staff/me/sessions' },
  endSession: { method: 'DELETE', path: '/admin/v1/staff/me/sessions/{sessionId}' },
  endOtherSessions: { method: 'DELETE', path: '/admin/v1/staff/me/sessions' },
  startSecondFactor: { method: 'POST', path: '/admin/v1/staff/me/second-factor', body: true },
  confirmSecondFactor: { method: 'POST', path: '/admin/v1/staff/me/second-factor/confirm', body: true },
  removeSecondFactor: { method: 'POST', path: '/admin/v1/staff/me/second-factor/remove', body: true },
} as const satisfies Record<string, AdminOperation>

export interface AdminOperations {
  /**
   * Count what needs to be done.
   *
   * What the caller may not read is null.
   *
   * `GET /admin/v1/stores/{storeId}/today`, permission `orders:read` or `catalog:read`
   */
  today(options?: CallOptions): Promise<AdminToday>
  /**
   * List orders.
   *
   * Newest first. If a search finds very many orders, there are at least `total` of them, and `totalIsExact` is false.
   *
   * `GET /admin/v1/stores/{storeId}/orders`, permission `orders:read`
   */
  listOrders(input: AdminListOrdersInput & { format: 'csv' }, options?: CallOptions): CsvText
  listOrders(input?: AdminListOrdersInput, options?: CallOptions): Paged<OrderEventData, Counted>
  /**
   * Read everything about an order.
   *
   * `GET /admin/v1/stores/{storeId}/orders/{id}`, permission `orders:read`
   */
  getOrder(input: AdminGetOrderInput, options?: CallOptions): Promise<AdminOrder>
  /**
   * Add a note to an order.
   *
   * The customer does not see it.
   *
   * `POST /admin/v1/stores/{storeId}/orders/{id}/notes`, permission `orders:support`
   */
  addOrderNote(input: AdminAddOrderNoteInput, options?: CallOptions): Promise<OrderNote>
  /**
   * Say that an order no longer needs attention.
   *
   * `POST /admin/v1/stores/{storeId}/orders/{id}/resolve`, permission `orders:write`
   */
  resolveOrder(input: AdminResolveOrderInput, options?: CallOptions): Promise<AdminOrder>
  /**
   * List the carriers that parcels can be booked with.
   *
   * Those whose account of the store is complete, and nothing else about the accounts.
   *
   * `GET /admin/v1/stores/{storeId}/shipping-carriers`, permission `orders:fulfil`
   */
  listShippingCarriers(options?: CallOptions): Promise<AdminListShippingCarriersAnswer>
  /**
   * Ship an order or a part of it.
   *
   * With `partner`, and `trackingNumber` if there is one, of a parcel that the store has handed over, or with `carrier`
   * and `weightKg` to book one. Without `items`, all of the order, or all that is left of it.
   *
   * `POST /admin/v1/stores/{storeId}/orders/{id}/shipments`, permission `orders:fulfil`
   */
  shipOrder(input: AdminShipOrderInput, options?: CallOptions): Promise<AdminShipment>
  /**
   * Have the carrier make the label of a parcel.
   *
   * `labelUrl` of the answer is the address of the PDF.
   *
   * `POST /admin/v1/stores/{storeId}/orders/{id}/shipments/{shipmentId}/label`, permission `orders:fulfil`
   */
  labelShipment(input: AdminLabelShipmentInput, options?: CallOptions): Promise<AdminShipment>
  /**
   * Ask the courier to pick a parcel up.
   *
   * `POST /admin/v1/stores/{storeId}/orders/{id}/shipments/{shipmentId}/pickup`, permission `orders:fulfil`
   */
  pickUpShipment(input: AdminPickUpShipmentInput, options?: CallOptions): Promise<AdminShipment>
  /**
   * Cancel a parcel that was booked with a carrier.
   *
   * As long as the courier has not taken it. Its units can be shipped again.
   *
   * `POST /admin/v1/stores/{storeId}/orders/{id}/shipments/{shipmentId}/cancel`, permission `orders:fulfil`
   */
  cancelShipment(input: AdminCancelShipmentInput, options?: CallOptions): Promise<AdminShipment>
  /**
   * Mark an order as delivered.
   *
   * For parcels that no carrier reports. A cash order becomes paid.
   *
   * `POST /admin/v1/stores/{storeId}/orders/{id}/deliver`, permission `orders:fulfil`
   */
  deliverOrder(input: AdminDeliverOrderInput, options?: CallOptions): Promise<AdminOrder>
  /**
   * Cancel an unpaid order.
   *
   * Its payment is closed at the provider first. A paid order is refunded instead.
   *
   * `POST /admin/v1/stores/{storeId}/orders/{id}/cancel`, permission `orders:write`
   */
  cancelOrder(input: AdminCancelOrderInput, options?: CallOptions): Promise<AdminOrder>
  /**
   * Refund an order or a part of it.
   *
   * An `amount`, or `items` for their share of what was paid; without both, all that is left. The answer waits ten
   * seconds for the provider; a refund that is still `pending` then is continued. With `orders:support` alone, all
   * refunds of an order together can reach `supportRefundLimit` of the settings.
   *
   * `POST /admin/v1/stores/{storeId}/orders/{id}/refunds`, permission `orders:refund` or `orders:support`
   */
  refundOrder(input: AdminRefundOrderInput, options?: CallOptions): Promise<AdminRefund>
  /**
   * What a refund would return.
   *
   * Nothing is refunded. A refund that is not possible is refused as it would be.
   *
   * `POST /admin/v1/stores/{storeId}/orders/{id}/refunds/preview`, permission `orders:refund` or `orders:support`
   */
  previewRefund(input: AdminPreviewRefundInput, options?: CallOptions): Promise<AdminPreviewRefundAnswer>
  /**
   * Send a mail about an order again.
   *
   * To the customer's present address, at most three times an hour.
   *
   * `POST /admin/v1/stores/{storeId}/orders/{id}/messages/{name}/resend`, permission `orders:support`
   */
  resendMessage(input: AdminResendMessageInput, options?: CallOptions): Promise<AdminResendMessageAnswer>
  /**
   * Issue the invoice of an order.
   *
   * It gets the next number of the store, and never changes. 200: it was issued before. Needs an order that is paid, or
   * was placed with cash on delivery.
   *
   * `POST /admin/v1/stores/{storeId}/orders/{id}/invoice`, permission `orders:support` or `orders:fulfil`
   */
  issueInvoice(input: AdminIssueInvoiceInput, options?: CallOptions): Promise<AdminIssueInvoiceAnswer>
  /**
   * The invoice of an order as a page to print.
   *
   * `GET /admin/v1/stores/{storeId}/orders/{id}/invoice`, permission `orders:read`
   */
  getInvoice(input: AdminGetInvoiceInput, options?: CallOptions): Promise<string>
  /**
   * Issue the credit note of a refund.
   *
   * For a refund that has succeeded, of an order that has an invoice. 200: it was issued before.
   *
   * `POST /admin/v1/stores/{storeId}/orders/{id}/refunds/{refundId}/credit-note`, permission `orders:support` or
   * `orders:fulfil`
   */
  issueCreditNote(input: AdminIssueCreditNoteInput, options?: CallOptions): Promise<AdminIssueCreditNoteAnswer>
  /**
   * The credit note of a refund as a page to print.
   *
   * `GET /admin/v1/stores/{storeId}/orders/{id}/refunds/{refundId}/credit-note`, permission `orders:read`
   */
  getCreditNote(input: AdminGetCreditNoteInput, options?: CallOptions): Promise<string>
  /**
   * What to pack for an order, as a page to print.
   *
   * Without parameters: all units that were not refunded.
   *
   * `GET /admin/v1/stores/{storeId}/orders/{id}/packing-slip`, permission `orders:read`
   */
  getPackingSlip(input: AdminGetPackingSlipInput, options?: CallOptions): Promise<string>
  /**
   * What to pack for several orders, as one page to print.
   *
   * `GET /admin/v1/stores/{storeId}/packing-slips`, permission `orders:read`
   */
  getPackingSlips(input: AdminGetPackingSlipsInput, options?: CallOptions): Promise<string>
  /**
   * List products of every status.
   *
   * `GET /admin/v1/stores/{storeId}/products`, permission `catalog:read`
   */
  listProducts(input: AdminListProductsInput & { format: 'csv' }, options?: CallOptions): CsvText
  listProducts(input?: AdminListProductsInput, options?: CallOptions): Paged<AdminProductItem, Counted>
  /**
   * Create a product.
   *
   * A product without `variants` has one, with the fields of the product. Without `slug`, it is made from the name.
   *
   * `POST /admin/v1/stores/{storeId}/products`, permission `catalog:write`
   */
  createProduct(input: AdminCreateProductInput, options?: CallOptions): Promise<AdminProduct & WithEtag>
  /**
   * Read a product with all its variants.
   *
   * By id or slug. Prices and stock are those of the default outlet.
   *
   * `GET /admin/v1/stores/{storeId}/products/{productId}`, permission `catalog:read`
   */
  getProduct(input: AdminGetProductInput, options?: CallOptions): Promise<AdminProduct & WithEtag>
  /**
   * Change a product.
   *
   * Null clears a field. Fields of a variant, such as `price`, change the only variant of the product.
   *
   * `PATCH /admin/v1/stores/{storeId}/products/{productId}`, permission `catalog:write`
   */
  updateProduct(input: AdminUpdateProductInput, options?: ChangeOptions): Promise<AdminProduct & WithEtag>
  /**
   * Archive a product.
   *
   * Shoppers no longer see it. Set another `status` to bring it back.
   *
   * `DELETE /admin/v1/stores/{storeId}/products/{productId}`, permission `catalog:write`
   */
  archiveProduct(input: AdminArchiveProductInput, options?: CallOptions): Promise<void>
  /**
   * Copy a product.
   *
   * The copy is a draft without stock, SKUs and barcodes.
   *
   * `POST /admin/v1/stores/{storeId}/products/{productId}/duplicate`, permission `catalog:write`
   */
  duplicateProduct(input: AdminDuplicateProductInput, options?: CallOptions): Promise<AdminProduct & WithEtag>
  /**
   * List the variants of a product, including inactive ones.
   *
   * `GET /admin/v1/stores/{storeId}/products/{productId}/variants`, permission `catalog:read`
   */
  listVariants(input: AdminListVariantsInput, options?: CallOptions): Promise<AdminListVariantsAnswer>
  /**
   * Add a variant to a product.
   *
   * A product without options gets its first ones: its only variant is switched off.
   *
   * `POST /admin/v1/stores/{storeId}/products/{productId}/variants`, permission `catalog:write`
   */
  createVariant(input: AdminCreateVariantInput, options?: CallOptions): Promise<AdminVariant & WithEtag>
  /**
   * Read a variant.
   *
   * `GET /admin/v1/stores/{storeId}/products/{productId}/variants/{variantId}`, permission `catalog:read`
   */
  getVariant(input: AdminGetVariantInput, options?: CallOptions): Promise<AdminVariant & WithEtag>
  /**
   * Change a variant, or switch it off.
   *
   * Null clears a field.
   *
   * `PATCH /admin/v1/stores/{storeId}/products/{productId}/variants/{variantId}`, permission `catalog:write`
   */
  updateVariant(input: AdminUpdateVariantInput, options?: ChangeOptions): Promise<AdminVariant & WithEtag>
  /**
   * Change many products.
   *
   * Up to 500 by `ids`, or any number by a `filter` like that of the list: those that match when the job comes to them;
   * `{}` is all. A job changes each product once; see `jobs` for its progress. Its `result` counts products that were
   * `updated`, `unchanged` (they had the values already) and `faulty`. `faults` has the first thousand or so. `total`
   * is counted up to 10,000 at first.
   *
   * `POST /admin/v1/stores/{storeId}/products/bulk`, permission `catalog:write`
   */
  bulkProducts(input: AdminBulkProductsInput, options?: CallOptions): Promise<MerchantJob>
  /**
   * Import products from a file.
   *
   * JSON, JSON Lines, CSV, or a product export of Shopify or WooCommerce, up to 256 MiB of UTF-8 text; the format is
   * detected unless `format` names it. The file is checked first, and nothing is written if a product is invalid,
   * unless `skipBad` is set. `faults` of the job has the first 1,000 problems with their line and field. An interrupted
   * import goes on by itself. At most three imports of a store may be unfinished.
   *
   * `POST /admin/v1/stores/{storeId}/jobs`, permission `jobs:write`
   */
  createJob(input: AdminCreateJobInput, options?: CallOptions): Promise<MerchantJob>
  /**
   * Export all products to a file.
   *
   * In a format that an import reads. Download the file at `jobs/{jobId}/file` when the job is done; it is kept for a
   * day. At most twenty exports a day.
   *
   * `POST /admin/v1/stores/{storeId}/products/export`, permission `jobs:write`
   */
  exportProducts(input?: AdminExportProductsInput, options?: CallOptions): Promise<MerchantJob>
  /**
   * List categories in the order of their positions.
   *
   * `GET /admin/v1/stores/{storeId}/categories`, permission `catalog:read`
   */
  listCategories(input?: AdminListCategoriesInput, options?: CallOptions): Paged<AdminCategory, Counted>
  /**
   * Create a category.
   *
   * Without `position`, it is the last.
   *
   * `POST /admin/v1/stores/{storeId}/categories`, permission `catalog:write`
   */
  createCategory(input: AdminCreateCategoryInput, options?: CallOptions): Promise<AdminCategory & WithEtag>
  /**
   * Read a category, by id or slug.
   *
   * `GET /admin/v1/stores/{storeId}/categories/{categoryId}`, permission `catalog:read`
   */
  getCategory(input: AdminGetCategoryInput, options?: CallOptions): Promise<AdminCategory & WithEtag>
  /**
   * Change or move a category.
   *
   * `parentId` and `position` move it. Searches find its products by its new name shortly afterwards.
   *
   * `PATCH /admin/v1/stores/{storeId}/categories/{categoryId}`, permission `catalog:write`
   */
  updateCategory(input: AdminUpdateCategoryInput, options?: ChangeOptions): Promise<AdminCategory & WithEtag>
  /**
   * Delete a category that is empty.
   *
   * Products of every status count, and categories in it.
   *
   * `DELETE /admin/v1/stores/{storeId}/categories/{categoryId}`, permission `catalog:write`
   */
  deleteCategory(input: AdminDeleteCategoryInput, options?: CallOptions): Promise<void>
  /**
   * List the outlets of the store, oldest first.
   *
   * `GET /admin/v1/stores/{storeId}/outlets`, permission `catalog:read`
   */
  listOutlets(input?: AdminListOutletsInput, options?: CallOptions): Paged<Outlet, Counted>
  /**
   * Create an outlet.
   *
   * It sells all products of the store, with its own stock and prices.
   *
   * `POST /admin/v1/stores/{storeId}/outlets`, permission `catalog:write`
   */
  createOutlet(input: AdminCreateOutletInput, options?: CallOptions): Promise<Outlet & WithEtag>
  /**
   * Read an outlet.
   *
   * `GET /admin/v1/stores/{storeId}/outlets/{outletId}`, permission `catalog:read`
   */
  getOutlet(input: AdminGetOutletInput, options?: CallOptions): Promise<Outlet & WithEtag>
  /**
   * Rename an outlet, or make it the default.
   *
   * `PATCH /admin/v1/stores/{storeId}/outlets/{outletId}`, permission `catalog:write`
   */
  updateOutlet(input: AdminUpdateOutletInput, options?: ChangeOptions): Promise<Outlet & WithEtag>
  /**
   * Delete an outlet that is not used.
   *
   * It must have no units in stock, no carts and no orders, and must not be the default.
   *
   * `DELETE /admin/v1/stores/{storeId}/outlets/{outletId}`, permission `catalog:write`
   */
  deleteOutlet(input: AdminDeleteOutletInput, options?: CallOptions): Promise<void>
  /**
   * Read the navigation menu.
   *
   * `GET /admin/v1/stores/{storeId}/menu`, permission `catalog:read`
   */
  getMenu(options?: CallOptions): Promise<Menu & WithEtag>
  /**
   * Replace the navigation menu.
   *
   * A menu has at most three levels.
   *
   * `PATCH /admin/v1/stores/{storeId}/menu`, permission `catalog:write`
   */
  updateMenu(input: AdminUpdateMenuInput, options?: ChangeOptions): Promise<Menu & WithEtag>
  /**
   * List jobs, newest first.
   *
   * A job is kept for a day after its end.
   *
   * `GET /admin/v1/stores/{storeId}/jobs`, permission `catalog:read`
   */
  listJobs(input?: AdminListJobsInput, options?: CallOptions): Paged<MerchantJob, Counted>
  /**
   * Read a job and its progress.
   *
   * `GET /admin/v1/stores/{storeId}/jobs/{jobId}`, permission `catalog:read`
   */
  getJob(input: AdminGetJobInput, options?: CallOptions): Promise<MerchantJob>
  /**
   * Cancel a job.
   *
   * What is done stays done.
   *
   * `POST /admin/v1/stores/{storeId}/jobs/{jobId}/cancel`, permission `jobs:write`
   */
  cancelJob(input: AdminCancelJobInput, options?: CallOptions): Promise<MerchantJob>
  /**
   * Download the file that a job has made.
   *
   * An export is kept for a day.
   *
   * `GET /admin/v1/stores/{storeId}/jobs/{jobId}/file`, permission `jobs:write`
   */
  downloadJobFile(input: AdminDownloadJobFileInput, options?: CallOptions): Promise<string>
  /**
   * List pictures, newest first.
   *
   * `GET /admin/v1/stores/{storeId}/media`, permission `catalog:read`
   */
  listMedia(input?: AdminListMediaInput, options?: CallOptions): Paged<Medium, Counted>
  /**
   * Upload a picture.
   *
   * JPEG, PNG, WebP, AVIF or GIF, up to 10 MiB and 50 megapixels. With `productId` it becomes the last picture of that
   * product. The same file again answers 200 with the picture that is there. A picture that nothing uses within a day
   * is removed.
   *
   * `POST /admin/v1/stores/{storeId}/media`, permission `catalog:write`
   */
  uploadMedia(input: AdminUploadMediaInput, options?: CallOptions): Promise<Medium>
  /**
   * Show a picture and what uses it.
   *
   * `GET /admin/v1/stores/{storeId}/media/{mediaId}`, permission `catalog:read`
   */
  showMedium(input: AdminShowMediumInput, options?: CallOptions): Promise<MediumDetail & WithEtag>
  /**
   * Change the text of a picture.
   *
   * Products keep the text that they have for the picture.
   *
   * `PATCH /admin/v1/stores/{storeId}/media/{mediaId}`, permission `catalog:write`
   */
  changeMedium(input: AdminChangeMediumInput, options?: ChangeOptions): Promise<Medium & WithEtag>
  /**
   * Delete a picture.
   *
   * Refused while a product, a variant, a category or the logo uses it. Orders keep showing it.
   *
   * `DELETE /admin/v1/stores/{storeId}/media/{mediaId}`, permission `catalog:write`
   */
  deleteMedium(input: AdminDeleteMediumInput, options?: CallOptions): Promise<void>
  /**
   * Read the settings of the store.
   *
   * `GET /admin/v1/stores/{storeId}/settings`, permission `settings:read`
   */
  getSettings(options?: CallOptions): Promise<Settings & WithEtag>
  /**
   * Change settings of the store.
   *
   * Also inside the groups, only the given fields change.
   *
   * `PATCH /admin/v1/stores/{storeId}/settings`, permission `settings:write`
   */
  updateSettings(input?: AdminUpdateSettingsInput, options?: ChangeOptions): Promise<Settings & WithEtag>
  /**
   * Read what the store still needs before its first real payment.
   *
   * `GET /admin/v1/stores/{storeId}/setup`, permission `settings:read`
   */
  getSetup(options?: CallOptions): Promise<Setup>
  /**
   * List the stock of each variant at each outlet.
   *
   * Without variants that are switched off, and those of archived products.
   *
   * `GET /admin/v1/stores/{storeId}/stock`, permission `catalog:read`
   */
  listStock(input: AdminListStockInput & { format: 'csv' }, options?: CallOptions): CsvText
  listStock(input?: AdminListStockInput, options?: CallOptions): Paged<StockLevel, Counted>
  /**
   * Change how many units of a variant can be sold at an outlet.
   *
   * Send `variantId` or `sku`, and one of `delta`, `set` and `onHand`. `set` is the number of available units: those on
   * hand, less those reserved for unpaid orders. After a stocktake send `onHand`, and the service subtracts what is
   * reserved at that moment. Do not count units of paid orders that are not sent yet. Reserved units stay reserved.
   * Units that are not available cannot be taken away: the answer is 409 `INSUFFICIENT_STOCK`. `set` and `onHand` make
   * an untracked variant tracked.
   *
   * `POST /admin/v1/stores/{storeId}/stock/adjust`, permission `stock:write`
   */
  adjustStock(input: AdminAdjustStockInput, options?: CallOptions): Promise<AdminAdjustStockAnswer>
  /**
   * List every change of the stock of a variant, newest first.
   *
   * `GET /admin/v1/stores/{storeId}/stock/moves`, permission `catalog:read`
   */
  listStockMoves(input: AdminListStockMovesInput & { format: 'csv' }, options?: CallOptions): CsvText
  listStockMoves(input?: AdminListStockMovesInput, options?: CallOptions): Paged<StockMove, Counted>
  /**
   * List the keys of the store, without their secrets.
   *
   * `GET /admin/v1/stores/{storeId}/keys`, permission `settings:read`
   */
  listKeys(options?: CallOptions): Promise<AdminListKeysAnswer>
  /**
   * Create a key.
   *
   * The key is shown only once.
   *
   * `POST /admin/v1/stores/{storeId}/keys`, permission `secrets:write`
   */
  createKey(input: AdminCreateKeyInput, options?: CallOptions): Promise<AdminCreateKeyAnswer>
  /**
   * Change the name, the scopes or the rate limit of a key.
   *
   * `PATCH /admin/v1/stores/{storeId}/keys/{keyId}`, permission `secrets:write`
   */
  updateKey(input: AdminUpdateKeyInput, options?: CallOptions): Promise<StoreKey>
  /**
   * Revoke a key.
   *
   * `DELETE /admin/v1/stores/{storeId}/keys/{keyId}`, permission `secrets:write`
   */
  revokeKey(input: AdminRevokeKeyInput, options?: CallOptions): Promise<void>
  /**
   * List the origins that may call the store from a browser.
   *
   * `GET /admin/v1/stores/{storeId}/origins`, permission `settings:read`
   */
  listOrigins(options?: CallOptions): Promise<AdminListOriginsAnswer>
  /**
   * Allow an origin.
   *
   * `POST /admin/v1/stores/{storeId}/origins`, permission `settings:write`
   */
  addOrigin(input: AdminAddOriginInput, options?: CallOptions): Promise<AdminAddOriginAnswer>
  /**
   * No longer allow an origin.
   *
   * Percent-encoded, such as `https%3A%2F%2Fbluedoor.example`.
   *
   * `DELETE /admin/v1/stores/{storeId}/origins/{origin}`, permission `settings:write`
   */
  removeOrigin(input: AdminRemoveOriginInput, options?: CallOptions): Promise<void>
  /**
   * Replace the credentials of the webhooks of a payment provider or a carrier.
   *
   * They are shown only once. The old ones stay valid for `overlapHours`.
   *
   * `POST /admin/v1/stores/{storeId}/webhook-credentials/{kind}/rotate`, permission `secrets:write`
   */
  rotateCredential(input: AdminRotateCredentialInput, options?: CallOptions): Promise<AdminRotateCredentialAnswer>
  /**
   * List customers, newest first.
   *
   * `GET /admin/v1/stores/{storeId}/customers`, permission `customers:read`
   */
  listCustomers(input: AdminListCustomersInput & { format: 'csv' }, options?: CallOptions): CsvText
  listCustomers(input?: AdminListCustomersInput, options?: CallOptions): Paged<StoreCustomer, Counted>
  /**
   * Read a customer with addresses, notes, orders and spend.
   *
   * With the newest 20 orders. The ETag is that of the fields that can be changed.
   *
   * `GET /admin/v1/stores/{storeId}/customers/{customerId}`, permission `customers:read`
   */
  getCustomer(input: AdminGetCustomerInput, options?: CallOptions): Promise<CustomerDetails & WithEtag>
  /**
   * Change the name, email or phone number of a customer.
   *
   * A new email is not confirmed, and gets a mail that asks for it. A new phone number is only for contact. If the
   * customer could sign in with the old one, all their sessions end. 409 if another customer signs in with the email,
   * and if the customer could not sign in any more.
   *
   * `PATCH /admin/v1/stores/{storeId}/customers/{customerId}`, permission `customers:write`
   */
  updateCustomer(input: AdminUpdateCustomerInput, options?: ChangeOptions): Promise<Customer & WithEtag>
  /**
   * List the orders of a customer, newest first.
   *
   * `GET /admin/v1/stores/{storeId}/customers/{customerId}/orders`, permission `customers:read`
   */
  listCustomerOrders(input: AdminListCustomerOrdersInput, options?: CallOptions): Paged<Order, Counted>
  /**
   * Add a note about a customer.
   *
   * The customer does not see it. It is part of the export, and erased with the customer.
   *
   * `POST /admin/v1/stores/{storeId}/customers/{customerId}/notes`, permission `customers:write` or `orders:support`
   */
  createCustomerNote(input: AdminCreateCustomerNoteInput, options?: CallOptions): Promise<CustomerNote>
  /**
   * Export everything that is known of a customer, as JSON.
   *
   * Profile, addresses, orders with payments and shipments, cart, wishlist, downloads, messages, sessions, consents and
   * notes, without secrets. Sent piece by piece.
   *
   * `GET /admin/v1/stores/{storeId}/customers/{customerId}/export`, permission `customers:read`
   */
  exportCustomer(input: AdminExportCustomerInput, options?: CallOptions): Promise<CustomerExport>
  /**
   * Erase the personal data of a customer.
   *
   * Personal values in orders, events, logs and received webhooks become `[erased]`, and the account, its sessions and
   * its addresses end. Amounts, tax and the record that something happened stay. It cannot be undone. 409 while an
   * order is unpaid, not delivered, or being refunded. `erasing`: the account has ended, and a job goes on with the
   * rest. Repeating the call is harmless.
   *
   * `DELETE /admin/v1/stores/{storeId}/customers/{customerId}`, permission `customers:erase`
   */
  eraseCustomer(input: AdminEraseCustomerInput, options?: CallOptions): Promise<AdminEraseCustomerAnswer>
  /**
   * Delete a note.
   *
   * `DELETE /admin/v1/stores/{storeId}/customers/{customerId}/notes/{noteId}`, permission `customers:write`
   */
  deleteCustomerNote(input: AdminDeleteCustomerNoteInput, options?: CallOptions): Promise<void>
  /**
   * List coupons, newest first.
   *
   * `GET /admin/v1/stores/{storeId}/coupons`, permission `catalog:read`
   */
  listCoupons(input: AdminListCouponsInput & { format: 'csv' }, options?: CallOptions): CsvText
  listCoupons(input?: AdminListCouponsInput, options?: CallOptions): Paged<StoreCoupon, Counted>
  /**
   * Create a coupon.
   *
   * `POST /admin/v1/stores/{storeId}/coupons`, permission `coupons:write`
   */
  createCoupon(input: AdminCreateCouponInput, options?: CallOptions): Promise<StoreCoupon>
  /**
   * Read a coupon.
   *
   * `GET /admin/v1/stores/{storeId}/coupons/{code}`, permission `catalog:read`
   */
  getCoupon(input: AdminGetCouponInput, options?: CallOptions): Promise<StoreCoupon & WithEtag>
  /**
   * Change or stop a coupon.
   *
   * Orders keep the discount that they have. `kind` and `value` of a coupon that was used do not change (409), and its
   * limit is never lower than its uses.
   *
   * `PATCH /admin/v1/stores/{storeId}/coupons/{code}`, permission `coupons:write`
   */
  updateCoupon(input: AdminUpdateCouponInput, options?: ChangeOptions): Promise<StoreCoupon & WithEtag>
  /**
   * List the orders that have used a coupon, newest first.
   *
   * Orders that were cancelled have given their use back, and are not listed.
   *
   * `GET /admin/v1/stores/{storeId}/coupons/{code}/uses`, permission `orders:read`
   */
  listCouponUses(input: AdminListCouponUsesInput, options?: CallOptions): Paged<CouponUse, Counted>
  /**
   * List the payment providers and the accounts of the store.
   *
   * `GET /admin/v1/stores/{storeId}/payment-accounts`, permission `settings:read`
   */
  listPaymentAccounts(options?: CallOptions): Promise<AdminListPaymentAccountsAnswer>
  /**
   * Set credentials of a payment account.
   *
   * They are tried with a harmless call first, unless `check` is false, and stored encrypted. They are never shown.
   *
   * `PATCH /admin/v1/stores/{storeId}/payment-accounts/{provider}`, permission `secrets:write`
   */
  updatePaymentAccount(
    input: AdminUpdatePaymentAccountInput,
    options?: CallOptions,
  ): Promise<AdminUpdatePaymentAccountAnswer>
  /**
   * Pay new orders with this account.
   *
   * Only after a harmless call with its credentials has succeeded.
   *
   * `POST /admin/v1/stores/{storeId}/payment-accounts/{provider}/activate`, permission `secrets:write`
   */
  activatePaymentAccount(
    input: AdminActivatePaymentAccountInput,
    options?: CallOptions,
  ): Promise<AdminActivatePaymentAccountAnswer>
  /**
   * List the carriers and the accounts of the store.
   *
   * `GET /admin/v1/stores/{storeId}/carriers`, permission `settings:read`
   */
  listCarriers(options?: CallOptions): Promise<AdminListCarriersAnswer>
  /**
   * Set credentials of a carrier account.
   *
   * They are tried with a harmless call first, unless `check` is false, and stored encrypted. They are never shown.
   *
   * `PATCH /admin/v1/stores/{storeId}/carriers/{carrier}`, permission `secrets:write`
   */
  updateCarrier(input: AdminUpdateCarrierInput, options?: CallOptions): Promise<AdminUpdateCarrierAnswer>
  /**
   * List events of payment providers and carriers, newest first.
   *
   * `GET /admin/v1/stores/{storeId}/inbox`, permission `orders:read`
   */
  listInbox(input?: AdminListInboxInput, options?: CallOptions): Paged<InboxEvent, Counted>
  /**
   * Apply an event again.
   *
   * Effects that it already had are not repeated.
   *
   * `POST /admin/v1/stores/{storeId}/inbox/{eventNumber}/replay`, permission `orders:write`
   */
  replayEvent(input: AdminReplayEventInput, options?: CallOptions): Promise<InboxEvent>
  /**
   * List the endpoints that receive events of the store.
   *
   * `GET /admin/v1/stores/{storeId}/webhooks`, permission `settings:read`
   */
  listWebhooks(options?: CallOptions): Promise<AdminListWebhooksAnswer>
  /**
   * Create an endpoint.
   *
   * The secret is shown only once.
   *
   * `POST /admin/v1/stores/{storeId}/webhooks`, permission `webhooks:write`
   */
  createWebhook(input: AdminCreateWebhookInput, options?: CallOptions): Promise<AdminCreateWebhookAnswer>
  /**
   * Delete an endpoint.
   *
   * What waits for it is not sent.
   *
   * `DELETE /admin/v1/stores/{storeId}/webhooks/{endpointId}`, permission `webhooks:write`
   */
  deleteWebhook(input: AdminDeleteWebhookInput, options?: CallOptions): Promise<void>
  /**
   * Replace the secret of an endpoint.
   *
   * Requests are signed with both secrets until `oldSecretUntil`. Refused until then, unless `force`.
   *
   * `POST /admin/v1/stores/{storeId}/webhooks/{endpointId}/rotate`, permission `webhooks:write`
   */
  rotateWebhook(input: AdminRotateWebhookInput, options?: CallOptions): Promise<AdminRotateWebhookAnswer>
  /**
   * Switch an endpoint on again.
   *
   * `POST /admin/v1/stores/{storeId}/webhooks/{endpointId}/enable`, permission `webhooks:write`
   */
  enableWebhook(input: AdminEnableWebhookInput, options?: CallOptions): Promise<WebhookEndpoint>
  /**
   * Send a test event to an endpoint.
   *
   * The delivery shows the result, within a second as a rule.
   *
   * `POST /admin/v1/stores/{storeId}/webhooks/{endpointId}/test`, permission `webhooks:write`
   */
  testWebhook(input: AdminTestWebhookInput, options?: CallOptions): Promise<AdminTestWebhookAnswer>
  /**
   * List deliveries, newest first.
   *
   * `GET /admin/v1/stores/{storeId}/webhook-deliveries`, permission `settings:read`
   */
  listDeliveries(input?: AdminListDeliveriesInput, options?: CallOptions): Paged<WebhookDelivery, Counted>
  /**
   * Send an event again.
   *
   * `POST /admin/v1/stores/{storeId}/webhook-deliveries/{deliveryId}/redeliver`, permission `webhooks:write`
   */
  redeliver(input: AdminRedeliverInput, options?: CallOptions): Promise<WebhookDelivery>
  /**
   * List returns.
   *
   * Newest first.
   *
   * `GET /admin/v1/stores/{storeId}/returns`, permission `orders:read`
   */
  listReturns(input: AdminListReturnsInput & { format: 'csv' }, options?: CallOptions): CsvText
  listReturns(input?: AdminListReturnsInput, options?: CallOptions): Paged<AdminReturn, Counted>
  /**
   * Note that a customer returns items.
   *
   * For a customer who has called or written. It is approved at once, whenever the order was delivered.
   *
   * `POST /admin/v1/stores/{storeId}/returns`, permission `orders:support`
   */
  createReturn(input: AdminCreateReturnInput, options?: CallOptions): Promise<AdminReturn>
  /**
   * Read a return.
   *
   * `GET /admin/v1/stores/{storeId}/returns/{id}`, permission `orders:read`
   */
  getReturn(input: AdminGetReturnInput, options?: CallOptions): Promise<AdminReturn>
  /**
   * Approve a return.
   *
   * The customer may send the items.
   *
   * `POST /admin/v1/stores/{storeId}/returns/{id}/approve`, permission `orders:support`
   */
  approveReturn(input: AdminApproveReturnInput, options?: CallOptions): Promise<AdminReturn>
  /**
   * Reject a return.
   *
   * Possible until the items have arrived. They can be asked for again.
   *
   * `POST /admin/v1/stores/{storeId}/returns/{id}/reject`, permission `orders:support`
   */
  rejectReturn(input: AdminRejectReturnInput, options?: CallOptions): Promise<AdminReturn>
  /**
   * Note that the items have arrived.
   *
   * Also after the refund, if that came first. The status then stays `refunded`.
   *
   * `POST /admin/v1/stores/{storeId}/returns/{id}/receive`, permission `orders:support`
   */
  receiveReturn(input: AdminReceiveReturnInput, options?: CallOptions): Promise<AdminReturn>
  /**
   * Refund a return.
   *
   * For items that are approved or have arrived: their share of what was paid, or an `amount`. With `orders:support`
   * alone, all refunds of an order together can reach `supportRefundLimit` of the settings.
   *
   * `POST /admin/v1/stores/{storeId}/returns/{id}/refund`, permission `orders:refund` or `orders:support`
   */
  refundReturn(input: AdminRefundReturnInput, options?: CallOptions): Promise<AdminReturn>
  /**
   * Sales by day, week or month.
   *
   * An order counts on the day it was placed, in the store's time zone, once it is paid or placed for cash, unless it
   * is cancelled. Without `from` and `to`: the last thirty days.
   *
   * `GET /admin/v1/stores/{storeId}/reports/sales`, permission `reports:read`
   */
  reportSales(input: AdminReportSalesInput & { format: 'csv' }, options?: CallOptions): CsvText
  reportSales(input?: AdminReportSalesInput, options?: CallOptions): Promise<AdminReportSalesAnswer>
  /**
   * Sales by product, best first.
   *
   * `GET /admin/v1/stores/{storeId}/reports/products`, permission `reports:read`
   */
  reportProducts(input: AdminReportProductsInput & { format: 'csv' }, options?: CallOptions): CsvText
  reportProducts(input?: AdminReportProductsInput, options?: CallOptions): Promise<AdminReportProductsAnswer>
  /**
   * Sales by category, best first.
   *
   * Products count in the category that they have now.
   *
   * `GET /admin/v1/stores/{storeId}/reports/categories`, permission `reports:read`
   */
  reportCategories(input: AdminReportCategoriesInput & { format: 'csv' }, options?: CallOptions): CsvText
  reportCategories(input?: AdminReportCategoriesInput, options?: CallOptions): Promise<AdminReportCategoriesAnswer>
  /**
   * Sales by outlet, best first.
   *
   * `GET /admin/v1/stores/{storeId}/reports/outlets`, permission `reports:read`
   */
  reportOutlets(input: AdminReportOutletsInput & { format: 'csv' }, options?: CallOptions): CsvText
  reportOutlets(input?: AdminReportOutletsInput, options?: CallOptions): Promise<AdminReportOutletsAnswer>
  /**
   * Sales with each coupon, best first.
   *
   * `GET /admin/v1/stores/{storeId}/reports/coupons`, permission `reports:read`
   */
  reportCoupons(input: AdminReportCouponsInput & { format: 'csv' }, options?: CallOptions): CsvText
  reportCoupons(input?: AdminReportCouponsInput, options?: CallOptions): Promise<AdminReportCouponsAnswer>
  /**
   * Tax by rate: charged, refunded and net.
   *
   * Tax counts in the period in which its order was placed, and refunded tax in the period in which the refund was
   * requested. So an earlier period does not change when one of its orders is refunded later, and `netTax` may be
   * negative. A cancelled order counts nowhere, nor do its refunds. A refund of an amount returns the same share of
   * each rate. The figures are those of the credit notes.
   *
   * `GET /admin/v1/stores/{storeId}/reports/tax`, permission `reports:read`
   */
  reportTax(input: AdminReportTaxInput & { format: 'csv' }, options?: CallOptions): CsvText
  reportTax(input?: AdminReportTaxInput, options?: CallOptions): Promise<AdminReportTaxAnswer>
  /**
   * Carts and how many of them became orders.
   *
   * A cart that holds items counts at its last change. Carts of guests are deleted thirty days after it, so earlier
   * periods show the orders and few carts.
   *
   * `GET /admin/v1/stores/{storeId}/reports/carts`, permission `reports:read`
   */
  reportCarts(input: AdminReportCartsInput & { format: 'csv' }, options?: CallOptions): CsvText
  reportCarts(input?: AdminReportCartsInput, options?: CallOptions): Promise<AdminReportCartsAnswer>
  /**
   * List the staff of the store.
   *
   * `GET /admin/v1/stores/{storeId}/staff`, permission `staff:write`
   */
  listStaff(options?: CallOptions): Promise<AdminListStaffAnswer>
  /**
   * Add a person to the staff of the store.
   *
   * A new person gets a link by mail that sets a password.
   *
   * `POST /admin/v1/stores/{storeId}/staff`, permission `staff:write`
   */
  addStaff(input: AdminAddStaffInput, options?: CallOptions): Promise<AdminAddStaffAnswer>
  /**
   * Change the role of a person.
   *
   * `PATCH /admin/v1/stores/{storeId}/staff/{staffId}`, permission `staff:write`
   */
  updateStaff(input: AdminUpdateStaffInput, options?: CallOptions): Promise<Staff>
  /**
   * Remove a person from the staff of the store.
   *
   * `DELETE /admin/v1/stores/{storeId}/staff/{staffId}`, permission `staff:write`
   */
  removeStaff(input: AdminRemoveStaffInput, options?: CallOptions): Promise<void>
  /**
   * Send a new link to a staff member without a password.
   *
   * `POST /admin/v1/stores/{storeId}/staff/{staffId}/invite`, permission `staff:write`
   */
  inviteStaff(input: AdminInviteStaffInput, options?: CallOptions): Promise<AdminInviteStaffAnswer>
  /**
   * List the tokens of the store, without their secrets.
   *
   * `GET /admin/v1/stores/{storeId}/tokens`, permission `secrets:write`
   */
  listTokens(options?: CallOptions): Promise<AdminListTokensAnswer>
  /**
   * Create a token for a program.
   *
   * The token is shown only once. It has either the permissions of a role, or those that you list.
   *
   * `POST /admin/v1/stores/{storeId}/tokens`, permission `secrets:write`
   */
  createToken(input?: AdminCreateTokenInput, options?: CallOptions): Promise<AdminCreateTokenAnswer>
  /**
   * Revoke a token.
   *
   * `DELETE /admin/v1/stores/{storeId}/tokens/{tokenId}`, permission `secrets:write`
   */
  revokeToken(input: AdminRevokeTokenInput, options?: CallOptions): Promise<void>
  /**
   * List what staff, programs and commands have changed.
   *
   * `GET /admin/v1/stores/{storeId}/audit`, permission `audit:read`
   */
  listAudit(input: AdminListAuditInput & { format: 'csv' }, options?: CallOptions): CsvText
  listAudit(input?: AdminListAuditInput, options?: CallOptions): Paged<AuditEntry, Counted>
}

export interface StaffOperations {
  /**
   * Sign in.
   *
   * Sets the cookie `vitrine_staff`, which is valid for twelve hours after its last use. Ten failures of an email, or a
   * hundred of a client address, in fifteen minutes: 429. `SECOND_FACTOR_REQUIRED`: send the request again with `code`.
   *
   * `POST /admin/v1/session`
   */
  signIn(input: AdminSignInInput, options?: CallOptions): Promise<StaffSession>
  /**
   * Sign in with the token of a link.
   *
   * Works once. The start of a demo prints such a link; there are no others.
   *
   * `POST /admin/v1/session/link`
   */
  signInByLink(input: AdminSignInByLinkInput, options?: CallOptions): Promise<StaffSession>
  /**
   * Read the session.
   *
   * `GET /admin/v1/session`
   */
  getSession(options?: CallOptions): Promise<StaffSession>
  /**
   * Sign out.
   *
   * `DELETE /admin/v1/session`
   */
  signOut(options?: CallOptions): Promise<void>
  /**
   * Send a link that sets a new password.
   *
   * The answer is the same for unknown addresses.
   *
   * `POST /admin/v1/password/forgot`
   */
  forgotPassword(input: AdminForgotPasswordInput, options?: CallOptions): Promise<AdminForgotPasswordAnswer>
  /**
   * Set a password with the token of a link, and sign in.
   *
   * Ends all sessions of the person. With a second factor, `code` is required too.
   *
   * `POST /admin/v1/password`
   */
  setPassword(input: AdminSetPasswordInput, options?: CallOptions): Promise<StaffSession>
  /**
   * Read who is signed in.
   *
   * `GET /admin/v1/staff/me`
   */
  getMe(options?: CallOptions): Promise<StaffSession>
  /**
   * Change your name.
   *
   * `PATCH /admin/v1/staff/me`
   */
  updateMe(input: AdminUpdateMeInput, options?: CallOptions): Promise<StaffSession>
  /**
   * Change your password.
   *
   * Ends your other sessions.
   *
   * `POST /admin/v1/staff/me/password`
   */
  changePassword(input: AdminChangePasswordInput, options?: CallOptions): Promise<AdminChangePasswordAnswer>
  /**
   * List your sessions.
   *
   * `GET /admin/v1/staff/me/sessions`
   */
  listSessions(options?: CallOptions): Promise<AdminListSessionsAnswer>
  /**
   * End one of your sessions.
   *
   * `DELETE /admin/v1/staff/me/sessions/{sessionId}`
   */
  endSession(input: AdminEndSessionInput, options?: CallOptions): Promise<void>
  /**
   * End all of your other sessions.
   *
   * The session of this request stays.
   *
   * `DELETE /admin/v1/staff/me/sessions`
   */
  endOtherSessions(options?: CallOptions): Promise<AdminEndOtherSessionsAnswer>
  /**
   * Start to use a second factor.
   *
   * Show `uri` as a QR code to an authenticator app, and confirm a code of it.
   *
   * `POST /admin/v1/staff/me/second-factor`
   */
  startSecondFactor(input: AdminStartSecondFactorInput, options?: CallOptions): Promise<AdminStartSecondFactorAnswer>
  /**
   * Confirm a code of the new second factor.
   *
   * From now on signing in needs a code. Ends your other sessions. Returns ten recovery codes, each of which works
   * once.
   *
   * `POST /admin/v1/staff/me/second-factor/confirm`
   */
  confirmSecondFactor(
    input: AdminConfirmSecondFactorInput,
    options?: CallOptions,
  ): Promise<AdminConfirmSecondFactorAnswer>
  /**
   * Stop using the second factor.
   *
   * `POST /admin/v1/staff/me/second-factor/remove`
   */
  removeSecondFactor(input: AdminRemoveSecondFactorInput, options?: CallOptions): Promise<AdminRemoveSecondFactorAnswer>
}
