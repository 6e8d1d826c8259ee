// Generated from the contract of the service by `npm run generate`. Do not edit.

export type Product = {
  id: string
  name: string
  description: string
  /** The lowest price of its variants at this outlet, in the store's currency */
  price: number
  /** Name of its category; empty if it has none */
  category: string
  /** Units that can be bought at this outlet; each untracked variant counts as 999 */
  stock: number
  /** `false` if a variant is not tracked: it is always in stock, and `stock` is not a real count */
  stockTracked: boolean
  /** Image URLs */
  images: string[]
  /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
  imageSizes?: ImageSize[]
  /** Only `ACTIVE` products are visible */
  status: string
  slug: string
  /** ISO 4217 */
  currency: string
  /** Price before a reduction */
  compareAtPrice: number | null
  /** Whether a variant must be chosen to buy it */
  hasVariants: boolean
}

export type ProductDetail = {
  id: string
  name: string
  description: string
  /** The lowest price of its variants at this outlet, in the store's currency */
  price: number
  /** Name of its category; empty if it has none */
  category: string
  /** Units that can be bought at this outlet; each untracked variant counts as 999 */
  stock: number
  /** `false` if a variant is not tracked: it is always in stock, and `stock` is not a real count */
  stockTracked: boolean
  /** Image URLs */
  images: string[]
  /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
  imageSizes?: ImageSize[]
  /** Only `ACTIVE` products are visible */
  status: string
  slug: string
  /** ISO 4217 */
  currency: string
  /** Price before a reduction */
  compareAtPrice: number | null
  /** Whether a variant must be chosen to buy it */
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
  /** Manufacturer or brand; may be empty */
  vendor: string
  /** The images of `images` with their alternative texts, which may be empty */
  media: {
    url: string
    alt: string
    width?: number
    height?: number
    /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
    sizes?: ImageSize[]
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
  /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
  imageSizes?: ImageSize[]
  /** Number of ACTIVE products directly in it */
  productCount: number
  position: number
}

export type SearchResult = {
  data: Product[]
  /** Opaque; null on the last page */
  nextCursor: string | null
  hasMore: boolean
  /** Number of matching products */
  total: number
  /** `false` beyond 1,000 matches: `total` is then an estimate or a lower bound */
  totalIsExact: boolean
  /**
   * The query that was used if misspelt words were replaced by words of the store; `null` if nothing was corrected or
   * found
   */
  correctedQuery: string | null
  /** Of all matches, or estimates from a sample of them if `totalIsExact` is `false` */
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
    /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
    imageSizes?: ImageSize[]
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
      /** Number of the examined products that have it */
      count: number
    }[]
  }[]
}

export type Store = {
  id: string
  name: string
  /** Origin of the registered storefront */
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
  /** Payment methods of this store. The first is the default at checkout */
  paymentMethods: ('online' | 'cod')[]
  /** Ways to sign in: a one-time password to a phone or an email address, or a password */
  signIn: ('phone' | 'email' | 'password')[]
  shipping: {
    /** Shipping fee */
    flat: number
    /** Shipping is free from this subtotal */
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
  /** Current unit price */
  price: number
  lineTotal: number
  /** Whether the whole quantity can be bought now */
  inStock: boolean
  product: {
    name: string
    image: string
    /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
    imageSizes?: ImageSize[]
    description: string
    slug: string
    /** Title of the chosen variant; empty if the product has only one */
    variant: string
  }
}

export type Cart = {
  id: string
  /** Null for a guest cart */
  customerId: string | null
  /** The outlet whose prices and stock apply */
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
  /** Included in the prices or added to them, depending on the store */
  tax: number
  total: number
  /** Increases with every change */
  version: number
  createdAt: string
  updatedAt: string
  /** Null for the cart of a customer, which does not expire */
  expiresAt: string | null
  /** Reasons why checkout would fail or differ from what the shopper saw */
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
  /** Empty if none */
  email: string
  /** Whether the customer has proved to receive mail at `email` */
  emailVerified: boolean
  /** The verified number, otherwise the contact number */
  phone: string
  /** Whether `phone` was verified by a code and can be used for sign-in */
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
    /** URL of its first image; empty if it has none */
    image: string
    /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
    imageSizes?: ImageSize[]
    description: string
    /** Whether it can be bought at this outlet now */
    inStock: boolean
  }
  /** ISO 8601, UTC */
  createdAt: string
}

