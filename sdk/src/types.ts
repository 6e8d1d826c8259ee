// Generated from the contract of the service by `npm run generate`. Do not edit.

export type Product = {
  id: string
  name: string
  description: string
  /** The lowest price of its variants at this outlet, in the store's currency */
  price: number
  /** The name of its category; empty when it has none */
  category: string
  /** Units that can be bought at this outlet; each variant that is not tracked counts for 999 */
  stock: number
  /** `false` when a variant is not tracked: it is always in stock, and `stock` is not a count */
  stockTracked: boolean
  /** Addresses of pictures */
  images: string[]
  /** Only `ACTIVE` products are visible */
  status: string
  slug: string
  /** ISO 4217 */
  currency: string
  /** The price before a reduction */
  compareAtPrice: number | null
  /** A variant must be chosen to buy it */
  hasVariants: boolean
}

export type ProductDetail = {
  id: string
  name: string
  description: string
  /** The lowest price of its variants at this outlet, in the store's currency */
  price: number
  /** The name of its category; empty when it has none */
  category: string
  /** Units that can be bought at this outlet; each variant that is not tracked counts for 999 */
  stock: number
  /** `false` when a variant is not tracked: it is always in stock, and `stock` is not a count */
  stockTracked: boolean
  /** Addresses of pictures */
  images: string[]
  /** Only `ACTIVE` products are visible */
  status: string
  slug: string
  /** ISO 4217 */
  currency: string
  /** The price before a reduction */
  compareAtPrice: number | null
  /** A variant must be chosen to buy it */
  hasVariants: boolean
  options: {
    name: string
    values: string[]
  }[]
  variants: Variant[]
  seo: {
    title: string
    description: string
  }
  /** Who makes or sells it; empty when nobody is named */
  vendor: string
  /** The pictures of `images` with a text for those who cannot see them; the text may be empty */
  media: {
    url: string
    alt: string
  }[]
  /** Delivered as a download */
  digital: boolean
}

export type Category = {
  id: string
  name: string
  slug: string
  parentId: string | null
  image: string
  /** ACTIVE products directly in it */
  productCount: number
  position: number
}

export type SearchResult = {
  data: Product[]
  /** Opaque; null on the last page */
  nextCursor: string | null
  hasMore: boolean
  /** How many products match */
  total: number
  /** `false` beyond 10,000 matches: `total` is then a lower bound */
  totalIsExact: boolean
  /**
   * The query with misspelt words replaced by words of the store, when that is what was searched for; `null` when
   * nothing was corrected or found
   */
  correctedQuery: string | null
  /** Of the matches that are counted: all of them, or 10,000 when `totalIsExact` is `false` */
  facets: {
    categories: {
      id: string
      name: string
      slug: string
      count: number
    }[]
    price: {
      min: number | null
      max: number | null
    }
    inStock: {
      count: number
    }
  }
}

export type Suggestions = {
  products: {
    id: string
    slug: string
    name: string
    image: string
  }[]
  categories: {
    id: string
    slug: string
    name: string
  }[]
}

export type Filters = {
  options: {
    name: string
    values: {
      value: string
      /** Of the products that were looked at */
      count: number
    }[]
  }[]
}

export type Store = {
  id: string
  name: string
  /** The origin of the registered storefront */
  domain: string
  /** ISO 4217 */
  currency: string
  locale: string
  timezone: string
  logo: string
  contact: {
    email: string
    phone: string
  }
  address: {
    line1?: string
    city?: string
    state?: string
    postalCode?: string
    country?: string
  } | null
  outlets: {
    id: string
    name: string
  }[]
  defaultOutletId: string
  /** How an order can be paid here, the default of a checkout first */
  paymentMethods: ('online' | 'cod')[]
  shipping: {
    /** What delivery costs */
    flat: number
    /** From this subtotal on it costs nothing */
    freeAbove: number | null
  }
  /** Whether prices include tax */
  taxIncluded: boolean
}

export type Menu = {
  items: MenuRoot[]
}

