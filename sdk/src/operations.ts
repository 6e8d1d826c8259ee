// Generated from the contract of the service by `npm run generate`. Do not edit.

import type { CallOptions, Merged, Redirect, SignInOptions } from './options.ts'
import type { BesideItems, Paged } from './paging.ts'
import type { HttpOperation } from './request.ts'
import type {
  AddAddressInput,
  AddCartItemInput,
  Address,
  AddToCartInput,
  AddWishlistItemInput,
  CancelOrderInput,
  Cart,
  CartItem,
  Category,
  ChangeAddressInput,
  ChangeCartInput,
  ChangeCartItemInput,
  ChangeCustomerInput,
  ChangePasswordAnswer,
  ChangePasswordInput,
  CheckOutInput,
  CheckoutResult,
  ClaimCartInput,
  Coupon,
  CouponCheck,
  Customer,
  DeleteCartInput,
  Download,
  DownloadLink,
  Filters,
  ForgotPasswordAnswer,
  ForgotPasswordInput,
  ListAddressesInput,
  ListCategoriesInput,
  ListCouponsInput,
  ListDownloadsInput,
  ListFiltersInput,
  ListOrdersInput,
  ListProductsInput,
  ListReturnsAnswer,
  ListReturnsInput,
  LogOutAnswer,
  LogOutEverywhereAnswer,
  MakeDownloadLinkInput,
  Menu,
  MergeGuestDataInput,
  MergeResult,
  Order,
  PaymentState,
  Product,
  ProductDetail,
  RemoveAddressInput,
  RemoveCartItemInput,
  RemoveWishlistItemInput,
  RequestOtpAnswer,
  RequestOtpInput,
  RequestReturnInput,
  RequestVerificationAnswer,
  RequestVerificationInput,
  ResetPasswordAnswer,
  ResetPasswordInput,
  Return,
  SearchInput,
  SearchResult,
  ShowCartInput,
  ShowOrderInput,
  ShowPaymentInput,
  ShowProductInput,
  SignInAnswer,
  SignInInput,
  SignUpAnswer,
  SignUpInput,
  StartPaymentInput,
  Store,
  SuggestInput,
  Suggestions,
  UseDownloadInput,
  ValidateCouponInput,
  VerifyEmailInput,
  VerifyOtpAnswer,
  VerifyOtpInput,
  WishlistItem,
} from './types.ts'

export type Operation = HttpOperation & {
  /** Who may call: `store` and `sign-in` anyone, `shopper` guests and customers, the others only customers. */
  readonly access: 'store' | 'sign-in' | 'shopper' | 'customer' | 'asserted'
  /** Starts a session. */
  readonly signsIn?: true
}