export type Address = {
  id: string
  /** The name the customer gives it, such as "Home" */
  label: string
  /** Recipient */
  name: string
  /** For the carrier to call; stored as written */
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
  /** Number shown to people */
  number: string
  status: 'pending' | 'paid' | 'out_for_delivery' | 'delivered' | 'cancelled' | 'refunded'
  paymentStatus: 'pending' | 'paid' | 'failed' | 'partially_refunded' | 'refunded'
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
  /** How the order was paid; null until the payment is settled */
  payment: {
    method: string
    last4: string
    upiId: string
    reference: string
  } | null
  /** Refunds that succeeded or are pending */
  refundedTotal: number
  refunds: Refund[]
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
  /** When the order is cancelled automatically if it is still unpaid */
  expiresAt: string | null
}

export type Return = {
  id: string
  orderId: string
  orderNumber: string
  status: 'requested' | 'approved' | 'rejected' | 'received' | 'refunded'
  items: {
    /** The item of the order */
    id: string
    quantity: number
  }[]
  reason: string
  /** What the store has written to the customer */
  answer: string
  refundId: string | null
  createdAt: string
  updatedAt: string
}

export type PaymentState = {
  id: string
  provider: string
  status: 'starting' | 'open' | 'paid' | 'failed' | 'closed' | 'refunded'
  /** Page on which the shopper pays; null if there is nothing to pay now */
  redirectUrl: string | null
  /** When `redirectUrl` expires */
  expiresAt: string | null
  orderId: string
  /** The `status` of the order */
  orderStatus: 'pending' | 'paid' | 'out_for_delivery' | 'delivered' | 'cancelled' | 'refunded'
  /** The `paymentStatus` of the order */
  paymentStatus: 'pending' | 'paid' | 'failed' | 'partially_refunded' | 'refunded'
  amount: number
  currency: string
}

export type Download = {
  id: string
  orderId: string
  orderNumber: string
  productId: string
  variantId: string
  /** Name of the product */
  name: string
  variant: string
  image: string
  /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
  imageSizes?: ImageSize[]
  /** Name of the file; empty if unknown */
  fileName: string
  /** Number of times it was downloaded */
  used: number
  mostUses: number
  remaining: number
  /** Null if it never expires */
  expiresAt: string | null
  createdAt: string
}

export type DownloadLink = {
  /** Works without a key */
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
  /** A percentage, or an amount in the store's currency */
  value: number
  minSubtotal: number
  endsAt: string | null
}

export type CouponCheck = {
  valid: boolean
  /** `NOT_FOUND`, `EXPIRED`, `NOT_STARTED`, `MIN_SUBTOTAL`, `USAGE_LIMIT`, `NOT_APPLICABLE` or `MISSING_CODE` */
  reason?: string
  /** Amount that it would take off the cart */
  discount?: number
}

export type OrderEventData = {
  id: string
  /** Number shown to people */
  number: string
  status: 'pending' | 'paid' | 'out_for_delivery' | 'delivered' | 'cancelled' | 'refunded'
  paymentStatus: 'pending' | 'paid' | 'failed' | 'partially_refunded' | 'refunded'
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
  /** How the order was paid; null until the payment is settled */
  payment: {
    method: string
    last4: string
    upiId: string
    reference: string
  } | null
  /** Refunds that succeeded or are pending */
  refundedTotal: number
  refunds: Refund[]
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
  /** When the order is cancelled automatically if it is still unpaid */
  expiresAt: string | null
  /** Why the merchant must decide, such as `OUT_OF_STOCK`, `DISPUTE` or `REFUND_FAILED` */
  needsAttention: string | null
  customer: {
    id: string
    name: string
    /** Empty if none */
    email: string
    /** Empty if none */
    phone: string
  }
}