export type CartItem = {
  id: string
  productId: string
  variantId: string
  quantity: number
  /** Of one unit, as it is now */
  price: number
  lineTotal: number
  /** The whole quantity can be bought now */
  inStock: boolean
  product: {
    name: string
    image: string
    description: string
    slug: string
    /** The title of the chosen variant; empty when there is only one */
    variant: string
  }
}

export type Cart = {
  id: string
  /** Null: a guest's */
  customerId: string | null
  /** Its prices and its stock count */
  outletId: string
  /** ISO 4217 */
  currency: string
  items: CartItem[]
  /** Units in all lines */
  itemCount: number
  couponCode: string | null
  subtotal: number
  discount: number
  shipping: number
  /** Part of the total where the prices of the store include it, else added */
  tax: number
  total: number
  /** Grows with every change */
  version: number
  createdAt: string
  updatedAt: string
  /** Null: a customer's cart stays */
  expiresAt: string | null
  /** Why a checkout of this cart would be refused or look different */
  warnings: CartWarning[]
}

export type MergeResult = {
  success: boolean
  message: string
  merged: {
    /** Lines of the guest's cart that moved */
    cartItems: number
    /** Entries of the guest's wishlist that moved */
    wishlistItems: number
  }
}

export type Customer = {
  id: string
  name: string
  /** Empty when there is none */
  email: string
  /** The number that was proved by a code, or else the one given as contact */
  phone: string
  /** Whether `phone` was proved by a code, and signs the customer in */
  phoneVerified: boolean
  /** ISO 8601, UTC */
  createdAt: string
  /** ISO 8601, UTC */
  updatedAt: string
}

export type WishlistItem = {
  id: string
  productId: string
  product: {
    id: string
    name: string
    /** The lowest price of its variants at this outlet, in the store's currency */
    price: number
    /** The address of its first picture; empty when it has none */
    image: string
    description: string
    /** It can be bought at this outlet now */
    inStock: boolean
  }
  /** ISO 8601, UTC */
  createdAt: string
}

export type Address = {
  id: string
  /** What the customer calls it, such as "Home" */
  label: string
  /** Who receives */
  name: string
  /** Where the carrier can call; kept as it is written */
  phone: string
  line1: string
  city: string
  postalCode: string
  /** ISO 3166, two letters */
  country: string
  line2: string
  landmark: string
  state: string
  isDefault: boolean
  /** ISO 8601, UTC */
  createdAt: string
  /** ISO 8601, UTC */
  updatedAt: string
}

export type Order = {
  id: string
  /** What people call it */
  number: string
  status: 'pending' | 'paid' | 'out_for_delivery' | 'delivered' | 'cancelled' | 'refunded'
  paymentStatus: 'pending' | 'paid' | 'failed' | 'refunded'
  paymentMethod: 'online' | 'cod'
  /** `out_for_delivery` or `delivered` */
  deliveryStatus: string | null
  deliveryPartner: string | null
  /** When it should arrive */
  estimatedDelivery: string | null
  /** When it arrived */
  deliveredAt: string | null
  trackingUrl: string | null
  shipments: Shipment[]
  items: OrderItem[]
  subtotal: number
  discount: number
  shipping: number
  tax: number
  total: number
  currency: string
  couponCode: string | null
  /** What it was paid with; null until the payment is settled */
  payment: {
    method: string
    last4: string
    upiId: string
    reference: string
  } | null
  storefrontUrl: string | null
  shippingAddress: {
    name: string
    phone: string
    line1: string
    line2: string
    landmark: string
    city: string
    state: string
    postalCode: string
    country: string
  } | null
  billingAddress: {
    name: string
    phone: string
    line1: string
    line2: string
    landmark: string
    city: string
    state: string
    postalCode: string
    country: string
  } | null
  note: string
  outletId: string
  timeline: {
    at: string
    type: string
    message: string
  }[]
  createdAt: string
  updatedAt: string
  /** When an unpaid order is cancelled by itself */
  expiresAt: string | null
}

