// Generated from the contract of the service by `npm run generate`. Do not edit.

import type { CallOptions, Merged, Redirect, SignInOptions } from './options.ts'
import type { BesideItems, Paged } from './paging.ts'
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
  ListAddressesInput,
  ListCategoriesInput,
  ListCouponsInput,
  ListDownloadsInput,
  ListFiltersInput,
  ListOrdersInput,
  ListProductsInput,
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
  VerifyOtpAnswer,
  VerifyOtpInput,
  WishlistItem,
} from './types.ts'

/** How an operation is sent. Flags are `true` or absent. */
export type Operation = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Who may call: `store` and `sign-in` anyone, `shopper` guests and customers, the others only customers. */
  readonly access: 'store' | 'sign-in' | 'shopper' | 'customer' | 'asserted'
  readonly query?: true
  readonly body?: true
  /** Takes an Idempotency-Key. */
  readonly once?: true
  readonly paged?: true
  /** Starts a session. */
  readonly signsIn?: true
  /** Answers with a `location` instead of a body. */
  readonly redirect?: true
}

export const operations = {
  listProducts: { method: 'GET', path: '/v1/products', access: 'store', query: true, paged: true },
  showProduct: { method: 'GET', path: '/v1/products/{idOrSlug}', access: 'store' },
  listCategories: { method: 'GET', path: '/v1/categories', access: 'store', query: true, paged: true },
  search: { method: 'GET', path: '/v1/search', access: 'store', query: true, paged: true },
  suggest: { method: 'GET', path: '/v1/search/suggest', access: 'store', query: true },
  listFilters: { method: 'GET', path: '/v1/filters', access: 'store', query: true },
  showStore: { method: 'GET', path: '/v1/store', access: 'store' },
  showMenu: { method: 'GET', path: '/v1/menu', access: 'store' },
  listCartItems: { method: 'GET', path: '/v1/cart', access: 'shopper' },
  addToCart: { method: 'POST', path: '/v1/cart', access: 'shopper', body: true, once: true },
  showMyCart: { method: 'GET', path: '/v1/cart/me', access: 'customer' },
  showCart: { method: 'GET', path: '/v1/cart/{cartId}', access: 'shopper' },
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
  listWishlist: { method: 'GET', path: '/v1/wishlist', access: 'shopper' },
  addWishlistItem: { method: 'POST', path: '/v1/wishlist', access: 'shopper', body: true, once: true },
  removeWishlistItem: { method: 'DELETE', path: '/v1/wishlist/{id}', access: 'shopper' },
  showCustomer: { method: 'GET', path: '/v1/customer', access: 'customer' },
  changeCustomer: { method: 'PATCH', path: '/v1/customer', access: 'customer', body: true },
  changePassword: { method: 'POST', path: '/v1/customer/password', access: 'customer', body: true },
  listAddresses: { method: 'GET', path: '/v1/customer/addresses', access: 'customer', query: true, paged: true },
  addAddress: { method: 'POST', path: '/v1/customer/addresses', access: 'customer', body: true, once: true },
  changeAddress: { method: 'PATCH', path: '/v1/customer/addresses/{id}', access: 'customer', body: true },
  removeAddress: { method: 'DELETE', path: '/v1/customer/addresses/{id}', access: 'customer' },
  listOrders: { method: 'GET', path: '/v1/customer/orders', access: 'customer', query: true, paged: true },
  showOrder: { method: 'GET', path: '/v1/customer/orders/{id}', access: 'customer', query: true },
  cancelOrder: { method: 'POST', path: '/v1/customer/orders/{id}/cancel', access: 'customer' },
  startPayment: { method: 'POST', path: '/v1/payment', access: 'customer', body: true, once: true },
  showPayment: { method: 'GET', path: '/v1/payment/{orderId}', access: 'customer' },
  listDownloads: { method: 'GET', path: '/v1/downloads', access: 'customer', query: true, paged: true },
  useDownload: { method: 'GET', path: '/v1/downloads/{id}', access: 'customer', redirect: true },
  makeDownloadLink: { method: 'POST', path: '/v1/downloads/{id}/link', access: 'customer' },
  checkOut: { method: 'POST', path: '/v1/checkout', access: 'customer', body: true, once: true },
  listCoupons: { method: 'GET', path: '/v1/coupons', access: 'customer', query: true, paged: true },
  validateCoupon: { method: 'POST', path: '/v1/coupons/validate', access: 'customer', body: true },
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations

export interface Operations {
  /**
   * List products.
   *
   * A bare array. Paging rides in the headers: follow `X-Next-Cursor`, or the `Link`, while `X-Has-More` is `true`.
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
   * Every word must be in the product, whole or as a beginning; accents, plurals and slips of the finger do not matter.
   *
   * `GET /v1/search`, scope `products:read`
   */
  search(input: SearchInput, options?: CallOptions): Paged<Product, BesideItems<SearchResult>>
  /**
   * Suggest products and categories while one types.
   *
   * `GET /v1/search/suggest`, scope `products:read`
   */
  suggest(input: SuggestInput, options?: CallOptions): Promise<Suggestions>
  /**
   * List the options by which a list or a search can be narrowed.
   *
   * Takes the filters of the list, or of the search when `q` is given, and tells the options and values of its
   * products: of the newest thousand of a list (at most 200 of each category), of the best hundred of a search. Send
   * the chosen ones back as `options`.
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
   * Empty when there is no cart yet. A first call without a guest token brings one.
   *
   * `GET /v1/cart`, scope `cart:write`
   */
  listCartItems(options?: CallOptions): Promise<CartItem[]>
  /**
   * Add to the shopper's own cart, which is made when there is none.
   *
   * One product, or several as `items`. 201 when the cart is new. Parallel calls all count.
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
   * The id of a guest's cart opens it to whoever has it; a customer's cart opens to that customer alone.
   *
   * `GET /v1/cart/{cartId}`, scope `cart:write`
   */
  showCart(input: ShowCartInput, options?: CallOptions): Promise<Cart>
  /**
   * Set quantities and the coupon code of a cart.
   *
   * Sets the lines that it names and leaves the others. A quantity of 0 removes a line.
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
   * Make a guest's cart the customer's.
   *
   * Its lines join those of the customer's cart. Quantities add up, as far as there is stock.
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
   * Move a guest's cart and wishlist into the account of the customer.
   *
   * Call it right after signing in. All of it happens or nothing; quantities add up as far as there is stock; the guest
   * token is dead afterwards, and a second merge of it is 400.
   *
   * `POST /v1/auth/merge-guest-data`, scope `auth:write`
   */
  mergeGuestData(input: MergeGuestDataInput, options?: CallOptions): Promise<MergeResult>
  /**
   * Send a one-time password to a phone.
   *
   * Six digits, good for five minutes and three attempts; they replace those sent before. The answer is the same
   * whether or not somebody has this number. Five requests an hour for a number, the sixth is 429. Keep `requestToken`
   * and send it to verify. Once it has signed somebody in, send it with later requests for the number too: they have
   * five an hour of their own, which strangers cannot use up, and their codes are good only with the new
   * `requestToken`. 502: the message was refused (then the request does not count) or may not have arrived (then it
   * counts; unless the request carried a `requestToken`, the code is good if it does arrive).
   *
   * `POST /v1/auth/otp/request`, scope `auth:write`
   */
  requestOtp(input: RequestOtpInput, options?: CallOptions): Promise<RequestOtpAnswer>
  /**
   * Sign in with a one-time password.
   *
   * The first time makes the customer. A wrong password is 401, three of them use it up; one that is used, used up,
   * expired or was never sent is 410. With `requestToken` the code of that request counts, with three attempts of its
   * own: neither requests nor guesses of others touch it. Without one, the last code that was sent to the number
   * counts. `guestCartId` hands that guest cart to the customer; an id that cannot be handed over is ignored.
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
   * Also the one that asks for it.
   *
   * `POST /v1/auth/logout/everywhere`, scope `auth:write`
   */
  logOutEverywhere(options?: CallOptions): Promise<LogOutEverywhereAnswer>
  /**
   * Make an account with email and password.
   *
   * `phone` is for reaching the customer and signs nobody in. 409: the email has an account already.
   *
   * `POST /v1/signup`, scope `auth:write`
   */
  signUp(input: SignUpInput, options: SignInOptions & { merge: true }): Promise<SignUpAnswer & Merged>
  signUp(input: SignUpInput, options?: SignInOptions): Promise<SignUpAnswer>
  /**
   * Sign in with email and password.
   *
   * A 401 does not say which of the two was wrong. After ten failures within fifteen minutes an email is refused with
   * 429, whether or not it has an account.
   *
   * `POST /v1/signin`, scope `auth:write`
   */
  signIn(input: SignInInput, options: SignInOptions & { merge: true }): Promise<SignInAnswer & Merged>
  signIn(input: SignInInput, options?: SignInOptions): Promise<SignInAnswer>
  /**
   * List the wishlist.
   *
   * Of a guest or of a customer, newest first. A product that is not on sale is left out until it is on sale again.
   *
   * `GET /v1/wishlist`, scope `wishlist:write`
   */
  listWishlist(options?: CallOptions): Promise<WishlistItem[]>
  /**
   * Add a product to the wishlist.
   *
   * Answers the updated list. A product that is out of stock may be wished for. A list holds 200 products at most,
   * those that are not on sale at present included.
   *
   * `POST /v1/wishlist`, scope `wishlist:write`
   */
  addWishlistItem(input: AddWishlistItemInput, options?: CallOptions): Promise<WishlistItem[]>
  /**
   * Remove a product from the wishlist.
   *
   * Answers the updated list.
   *
   * `DELETE /v1/wishlist/{id}`, scope `wishlist:write`
   */
  removeWishlistItem(input: RemoveWishlistItemInput, options?: CallOptions): Promise<WishlistItem[]>
  /**
   * Show the customer who is signed in.
   *
   * `GET /v1/customer`, scope `customer:read`
   */
  showCustomer(options?: CallOptions): Promise<Customer>
  /**
   * Change name, email or contact phone.
   *
   * What is left out stays. `phone` never changes a number that was proved by a code, and as long as there is one,
   * answers show that one. To change the email of a customer who has a password, send `currentPassword`: without it, or
   * with a wrong one, the answer is 403, and 429 after ten wrong ones within fifteen minutes. That change ends all
   * other sessions of the customer. 409: the email signs in another customer.
   *
   * `PATCH /v1/customer`, scope `customer:write`
   */
  changeCustomer(input?: ChangeCustomerInput, options?: CallOptions): Promise<Customer>
  /**
   * Change the password, or set one.
   *
   * `currentPassword` is needed when there is one: without it, or with a wrong one, the answer is 403, and 429 after
   * ten wrong ones within fifteen minutes. A customer without a password needs an email first (400 otherwise), which
   * must not sign in another customer (409). All other sessions of the customer end.
   *
   * `POST /v1/customer/password`, scope `customer:write`
   */
  changePassword(input: ChangePasswordInput, options?: CallOptions): Promise<ChangePasswordAnswer>
  /**
   * List addresses.
   *
   * The default one first, then the newest.
   *
   * `GET /v1/customer/addresses`, scope `customer:read`
   */
  listAddresses(input?: ListAddressesInput, options?: CallOptions): Paged<Address>
  /**
   * Add an address.
   *
   * A customer has 50 addresses at most.
   *
   * `POST /v1/customer/addresses`, scope `customer:write`
   */
  addAddress(input: AddAddressInput, options?: CallOptions): Promise<Address>
  /**
   * Change an address.
   *
   * What is left out stays.
   *
   * `PATCH /v1/customer/addresses/{id}`, scope `customer:write`
   */
  changeAddress(input: ChangeAddressInput, options?: CallOptions): Promise<Address>
  /**
   * Remove an address.
   *
   * When it was the default, the newest of the others becomes it.
   *
   * `DELETE /v1/customer/addresses/{id}`, scope `customer:write`
   */
  removeAddress(input: RemoveAddressInput, options?: CallOptions): Promise<void>
  /**
   * List the orders of the customer.
   *
   * The newest first.
   *
   * `GET /v1/customer/orders`, scope `customer:read`
   */
  listOrders(input?: ListOrdersInput, options?: CallOptions): Paged<Order>
  /**
   * Show an order.
   *
   * With `wait`, the answer comes when `status` or `paymentStatus` is no longer `pending`, or after that many seconds
   * with the order as it is: a page that a shopper returns to after paying asks once and need not poll.
   *
   * `GET /v1/customer/orders/{id}`, scope `customer:read`
   */
  showOrder(input: ShowOrderInput, options?: CallOptions): Promise<Order>
  /**
   * Cancel an order that is not paid.
   *
   * With cash on delivery, until it is shipped. The payment is closed at the provider first; 409 when it is paid, is
   * being paid at this moment, or is on its way. Cancelling a cancelled order changes nothing.
   *
   * `POST /v1/customer/orders/{id}/cancel`, scope `customer:write`
   */
  cancelOrder(input: CancelOrderInput, options?: CallOptions): Promise<Order>
  /**
   * Start or retry a payment.
   *
   * While the order is unpaid and has not expired. A payment that is open is answered as it is.
   *
   * `POST /v1/payment`, scope `checkout:write`
   */
  startPayment(input: StartPaymentInput, options?: CallOptions): Promise<PaymentState>
  /**
   * How the payment of an order stands.
   *
   * `GET /v1/payment/{orderId}`, scope `checkout:write`
   */
  showPayment(input: ShowPaymentInput, options?: CallOptions): Promise<PaymentState>
  /**
   * List what the customer has bought and can download.
   *
   * The newest first. Only what is paid, and was not paid back, is listed.
   *
   * `GET /v1/downloads`, scope `customer:read`
   */
  listDownloads(input?: ListDownloadsInput, options?: CallOptions): Paged<Download>
  /**
   * Get the link to a file.
   *
   * Redirects to a link that can be opened without a key for ten minutes, and counts as one use. 410 when it is used
   * up, has expired or was paid back.
   *
   * `GET /v1/downloads/{id}`, scope `customer:read`
   */
  useDownload(input: UseDownloadInput, options?: CallOptions): Promise<Redirect>
  /**
   * Get the link to a file as JSON.
   *
   * The same link as above, and the same use, for pages: a browser does not tell a script where a redirect leads.
   *
   * `POST /v1/downloads/{id}/link`, scope `customer:read`
   */
  makeDownloadLink(input: MakeDownloadLinkInput, options?: CallOptions): Promise<DownloadLink>
  /**
   * Order what is in the customer's cart.
   *
   * Reserves the stock and writes the order in one step, then starts the payment: send the shopper to
   * `payment.redirectUrl`. The same cart, version and body again answers the order that is already open, with 200. 409
   * also for a cash order beyond what the store allows, and for more units than one customer may hold unpaid; the text
   * says the limit.
   *
   * `POST /v1/checkout`, scope `checkout:write`
   */
  checkOut(input?: CheckOutInput, options?: CallOptions): Promise<CheckoutResult>
  /**
   * List the coupons that the customer may use.
   *
   * Only those that were made to be listed. Other codes work for customers who know them.
   *
   * `GET /v1/coupons`, scope `checkout:write`
   */
  listCoupons(input?: ListCouponsInput, options?: CallOptions): Paged<Coupon>
  /**
   * Tell whether a coupon counts, and what for.
   *
   * Always 200 for whatever the code is, and 429 for a shopper or client who has tried too many codes that do not
   * exist. It uses nothing up.
   *
   * `POST /v1/coupons/validate`, scope `checkout:write`
   */
  validateCoupon(input?: ValidateCouponInput, options?: CallOptions): Promise<CouponCheck>
}