export type ProductEventData = {
  id: string
  name: string
  description: string
  /** The lowest price of its variants at this outlet, in the store's currency */
  price: number
  /** Name of its category; empty if it has none */
  category: string
  /** Units that can be bought at this outlet; each untracked variant counts as 999 */
  stock: number
  /** `false` if a variant is not tracked: it is always in stock, and `stock` is not a real count */
  stockTracked: boolean
  /** Image URLs */
  images: string[]
  /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
  imageSizes?: ImageSize[]
  /** `ACTIVE`, `DRAFT` or `ARCHIVED` */
  status: string
  slug: string
  /** ISO 4217 */
  currency: string
  /** Price before a reduction */
  compareAtPrice: number | null
  /** Whether a variant must be chosen to buy it */
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
  /** Manufacturer or brand; may be empty */
  vendor: string
  /** The images of `images` with their alternative texts, which may be empty */
  media: {
    url: string
    alt: string
    width?: number
    height?: number
    /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
    sizes?: ImageSize[]
  }[]
  /** Delivered as a download */
  digital: boolean
  tags: string[]
}

export type StockEventData = {
  variantId: string
  productId: string
  /** Empty if none */
  sku: string
  /** Name of the product */
  name: string
  /** Title of the variant; empty if the product has only one */
  variant: string
  outletId: string
  /** Units that can be sold */
  available: number
  /** Units at which the variant counts as low in stock */
  threshold: number
}

export type TestEventData = {
  endpointId: string
}

export type ImageSize = {
  width: number
  height: number
  url: string
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
  /** Units that can be bought at this outlet; 999, the maximum of a cart line, if not tracked */
  stock: number
  /** `false`: always in stock, units are not counted */
  stockTracked: boolean
  /** GTIN, EAN, UPC or ISBN; empty if it has none */
  barcode: string
  weightGrams: number | null
  /** URL of its own image; empty if it has none */
  image: string
  /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
  imageSizes?: ImageSize[]
}

export type MenuRoot = {
  id: string
  label: string
  /** `category`, `product`, `page` or `link` */
  type: string
  /** A slug, or a URL for `link` */
  target: string
  children: MenuBranch[]
}

export type CartWarning = {
  code: 'PRICE_CHANGED' | 'OUT_OF_STOCK' | 'LOW_STOCK' | 'UNAVAILABLE' | 'COUPON_REMOVED'
  /** For the shopper */
  message: string
  /** The affected line */
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
  /** Order lines with quantities; empty means the whole order */
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
  /** Title of the variant; empty if the product has only one */
  variant: string
  image: string
  /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
  imageSizes?: ImageSize[]
  sku: string
  quantity: number
  /** Price of one unit */
  price: number
  lineTotal: number
  discount: number
  tax: number
  digital: boolean
}

export type Refund = {
  id: string
  amount: number
  status: 'pending' | 'succeeded' | 'failed'
  /** `provider`: it was made in the dashboard of the payment provider */
  reason: string
  /** Refunded lines of the order with their quantities; empty: an amount, or all that was left */
  items: {
    id: string
    quantity: number
  }[]
  createdAt: string
}

export type Payment = {
  id: string
  provider: string
  status: 'starting' | 'open' | 'paid' | 'failed' | 'closed' | 'refunded'
  /** Page on which the shopper pays; null if there is nothing to pay now */
  redirectUrl: string | null
  /** When `redirectUrl` expires */
  expiresAt: string | null
}

export type MenuBranch = {
  id: string
  label: string
  /** `category`, `product`, `page` or `link` */
  type: string
  /** A slug, or a URL for `link` */
  target: string
  children: MenuLeaf[]
}

export type MenuLeaf = {
  id: string
  label: string
  /** `category`, `product`, `page` or `link` */
  type: string
  /** A slug, or a URL for `link` */
  target: string
  children: never[]
}

/** The answer of `requestOtp`. */
export type RequestOtpAnswer = {
  success: boolean
  /** Expiry time: ISO 8601, UTC */
  expiresAt: string
  /** Binds the code to the client that requested it: send it to verify */
  requestToken: string
}

/** The answer of `verifyOtp`. */
export type VerifyOtpAnswer = {
  /** Send it as `Authorization: Bearer …` */
  token: string
  customer: Customer
  /** Expiry time: ISO 8601, UTC */
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
  /** Expiry time: ISO 8601, UTC */
  expiresAt: string
}