export type PaymentState = {
  id: string
  provider: string
  status: 'starting' | 'open' | 'paid' | 'failed' | 'closed' | 'refunded'
  /** Where the shopper pays; null when there is nothing to pay now */
  redirectUrl: string | null
  /** Until when the shopper can pay there */
  expiresAt: string | null
  orderId: string
  /** The `status` of the order */
  orderStatus: 'pending' | 'paid' | 'out_for_delivery' | 'delivered' | 'cancelled' | 'refunded'
  /** The `paymentStatus` of the order */
  paymentStatus: 'pending' | 'paid' | 'failed' | 'refunded'
  amount: number
  currency: string
}

export type Download = {
  id: string
  orderId: string
  orderNumber: string
  productId: string
  variantId: string
  /** Of the product */
  name: string
  variant: string
  image: string
  /** What the file will be called; empty when that is not known */
  fileName: string
  /** How often it was fetched */
  used: number
  mostUses: number
  remaining: number
  /** Null: never */
  expiresAt: string | null
  createdAt: string
}

export type DownloadLink = {
  /** Opens without a key */
  url: string
  /** In ten minutes */
  expiresAt: string
}

export type CheckoutResult = {
  order: Order
  payment: Payment
}

export type Coupon = {
  code: string
  description: string
  type: 'percent' | 'fixed'
  /** Percent, or an amount in the store's currency */
  value: number
  minSubtotal: number
  endsAt: string | null
}

export type CouponCheck = {
  valid: boolean
  /** `NOT_FOUND`, `EXPIRED`, `NOT_STARTED`, `MIN_SUBTOTAL`, `USAGE_LIMIT`, `NOT_APPLICABLE` or `MISSING_CODE` */
  reason?: string
  /** What it would take off the cart */
  discount?: number
}

export type Variant = {
  id: string
  sku: string
  title: string
  /** The chosen value of each option */
  options: Record<string, string>
  /** At this outlet */
  price: number
  compareAtPrice: number | null
  /** Units that can be bought at this outlet; 999, the most that a cart line holds, when not tracked */
  stock: number
  /** `false`: always in stock, sold without counting */
  stockTracked: boolean
  /** GTIN, EAN, UPC or ISBN; empty when it has none */
  barcode: string
  weightGrams: number | null
  /** Address of its own picture; empty when it has none */
  image: string
}

export type MenuRoot = {
  id: string
  label: string
  /** `category`, `product`, `page` or `link` */
  type: string
  /** A slug, or an address for `link` */
  target: string
  children: MenuBranch[]
}

export type CartWarning = {
  code: 'PRICE_CHANGED' | 'OUT_OF_STOCK' | 'LOW_STOCK' | 'UNAVAILABLE' | 'COUPON_REMOVED'
  /** For the shopper */
  message: string
  /** The line that it is about */
  itemId: string | null
}

export type Shipment = {
  id: string
  trackingNumber: string
  partner: string
  status: string
  /** When it should arrive */
  estimatedDelivery: string | null
  /** When it arrived */
  deliveredAt: string | null
  trackingUrl: string
  /** Lines of the order with their quantities; empty: the whole order */
  items: {
    id: string
    quantity: number
  }[]
  updatedAt: string
}

export type OrderItem = {
  id: string
  productId: string
  variantId: string
  name: string
  /** The title of the variant; empty when there is only one */
  variant: string
  image: string
  sku: string
  quantity: number
  /** Of one unit */
  price: number
  lineTotal: number
  discount: number
  tax: number
  digital: boolean
}

export type Payment = {
  id: string
  provider: string
  status: 'starting' | 'open' | 'paid' | 'failed' | 'closed' | 'refunded'
  /** Where the shopper pays; null when there is nothing to pay now */
  redirectUrl: string | null
  /** Until when the shopper can pay there */
  expiresAt: string | null
}

export type MenuBranch = {
  id: string
  label: string
  /** `category`, `product`, `page` or `link` */
  type: string
  /** A slug, or an address for `link` */
  target: string
  children: MenuLeaf[]
}

export type MenuLeaf = {
  id: string
  label: string
  /** `category`, `product`, `page` or `link` */
  type: string
  /** A slug, or an address for `link` */
  target: string
  children: never[]
}