export const operations = {
  listProducts: { path: '/v1/products', access: 'store', query: true, paged: true },
  showProduct: { path: '/v1/products/{idOrSlug}', access: 'store' },
  listCategories: { path: '/v1/categories', access: 'store', query: true, paged: true },
  search: { path: '/v1/search', access: 'store', query: true, paged: true },
  suggest: { path: '/v1/search/suggest', access: 'store', query: true },
  listFilters: { path: '/v1/filters', access: 'store', query: true },
  showStore: { path: '/v1/store', access: 'store' },
  showMenu: { path: '/v1/menu', access: 'store' },
  listCartItems: { path: '/v1/cart', access: 'shopper' },
  addToCart: { method: 'POST', path: '/v1/cart', access: 'shopper', body: true, once: true },
  showMyCart: { path: '/v1/cart/me', access: 'customer' },
  showCart: { path: '/v1/cart/{cartId}', access: 'shopper' },
  changeCart: { method: 'PATCH', path: '/v1/cart/{cartId}', access: 'shopper', body: true },
  deleteCart: { method: 'DELETE', path: '/v1/cart/{cartId}', access: 'customer' },
  claimCart: { method: 'POST', path: '/v1/cart/{cartId}/claim', access: 'customer', once: true },
  addCartItem: { method: 'POST', path: '/v1/cart/{cartId}/items', access: 'shopper', body: true, once: true },
  changeCartItem: { method: 'PATCH', path: '/v1/cart/{cartId}/items/{itemId}', access: 'shopper', body: true },
  removeCartItem: { method: 'DELETE', path: '/v1/cart/{cartId}/items/{itemId}', access: 'shopper' },
  mergeGuestData: { method: 'POST', path: '/v1/auth/merge-guest-data', access: 'asserted', body: true },
  requestOtp: { method: 'POST', path: '/v1/auth/otp/request', access: 'sign-in', body: true },
  verifyOtp: { method: 'POST', path: '/v1/auth/otp/verify', access: 'sign-in', body: true, signsIn: true },
  logOut: { method: 'POST', path: '/v1/auth/logout', access: 'customer' },
  logOutEverywhere: { method: 'POST', path: '/v1/auth/logout/everywhere', access: 'customer' },
  signUp: { method: 'POST', path: '/v1/signup', access: 'sign-in', body: true, signsIn: true },
  signIn: { method: 'POST', path: '/v1/signin', access: 'sign-in', body: true, signsIn: true },
  forgotPassword: { method: 'POST', path: '/v1/auth/password/forgot', access: 'sign-in', body: true },
  resetPassword: { method: 'POST', path: '/v1/auth/password/reset', access: 'sign-in', body: true, signsIn: true },
  verifyEmail: { method: 'POST', path: '/v1/auth/email/verify', access: 'sign-in', body: true },
  requestVerification: { method: 'POST', path: '/v1/auth/email/verify/request', access: 'customer', body: true },
  listWishlist: { path: '/v1/wishlist', access: 'shopper' },
  addWishlistItem: { method: 'POST', path: '/v1/wishlist', access: 'shopper', body: true, once: true },
  removeWishlistItem: { method: 'DELETE', path: '/v1/wishlist/{id}', access: 'shopper' },
  showCustomer: { path: '/v1/customer', access: 'customer' },
  changeCustomer: { method: 'PATCH', path: '/v1/customer', access: 'customer', body: true },
  changePassword: { method: 'POST', path: '/v1/customer/password', access: 'customer', body: true },
  listAddresses: { path: '/v1/customer/addresses', access: 'customer', query: true, paged: true },
  addAddress: { method: 'POST', path: '/v1/customer/addresses', access: 'customer', body: true, once: true },
  changeAddress: { method: 'PATCH', path: '/v1/customer/addresses/{id}', access: 'customer', body: true },
  removeAddress: { method: 'DELETE', path: '/v1/customer/addresses/{id}', access: 'customer' },
  listOrders: { path: '/v1/customer/orders', access: 'customer', query: true, paged: true },
  showOrder: { path: '/v1/customer/orders/{id}', access: 'customer', query: true },
  cancelOrder: { method: 'POST', path: '/v1/customer/orders/{id}/cancel', access: 'customer' },
  requestReturn: {
    method: 'POST',
    path: '/v1/customer/orders/{id}/returns',
    access: 'customer',
    body: true,
    once: true,
  },
  listReturns: { path: '/v1/customer/orders/{id}/returns', access: 'customer' },
  startPayment: { method: 'POST', path: '/v1/payment', access: 'customer', body: true, once: true },
  showPayment: { path: '/v1/payment/{orderId}', access: 'customer' },
  listDownloads: { path: '/v1/downloads', access: 'customer', query: true, paged: true },
  useDownload: { path: '/v1/downloads/{id}', access: 'customer', redirect: true },
  makeDownloadLink: { method: 'POST', path: '/v1/downloads/{id}/link', access: 'customer' },
  checkOut: { method: 'POST', path: '/v1/checkout', access: 'customer', body: true, once: true },
  listCoupons: { path: '/v1/coupons', access: 'customer', query: true, paged: true },
  validateCoupon: { method: 'POST', path: '/v1/coupons/validate', access: 'customer', body: true },
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations

export interface Operations {
  /**
   * List products.
   *
   * Returns a bare array. Paging is in the headers: follow `X-Next-Cursor` or `Link` while `X-Has-More` is `true`.
   *
   * `GET /v1/products`, scope `products:read`
   */
  listProducts(input?: ListProductsInput, options?: CallOptions): Paged<Product>
  /**
   * Show a product with its variants.
   *
   * `GET /v1/products/{idOrSlug}`, scope `products:read`
   */
  showProduct(input: ShowProductInput, options?: CallOptions): Promise<ProductDetail>
  /**
   * List categories.
   *
   * In the order of `position`. Build the tree from `parentId`.
   *
   * `GET /v1/categories`, scope `products:read`
   */
  listCategories(input?: ListCategoriesInput, options?: CallOptions): Paged<Category>
  /**
   * Search products.
   *
   * Every word must match the product, whole or as a prefix. Accents and plurals are ignored, and typos are corrected.
   *
   * `GET /v1/search`, scope `products:read`
   */
  search(input: SearchInput, options?: CallOptions): Paged<Product, BesideItems<SearchResult>>
  /**
   * Suggest products and categories while the shopper types.
   *
   * `GET /v1/search/suggest`, scope `products:read`
   */
  suggest(input: SuggestInput, options?: CallOptions): Promise<Suggestions>
  /**
   * List the options that can filter a list or a search.
   *
   * Takes the filters of the list, or of the search if `q` is given, and returns the options and values of its
   * products: of the newest thousand of a list (at most 200 of each category), or of the best hundred of a search. Send
   * the chosen ones as `options`.
   *
   * `GET /v1/filters`, scope `products:read`
   */
  listFilters(input?: ListFiltersInput, options?: CallOptions): Promise<Filters>
  /**
   * Show the store and its settings.
   *
   * `GET /v1/store`, scope `store:read`
   */
  showStore(options?: CallOptions): Promise<Store>
  /**
   * Show the navigation menu.
   *
   * `GET /v1/menu`, scope `store:read`
   */
  showMenu(options?: CallOptions): Promise<Menu>
  /**
   * Show the items of the shopper's own cart.
   *
   * Empty if there is no cart yet. The first call without a guest token returns a new one.
   *
   * `GET /v1/cart`, scope `cart:write`
   */
  listCartItems(options?: CallOptions): Promise<CartItem[]>
  /**
   * Add to the shopper's own cart, and create it if there is none.
   *
   * One product, or several as `items`. 201 if the cart is new. Concurrent calls are all applied.
   *
   * `POST /v1/cart`, scope `cart:write`
   */
  addToCart(input?: AddToCartInput, options?: CallOptions): Promise<Cart>
  /**
   * Show the customer's cart.
   *
   * `GET /v1/cart/me`, scope `cart:write`
   */
  showMyCart(options?: CallOptions): Promise<Cart>
  /**
   * Show a cart.
   *
   * Anyone who has the id can read a guest cart. Only the customer can read the cart of a customer.
   *
   * `GET /v1/cart/{cartId}`, scope `cart:write`
   */
  showCart(input: ShowCartInput, options?: CallOptions): Promise<Cart>
  /**
   * Set quantities and the coupon code of a cart.
   *
   * Sets the given lines and leaves the others unchanged. A quantity of 0 removes a line.
   *
   * `PATCH /v1/cart/{cartId}`, scope `cart:write`
   */
  changeCart(input: ChangeCartInput, options?: CallOptions): Promise<Cart>
  /**
   * Delete the customer's cart.
   *
   * `DELETE /v1/cart/{cartId}`, scope `cart:write`
   */
  deleteCart(input: DeleteCartInput, options?: CallOptions): Promise<void>
  /**
   * Claim a guest cart for the customer.
   *
   * Moves its lines to the customer's cart. Quantities are added, limited by stock.
   *
   * `POST /v1/cart/{cartId}/claim`, scope `cart:write`
   */
  claimCart(input: ClaimCartInput, options?: CallOptions): Promise<Cart>
  /**
   * Add a product to a cart.
   *
   * `POST /v1/cart/{cartId}/items`, scope `cart:write`
   */
  addCartItem(input: AddCartItemInput, options?: CallOptions): Promise<Cart>
  /**
   * Set the quantity of a line.
   *
   * `PATCH /v1/cart/{cartId}/items/{itemId}`, scope `cart:write`
   */
  changeCartItem(input: ChangeCartItemInput, options?: CallOptions): Promise<Cart>
  /**
   * Remove a line.
   *
   * `DELETE /v1/cart/{cartId}/items/{itemId}`, scope `cart:write`
   */
  removeCartItem(input: RemoveCartItemInput, options?: CallOptions): Promise<Cart>
  /**
   * Move a guest's cart and wishlist to the customer.
   *
   * Call it right after sign-in. The merge is atomic. Quantities are added, limited by stock. The guest token is
   * invalid afterwards; merging it again is 400.
   *
   * `POST /v1/auth/merge-guest-data`, scope `auth:write`
   */
  mergeGuestData(input: MergeGuestDataInput, options?: CallOptions): Promise<MergeResult>
  /**
   * Send a one-time password to a phone or an email address.
   *
   * Send either `phone` or `email`; `signIn` of the store tells which are possible. Six digits, valid for five minutes
   * and three attempts; a new code replaces the previous one. The response is the same whether or not there is an
   * account. Limit: five requests per hour for a number or address, then 429. Store `requestToken` and send it to
   * verify. After a sign-in with it, send it with later requests for the same number or address too: they have a
   * separate limit of five per hour, which other callers cannot use up, and their codes are valid only with the new
   * `requestToken`. 502: the text message was refused (the request does not count) or may not arrive (the request
   * counts; if it carried no `requestToken`, the code is valid if it arrives).
   *
   * `POST /v1/auth/otp/request`, scope `auth:write`
   */
  requestOtp(input?: RequestOtpInput, options?: CallOptions): Promise<RequestOtpAnswer>
  /**
   * Sign in with a one-time password.
   *
   * Send `phone` or `email` as in the request. The first sign-in creates the customer. A code by email proves the
   * address: if the customer has signed up with it and a password and not confirmed it, that password and all other
   * sessions end. An incorrect code is 401; after three of them, and when the code was used, has expired or was never
   * sent, the response is 410. With `requestToken`, the code of that request is checked: it has separate attempts and
   * is not affected by requests or guesses of others. Without it, the last code sent to the number or address is
   * checked. `guestCartId` moves that guest cart to the customer; a cart that cannot be claimed is ignored.
   *
   * `POST /v1/auth/otp/verify`, scope `auth:write`
   */
  verifyOtp(input: VerifyOtpInput, options: SignInOptions & { merge: true }): Promise<VerifyOtpAnswer & Merged>
  verifyOtp(input: VerifyOtpInput, options?: SignInOptions): Promise<VerifyOtpAnswer>
  /**
   * End the session of the bearer token.
   *
   * `POST /v1/auth/logout`, scope `auth:write`
   */
  logOut(options?: CallOptions): Promise<LogOutAnswer>
  /**
   * End all sessions of the customer.
   *
   * Including the current one.
   *
   * `POST /v1/auth/logout/everywhere`, scope `auth:write`
   */
  logOutEverywhere(options?: CallOptions): Promise<LogOutEverywhereAnswer>
  /**
   * Create an account with email and password.
   *
   * `phone` is contact data and not for sign-in. The email gets a mail with a link that confirms it. 409: the email
   * already has an account.
   *
   * `POST /v1/signup`, scope `auth:write`
   */
  signUp(input: SignUpInput, options: SignInOptions & { merge: true }): Promise<SignUpAnswer & Merged>
  signUp(input: SignUpInput, options?: SignInOptions): Promise<SignUpAnswer>
  /**
   * Sign in with email and password.
   *
   * A 401 does not reveal whether the email or the password is incorrect. After ten failures within fifteen minutes the
   * email is locked with 429, whether or not it has an account.
   *
   * `POST /v1/signin`, scope `auth:write`
   */
  signIn(input: SignInInput, options: SignInOptions & { merge: true }): Promise<SignInAnswer & Merged>
  signIn(input: SignInInput, options?: SignInOptions): Promise<SignInAnswer>
  /**
   * Send a link that resets the password.
   *
   * The response is the same whether or not the email has an account. The link leads to `/reset-password?token=…` of
   * the storefront and is valid for 30 minutes. Limit: five requests per hour for an email, then 429.
   *
   * `POST /v1/auth/password/forgot`, scope `auth:write`
   */
  forgotPassword(input: ForgotPasswordInput, options?: CallOptions): Promise<ForgotPasswordAnswer>
  /**
   * Set a new password with the token of a link, and sign in.
   *
   * Ends all sessions of the customer and all other such links, and confirms the email. 410: the token was used, has
   * expired or is unknown.
   *
   * `POST /v1/auth/password/reset`, scope `auth:write`
   */
  resetPassword(
    input: ResetPasswordInput,
    options: SignInOptions & { merge: true },
  ): Promise<ResetPasswordAnswer & Merged>
  resetPassword(input: ResetPasswordInput, options?: SignInOptions): Promise<ResetPasswordAnswer>
  /**
   * Confirm an email with the token of a link.
   *
   * Sign-up and a change of the email send the link, `/verify-email?token=…` of the storefront, valid for 24 hours.
   * Needs no session. 410: the token was used, has expired or is unknown, or the customer has another email by now.
   * 409: another customer signs in with this email.
   *
   * `POST /v1/auth/email/verify`, scope `auth:write`
   */
  verifyEmail(input: VerifyEmailInput, options?: CallOptions): Promise<Customer>
  /**
   * Send the link that confirms the email again.
   *
   * Sends nothing if the email is confirmed. 400: the customer has no email. Limit: five requests per hour for an
   * email, then 429.
   *
   * `POST /v1/auth/email/verify/request`, scope `auth:write`
   */
  requestVerification(input?: RequestVerificationInput, options?: CallOptions): Promise<RequestVerificationAnswer>
  /**
   * List the wishlist.
   *
   * Of the guest or customer, newest first. Products that are not on sale are hidden until they are again.
   *
   * `GET /v1/wishlist`, scope `wishlist:write`
   */
  listWishlist(options?: CallOptions): Promise<WishlistItem[]>
  /**
   * Add a product to the wishlist.
   *
   * Returns the updated list. Products that are out of stock can be added. A list can hold at most 200 products,
   * including those not on sale at present.
   *
   * `POST /v1/wishlist`, scope `wishlist:write`
   */
  addWishlistItem(input: AddWishlistItemInput, options?: CallOptions): Promise<WishlistItem[]>
  /**
   * Remove a product from the wishlist.
   *
   * Returns the updated list.
   *
   * `DELETE /v1/wishlist/{id}`, scope `wishlist:write`
   */
  removeWishlistItem(input: RemoveWishlistItemInput, options?: CallOptions): Promise<WishlistItem[]>
  /**
   * Show the signed-in customer.
   *
   * `GET /v1/customer`, scope `customer:read`
   */
  showCustomer(options?: CallOptions): Promise<Customer>
  /**
   * Change name, email or contact phone.
   *
   * Omitted fields do not change. `phone` never changes a verified number, and responses show the verified number if
   * there is one. To change the email of a customer who has a password, send `currentPassword`: 403 if it is missing or
   * incorrect, 429 after ten incorrect ones within fifteen minutes. Changing a sign-in email ends all other sessions of
   * the customer. A new email is not confirmed (`emailVerified`) and gets a mail with a link that confirms it. 409:
   * another customer signs in with this email.
   *
   * `PATCH /v1/customer`, scope `customer:write`
   */
  changeCustomer(input?: ChangeCustomerInput, options?: CallOptions): Promise<Customer>
  /**
   * Change the password, or set one.
   *
   * `currentPassword` is required if the customer has a password: 403 if it is missing or incorrect, 429 after ten
   * incorrect ones within fifteen minutes. A customer without a password needs an email first (400 otherwise), with
   * which no other customer signs in (409 otherwise). Ends all other sessions of the customer.
   *
   * `POST /v1/customer/password`, scope `customer:write`
   */
  changePassword(input: ChangePasswordInput, options?: CallOptions): Promise<ChangePasswordAnswer>
  /**
   * List addresses.
   *
   * The default address first, then newest first.
   *
   * `GET /v1/customer/addresses`, scope `customer:read`
   */
  listAddresses(input?: ListAddressesInput, options?: CallOptions): Paged<Address>
  /**
   * Add an address.
   *
   * A customer can have at most 50 addresses.
   *
   * `POST /v1/customer/addresses`, scope `customer:write`
   */
  addAddress(input: AddAddressInput, options?: CallOptions): Promise<Address>
  /**
   * Change an address.
   *
   * Omitted fields do not change.
   *
   * `PATCH /v1/customer/addresses/{id}`, scope `customer:write`
   */
  changeAddress(input: ChangeAddressInput, options?: CallOptions): Promise<Address>
  /**
   * Remove an address.
   *
   * If it was the default, the newest remaining address becomes the default.
   *
   * `DELETE /v1/customer/addresses/{id}`, scope `customer:write`
   */
  removeAddress(input: RemoveAddressInput, options?: CallOptions): Promise<void>
  /**
   * List the customer's orders.
   *
   * Newest first.
   *
   * `GET /v1/customer/orders`, scope `customer:read`
   */
  listOrders(input?: ListOrdersInput, options?: CallOptions): Paged<Order>
  /**
   * Show an order.
   *
   * With `wait`, the response is sent as soon as `status` or `paymentStatus` is no longer `pending`, or after that many
   * seconds. The page that a shopper returns to after paying therefore need not poll.
   *
   * `GET /v1/customer/orders/{id}`, scope `customer:read`
   */
  showOrder(input: ShowOrderInput, options?: CallOptions): Promise<Order>
  /**
   * Cancel an unpaid order.
   *
   * Orders with cash on delivery can be cancelled until they are shipped. The payment is closed at the provider first.
   * 409 if the order is paid, is being paid right now, or is shipped. Cancelling a cancelled order changes nothing.
   *
   * `POST /v1/customer/orders/{id}/cancel`, scope `customer:write`
   */
  cancelOrder(input: CancelOrderInput, options?: CallOptions): Promise<Order>
  /**
   * Ask to return items of a delivered order.
   *
   * The store decides, and refunds the items once they have arrived. 409 if the order is not delivered, if it was
   * delivered too long ago, or if an item is being returned or was refunded already. Files cannot be returned.
   *
   * `POST /v1/customer/orders/{id}/returns`, scope `customer:write`
   */
  requestReturn(input: RequestReturnInput, options?: CallOptions): Promise<Return>
  /**
   * List the returns of an order.
   *
   * Oldest first.
   *
   * `GET /v1/customer/orders/{id}/returns`, scope `customer:read`
   */
  listReturns(input: ListReturnsInput, options?: CallOptions): Promise<ListReturnsAnswer>
  /**
   * Start or retry a payment.
   *
   * Works while the order is unpaid and has not expired. If a payment is already open, it is returned.
   *
   * `POST /v1/payment`, scope `checkout:write`
   */
  startPayment(input: StartPaymentInput, options?: CallOptions): Promise<PaymentState>
  /**
   * Show the payment of an order.
   *
   * `GET /v1/payment/{orderId}`, scope `checkout:write`
   */
  showPayment(input: ShowPaymentInput, options?: CallOptions): Promise<PaymentState>
  /**
   * List the customer's downloads.
   *
   * Newest first. Only files of orders that are paid and not refunded.
   *
   * `GET /v1/downloads`, scope `customer:read`
   */
  listDownloads(input?: ListDownloadsInput, options?: CallOptions): Paged<Download>
  /**
   * Get the link to a file.
   *
   * Redirects to a link that works without a key for ten minutes. Counts as one use. 410 if the download is used up,
   * has expired, or was refunded.
   *
   * `GET /v1/downloads/{id}`, scope `customer:read`
   */
  useDownload(input: UseDownloadInput, options?: CallOptions): Promise<Redirect>
  /**
   * Get the link to a file as JSON.
   *
   * Returns the same link and counts as one use. For pages, because a browser does not show scripts the target of a
   * redirect.
   *
   * `POST /v1/downloads/{id}/link`, scope `customer:read`
   */
  makeDownloadLink(input: MakeDownloadLinkInput, options?: CallOptions): Promise<DownloadLink>
  /**
   * Place an order from the customer's cart.
   *
   * Reserves the stock and creates the order atomically, then starts the payment: send the shopper to
   * `payment.redirectUrl`. Repeating the request with the same cart, version and body returns the open order with 200.
   * Also 409 for a cash order above the limits of the store, and when the unpaid orders of the customer would hold too
   * many units; the text states the limit.
   *
   * `POST /v1/checkout`, scope `checkout:write`
   */
  checkOut(input?: CheckOutInput, options?: CallOptions): Promise<CheckoutResult>
  /**
   * List the coupons that the customer can use.
   *
   * Only coupons that are marked as listed. Other codes work for customers who know them.
   *
   * `GET /v1/coupons`, scope `checkout:write`
   */
  listCoupons(input?: ListCouponsInput, options?: CallOptions): Paged<Coupon>
  /**
   * Check a coupon code against the cart.
   *
   * Returns 200 for valid and invalid codes, and 429 after too many attempts with codes that do not exist. Does not
   * count as a use of the coupon.
   *
   * `POST /v1/coupons/validate`, scope `checkout:write`
   */
  validateCoupon(input?: ValidateCouponInput, options?: CallOptions): Promise<CouponCheck>
}