/** The answer of `signIn`. */
export type SignInAnswer = {
  /** Send it as `Authorization: Bearer …` */
  token: string
  user: Customer
  /** Expiry time: ISO 8601, UTC */
  expiresAt: string
}

/** The answer of `forgotPassword`. */
export type ForgotPasswordAnswer = {
  success: boolean
}

/** The answer of `resetPassword`. */
export type ResetPasswordAnswer = {
  /** Send it as `Authorization: Bearer …` */
  token: string
  user: Customer
  /** Expiry time: ISO 8601, UTC */
  expiresAt: string
}

/** The answer of `requestVerification`. */
export type RequestVerificationAnswer = {
  success: boolean
}

/** The answer of `changePassword`. */
export type ChangePasswordAnswer = {
  success: boolean
}

/** The answer of `listReturns`. */
export type ListReturnsAnswer = {
  data: Return[]
}

/** The input of `listProducts`. */
export type ListProductsInput = {
  /** Id or slug; includes its descendants */
  category?: string | undefined
  /** Product ids, comma-separated, at most 100 */
  ids?: string | undefined
  minPrice?: number | undefined
  maxPrice?: number | undefined
  /** `true`: only products in stock; `false`: only products out of stock */
  inStock?: boolean | undefined
  /**
   * Options that one variant must have, such as `Colour:Indigo,Size:S`. Several values of one option are alternatives.
   * Escape a comma or colon inside a name or value with a backslash
   */
  options?: string | undefined
  /** Default: "newest". */
  sort?: 'newest' | 'price' | '-price' | 'name' | '-name' | undefined
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
}

/** The input of `showProduct`. */
export type ShowProductInput = {
  /** Id or slug of the product */
  idOrSlug: string
}

/** The input of `listCategories`. */
export type ListCategoriesInput = {
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
}

/** The input of `search`. */
export type SearchInput = {
  /** Words or word prefixes */
  q: string
  /** Id or slug; includes its descendants */
  category?: string | undefined
  /** Product ids, comma-separated, at most 100 */
  ids?: string | undefined
  minPrice?: number | undefined
  maxPrice?: number | undefined
  /** `true`: only products in stock; `false`: only products out of stock */
  inStock?: boolean | undefined
  /**
   * Options that one variant must have, such as `Colour:Indigo,Size:S`. Several values of one option are alternatives.
   * Escape a comma or colon inside a name or value with a backslash
   */
  options?: string | undefined
  /** Default: "relevance". */
  sort?: 'relevance' | 'newest' | 'price' | '-price' | 'name' | '-name' | undefined
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
}

/** The input of `suggest`. */
export type SuggestInput = {
  q: string
}

/** The input of `listFilters`. */
export type ListFiltersInput = {
  /** Words or word prefixes */
  q?: string | undefined
  /** Id or slug; includes its descendants */
  category?: string | undefined
  minPrice?: number | undefined
  maxPrice?: number | undefined
  /** `true`: only products in stock; `false`: only products out of stock */
  inStock?: boolean | undefined
}

/** The input of `addToCart`. */
export type AddToCartInput = {
  productId?: string | undefined
  /** Required if the product has several variants */
  variantId?: string | undefined
  /** Default: 1. */
  quantity?: number | undefined
  items?:
    | {
        productId: string
        /** Required if the product has several variants */
        variantId?: string | undefined
        /** Default: 1. */
        quantity?: number | undefined
      }[]
    | undefined
  /** Null removes the code */
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
        /** Id of the line; alternatively `productId` */
        id?: string | undefined
        productId?: string | undefined
        /** Required if the product has several variants */
        variantId?: string | undefined
        /** 0 removes the line */
        quantity: number
      }[]
    | undefined
  /** Null removes the code */
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
  /** Required if the product has several variants */
  variantId?: string | undefined
  /** Default: 1. */
  quantity?: number | undefined
}

/** The input of `changeCartItem`. */
export type ChangeCartItemInput = {
  cartId: string
  itemId: string
  /** 0 removes the line */
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
  /** International form, such as +919876543210; spacing is ignored */
  phone?: string | undefined
  /** Case-insensitive */
  email?: string | undefined
  /** From an earlier request for this number or address that led to a sign-in; any other is ignored */
  requestToken?: string | undefined
}