/** The answer of `requestOtp`. */
export type RequestOtpAnswer = {
  success: boolean
  /** When it ends: ISO 8601, UTC */
  expiresAt: string
  /** Binds the code to whoever asked for it: send it to verify */
  requestToken: string
}

/** The answer of `verifyOtp`. */
export type VerifyOtpAnswer = {
  /** Send it as `Authorization: Bearer …` */
  token: string
  customer: Customer
  /** When it ends: ISO 8601, UTC */
  expiresAt: string
}

/** The answer of `logOut`. */
export type LogOutAnswer = {
  success: boolean
}

/** The answer of `logOutEverywhere`. */
export type LogOutEverywhereAnswer = {
  success: boolean
}

/** The answer of `signUp`. */
export type SignUpAnswer = {
  /** Send it as `Authorization: Bearer …` */
  token: string
  user: Customer
  /** When it ends: ISO 8601, UTC */
  expiresAt: string
}

/** The answer of `signIn`. */
export type SignInAnswer = {
  /** Send it as `Authorization: Bearer …` */
  token: string
  user: Customer
  /** When it ends: ISO 8601, UTC */
  expiresAt: string
}

/** The answer of `changePassword`. */
export type ChangePasswordAnswer = {
  success: boolean
}

/** The input of `listProducts`. */
export type ListProductsInput = {
  /** Id or slug; its descendants count too */
  category?: string | undefined
  /** Product ids, comma-separated, 100 at most */
  ids?: string | undefined
  minPrice?: number | undefined
  maxPrice?: number | undefined
  /** `true`: only what can be bought now; `false`: only the rest */
  inStock?: boolean | undefined
  /**
   * Options that one variant must have, such as `Colour:Indigo,Size:S`; of several values of one option any will do. A
   * comma or a colon inside a name or a value is written with a backslash before it
   */
  options?: string | undefined
  /** Default: "newest". */
  sort?: 'newest' | 'price' | '-price' | 'name' | '-name' | undefined
  /** How many to answer with. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the page before */
  cursor?: string | undefined
}

/** The input of `showProduct`. */
export type ShowProductInput = {
  /** Id or slug of the product */
  idOrSlug: string
}

/** The input of `listCategories`. */
export type ListCategoriesInput = {
  /** How many to answer with. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the page before */
  cursor?: string | undefined
}

/** The input of `search`. */
export type SearchInput = {
  /** Words, or beginnings of words */
  q: string
  /** Id or slug; its descendants count too */
  category?: string | undefined
  /** Product ids, comma-separated, 100 at most */
  ids?: string | undefined
  minPrice?: number | undefined
  maxPrice?: number | undefined
  /** `true`: only what can be bought now; `false`: only the rest */
  inStock?: boolean | undefined
  /**
   * Options that one variant must have, such as `Colour:Indigo,Size:S`; of several values of one option any will do. A
   * comma or a colon inside a name or a value is written with a backslash before it
   */
  options?: string | undefined
  /** Default: "relevance". */
  sort?: 'relevance' | 'newest' | 'price' | '-price' | 'name' | '-name' | undefined
  /** How many to answer with. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the page before */
  cursor?: string | undefined
}

/** The input of `suggest`. */
export type SuggestInput = {
  q: string
}

/** The input of `listFilters`. */
export type ListFiltersInput = {
  /** Words, or beginnings of words */
  q?: string | undefined
  /** Id or slug; its descendants count too */
  category?: string | undefined
  minPrice?: number | undefined
  maxPrice?: number | undefined
  /** `true`: only what can be bought now; `false`: only the rest */
  inStock?: boolean | undefined
}

/** The input of `addToCart`. */
export type AddToCartInput = {
  productId?: string | undefined
  /** Needed where a product has several */
  variantId?: string | undefined
  /** Default: 1. */
  quantity?: number | undefined
  items?:
    | {
        productId: string
        /** Needed where a product has several */
        variantId?: string | undefined
        /** Default: 1. */
        quantity?: number | undefined
      }[]
    | undefined
  /** Null takes the code off */
  couponCode?: string | null | undefined
}

/** The input of `showCart`. */
export type ShowCartInput = {
  cartId: string
}

/** The input of `changeCart`. */
export type ChangeCartInput = {
  cartId: string
  items?:
    | {
        /** The line, or name its product */
        id?: string | undefined
        productId?: string | undefined
        /** Needed where a product has several */
        variantId?: string | undefined
        /** Zero removes the line */
        quantity: number
      }[]
    | undefined
  /** Null takes the code off */
  couponCode?: string | null | undefined
}

/** The input of `deleteCart`. */
export type DeleteCartInput = {
  cartId: string
}

/** The input of `claimCart`. */
export type ClaimCartInput = {
  cartId: string
}

/** The input of `addCartItem`. */
export type AddCartItemInput = {
  cartId: string
  productId: string
  /** Needed where a product has several */
  variantId?: string | undefined
  /** Default: 1. */
  quantity?: number | undefined
}

/** The input of `changeCartItem`. */
export type ChangeCartItemInput = {
  cartId: string
  itemId: string
  /** Zero removes the line */
  quantity: number
}

/** The input of `removeCartItem`. */
export type RemoveCartItemInput = {
  cartId: string
  itemId: string
}

/** The input of `mergeGuestData`. */
export type MergeGuestDataInput = {
  guestToken: string
}

/** The input of `requestOtp`. */
export type RequestOtpInput = {
  /** International, such as +919876543210; spacing does not matter */
  phone: string
  /** Of an earlier request for this number that signed somebody in; any other is ignored */
  requestToken?: string | undefined
}

/** The input of `verifyOtp`. */
export type VerifyOtpInput = {
  /** International, such as +919876543210; spacing does not matter */
  phone: string
  /** The digits of the message */
  otp: string
  guestCartId?: string | undefined
  /** Of the answer to the request; one that is unknown or of another number is ignored */
  requestToken?: string | undefined
}

/** The input of `signUp`. */
export type SignUpInput = {
  name: string
  /** Case does not matter */
  email: string
  password: string
  /** International, such as +919876543210; spacing does not matter */
  phone?: string | undefined
}

/** The input of `signIn`. */
export type SignInInput = {
  /** Case does not matter */
  email: string
  password: string
}

/** The input of `addWishlistItem`. */
export type AddWishlistItemInput = {
  productId: string
}

/** The input of `removeWishlistItem`. */
export type RemoveWishlistItemInput = {
  /** Id of the entry or of the product */
  id: string
}

/** The input of `changeCustomer`. */
export type ChangeCustomerInput = {
  name?: string | undefined
  /** Signs in a customer who has a password, and is for reaching one who has none. Empty: removes it */
  email?: string | undefined
  /** Needed to change the email of a customer who has a password */
  currentPassword?: string | undefined
  /** International form. For reaching the customer; the number that signs in stays as it is. Empty: removes it */
  phone?: string | undefined
}

/** The input of `changePassword`. */
export type ChangePasswordInput = {
  currentPassword?: string | undefined
  newPassword: string
}

/** The input of `listAddresses`. */
export type ListAddressesInput = {
  /** How many to answer with. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the page before */
  cursor?: string | undefined
}

/** The input of `addAddress`. */
export type AddAddressInput = {
  /** Who receives */
  name: string
  /** Where the carrier can call; kept as it is written */
  phone: string
  line1: string
  city: string
  postalCode: string
  /** ISO 3166, two letters */
  country: string
  /** What the customer calls it, such as "Home" */
  label?: string | undefined
  line2?: string | undefined
  landmark?: string | undefined
  state?: string | undefined
  /**
   * Whenever there are addresses, one of them is the default. The first becomes it by itself, and setting it on another
   * moves it there. `false` on the default address changes nothing: make another one the default instead.
   */
  isDefault?: boolean | undefined
}

/** The input of `changeAddress`. */
export type ChangeAddressInput = {
  /** Id of the address */
  id: string
  /** Who receives */
  name?: string | undefined
  /** Where the carrier can call; kept as it is written */
  phone?: string | undefined
  line1?: string | undefined
  city?: string | undefined
  postalCode?: string | undefined
  /** ISO 3166, two letters */
  country?: string | undefined
  /** What the customer calls it, such as "Home" */
  label?: string | undefined
  line2?: string | undefined
  landmark?: string | undefined
  state?: string | undefined
  /**
   * Whenever there are addresses, one of them is the default. The first becomes it by itself, and setting it on another
   * moves it there. `false` on the default address changes nothing: make another one the default instead.
   */
  isDefault?: boolean | undefined
}