/** The input of `verifyOtp`. */
export type VerifyOtpInput = {
  /** International form, such as +919876543210; spacing is ignored */
  phone?: string | undefined
  /** Case-insensitive */
  email?: string | undefined
  /** The code from the message */
  otp: string
  guestCartId?: string | undefined
  /** From the response to the request; an unknown token or one of another number or address is ignored */
  requestToken?: string | undefined
}

/** The input of `signUp`. */
export type SignUpInput = {
  name: string
  /** Case-insensitive */
  email: string
  password: string
  /** International form, such as +919876543210; spacing is ignored */
  phone?: string | undefined
  /** Origin that the link in the mail leads to; one of the allowlist. Default: the domain of the store */
  storefrontUrl?: string | undefined
}

/** The input of `signIn`. */
export type SignInInput = {
  /** Case-insensitive */
  email: string
  password: string
}

/** The input of `forgotPassword`. */
export type ForgotPasswordInput = {
  /** Case-insensitive */
  email: string
  /** Origin that the link in the mail leads to; one of the allowlist. Default: the domain of the store */
  storefrontUrl?: string | undefined
}

/** The input of `resetPassword`. */
export type ResetPasswordInput = {
  /** From the link in the mail */
  token: string
  password: string
}

/** The input of `verifyEmail`. */
export type VerifyEmailInput = {
  /** From the link in the mail */
  token: string
}

/** The input of `requestVerification`. */
export type RequestVerificationInput = {
  /** Origin that the link in the mail leads to; one of the allowlist. Default: the domain of the store */
  storefrontUrl?: string | undefined
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
  /** Sign-in email if it is confirmed or the customer has a password, otherwise contact data. Empty: removes it */
  email?: string | undefined
  /** Required to change the email of a customer who has a password */
  currentPassword?: string | undefined
  /** Origin that the link to confirm a new email leads to. Default: the domain of the store */
  storefrontUrl?: string | undefined
  /** Contact number in international form. The verified number for sign-in does not change. Empty: removes it */
  phone?: string | undefined
}

/** The input of `changePassword`. */
export type ChangePasswordInput = {
  currentPassword?: string | undefined
  newPassword: string
}

/** The input of `listAddresses`. */
export type ListAddressesInput = {
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
}

/** The input of `addAddress`. */
export type AddAddressInput = {
  /** Recipient */
  name: string
  /** For the carrier to call; stored as written */
  phone: string
  line1: string
  city: string
  postalCode: string
  /** ISO 3166, two letters */
  country: string
  /** The name the customer gives it, such as "Home" */
  label?: string | undefined
  line2?: string | undefined
  landmark?: string | undefined
  state?: string | undefined
  /**
   * One address is always the default. The first one becomes the default automatically; `true` makes another address
   * the default. `false` on the default address has no effect: make another address the default instead.
   */
  isDefault?: boolean | undefined
}