/** The input of `removeAddress`. */
export type RemoveAddressInput = {
  /** Id of the address */
  id: string
}

/** The input of `listOrders`. */
export type ListOrdersInput = {
  /** How many to answer with. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the page before */
  cursor?: string | undefined
}

/** The input of `showOrder`. */
export type ShowOrderInput = {
  id: string
  /** Seconds to wait at most. Default: 0. */
  wait?: number | undefined
}

/** The input of `cancelOrder`. */
export type CancelOrderInput = {
  id: string
}

/** The input of `startPayment`. */
export type StartPaymentInput = {
  orderId: string
}

/** The input of `showPayment`. */
export type ShowPaymentInput = {
  orderId: string
}

/** The input of `listDownloads`. */
export type ListDownloadsInput = {
  /** How many to answer with. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the page before */
  cursor?: string | undefined
}

/** The input of `useDownload`. */
export type UseDownloadInput = {
  id: string
}

/** The input of `makeDownloadLink`. */
export type MakeDownloadLinkInput = {
  id: string
}

/** The input of `checkOut`. */
export type CheckOutInput = {
  /** The customer's own cart, which it is anyway */
  cartId?: string | undefined
  /** Of the cart as it was shown */
  version?: number | undefined
  /** What the shopper was shown */
  expectedTotal?: number | undefined
  addressId?: string | undefined
  shippingAddress?:
    | {
        /** Who receives */
        name: string
        /** Where the carrier can call; kept as it is written */
        phone: string
        line1: string
        city: string
        postalCode: string
        /** ISO 3166, two letters */
        country: string
        /** What the customer calls it, such as "Home" */
        label?: string | undefined
        line2?: string | undefined
        landmark?: string | undefined
        state?: string | undefined
        /**
         * Whenever there are addresses, one of them is the default. The first becomes it by itself, and setting it on
         * another moves it there. `false` on the default address changes nothing: make another one the default instead.
         */
        isDefault?: boolean | undefined
      }
    | undefined
  billingAddress?:
    | {
        /** Who receives */
        name: string
        /** Where the carrier can call; kept as it is written */
        phone: string
        line1: string
        city: string
        postalCode: string
        /** ISO 3166, two letters */
        country: string
        /** What the customer calls it, such as "Home" */
        label?: string | undefined
        line2?: string | undefined
        landmark?: string | undefined
        state?: string | undefined
        /**
         * Whenever there are addresses, one of them is the default. The first becomes it by itself, and setting it on
         * another moves it there. `false` on the default address changes nothing: make another one the default instead.
         */
        isDefault?: boolean | undefined
      }
    | undefined
  /** In place of the cart's; null: none */
  couponCode?: string | null | undefined
  /** `online` or `cod`; the first of the store's `paymentMethods` unless sent */
  paymentMethod?: string | undefined
  /** The origin of the page, to which the shopper returns after paying */
  storefrontUrl?: string | undefined
  note?: string | undefined
}

/** The input of `listCoupons`. */
export type ListCouponsInput = {
  /** How many to answer with. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the page before */
  cursor?: string | undefined
}

/** The input of `validateCoupon`. */
export type ValidateCouponInput = {
  /** The code */
  code?: unknown
  /** The customer's cart */
  cartId?: unknown
}

/** The error codes of the service. */
export type ErrorCode =
  | 'BAD_REQUEST'
  | 'COUPON_INVALID'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'REQUEST_TIMEOUT'
  | 'CONFLICT'
  | 'INSUFFICIENT_STOCK'
  | 'STALE_CHECKOUT'
  | 'GONE'
  | 'COUPON_EXPIRED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'UNPROCESSABLE_ENTITY'
  | 'RATE_LIMITED'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL'
  | 'BAD_GATEWAY'
  | 'SERVICE_UNAVAILABLE'