/** The input of `changeAddress`. */
export type ChangeAddressInput = {
  /** Id of the address */
  id: string
  /** Recipient */
  name?: string | undefined
  /** For the carrier to call; stored as written */
  phone?: string | undefined
  line1?: string | undefined
  city?: string | undefined
  postalCode?: string | undefined
  /** ISO 3166, two letters */
  country?: string | undefined
  /** The name the customer gives it, such as "Home" */
  label?: string | undefined
  line2?: string | undefined
  landmark?: string | undefined
  state?: string | undefined
  /**
   * One address is always the default. The first one becomes the default automatically; `true` makes another address
   * the default. `false` on the default address has no effect: make another address the default instead.
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
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
}

/** The input of `showOrder`. */
export type ShowOrderInput = {
  id: string
  /** Maximum seconds to wait. Default: 0. */
  wait?: number | undefined
}

/** The input of `cancelOrder`. */
export type CancelOrderInput = {
  id: string
}

/** The input of `requestReturn`. */
export type RequestReturnInput = {
  id: string
  items: {
    /** The id of an item of the order */
    id: string
    quantity: number
  }[]
  reason?: string | undefined
}

/** The input of `listReturns`. */
export type ListReturnsInput = {
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
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
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
  /** Must be the customer's own cart, which is the default */
  cartId?: string | undefined
  /** Version of the cart that the shopper saw */
  version?: number | undefined
  /** Total that the shopper saw */
  expectedTotal?: number | undefined
  addressId?: string | undefined
  shippingAddress?:
    | {
        /** Recipient */
        name: string
        /** For the carrier to call; stored as written */
        phone: string
        line1: string
        city: string
        postalCode: string
        /** ISO 3166, two letters */
        country: string
        /** The name the customer gives it, such as "Home" */
        label?: string | undefined
        line2?: string | undefined
        landmark?: string | undefined
        state?: string | undefined
        /**
         * One address is always the default. The first one becomes the default automatically; `true` makes another address
         * the default. `false` on the default address has no effect: make another address the default instead.
         */
        isDefault?: boolean | undefined
      }
    | undefined
  billingAddress?:
    | {
        /** Recipient */
        name: string
        /** For the carrier to call; stored as written */
        phone: string
        line1: string
        city: string
        postalCode: string
        /** ISO 3166, two letters */
        country: string
        /** The name the customer gives it, such as "Home" */
        label?: string | undefined
        line2?: string | undefined
        landmark?: string | undefined
        state?: string | undefined
        /**
         * One address is always the default. The first one becomes the default automatically; `true` makes another address
         * the default. `false` on the default address has no effect: make another address the default instead.
         */
        isDefault?: boolean | undefined
      }
    | undefined
  /** Replaces the cart's coupon; null removes it */
  couponCode?: string | null | undefined
  /** `online` or `cod`. Default: the first of the store's `paymentMethods` */
  paymentMethod?: string | undefined
  /** Origin of the page to which the shopper returns after paying */
  storefrontUrl?: string | undefined
  note?: string | undefined
}

/** The input of `listCoupons`. */
export type ListCouponsInput = {
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
}

/** The input of `validateCoupon`. */
export type ValidateCouponInput = {
  /** The code */
  code?: unknown
  /** The customer's cart */
  cartId?: unknown
}

/** The `data` of the events that are sent to webhook endpoints, by type. */
export type EventData = {
  /** A checkout has created an order */
  'order.placed': OrderEventData
  /** The payment of an order has succeeded */
  'order.paid': OrderEventData
  /** A payment has failed; the shopper can try again */
  'order.payment_failed': OrderEventData
  /** An order was cancelled, or was not paid in time */
  'order.cancelled': OrderEventData
  /** A parcel of the order was handed to a carrier */
  'order.shipped': OrderEventData
  /** A parcel of the order is on its way */
  'order.out_for_delivery': OrderEventData
  /** All of the order was delivered */
  'order.delivered': OrderEventData
  /** All or part of the payment was refunded */
  'order.refunded': OrderEventData
  /** The order needs a decision of the merchant: `needsAttention` says why */
  'order.attention': OrderEventData
  /** The goods came back to the store */
  'order.returned': OrderEventData
  /** A customer signed up, or signed in with a code for the first time */
  'customer.created': Customer
  /** The name, address or phone number of a customer was changed or confirmed */
  'customer.updated': Customer
  /** The personal data of a customer was erased */
  'customer.erased': Customer
  /** A product was added to the catalog */
  'product.created': ProductEventData
  /** A product was changed */
  'product.updated': ProductEventData
  /** A product was archived */
  'product.archived': ProductEventData
  /** The units of a variant at an outlet have fallen to its threshold */
  'stock.low': StockEventData
  /** The last unit of a variant at an outlet was sold or reserved */
  'stock.out': StockEventData
  /** An endpoint is tested; sent only to this endpoint, whatever it subscribes to */
  'webhook.test': TestEventData
}

/** The error codes of the service. */
export type ErrorCode =
  | 'BAD_REQUEST'
  | 'COUPON_INVALID'
  | 'UNAUTHORIZED'
  | 'SECOND_FACTOR_REQUIRED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'REQUEST_TIMEOUT'
  | 'CONFLICT'
  | 'INSUFFICIENT_STOCK'
  | 'STALE_CHECKOUT'
  | 'GONE'
  | 'COUPON_EXPIRED'
  | 'PRECONDITION_FAILED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'UNPROCESSABLE_ENTITY'
  | 'RATE_LIMITED'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL'
  | 'BAD_GATEWAY'
  | 'SERVICE_UNAVAILABLE'
