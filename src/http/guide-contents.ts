export type GuidePage = { page: string; label: string; about: string }
export type GuideSection = { title: string; pages: readonly GuidePage[] }

/** Every page of the guide, in reading order. The texts are the files of these names in docs/. */
export const guideSections: readonly GuideSection[] = [
  {
    title: 'Start',
    pages: [
      { page: 'quick-start', label: 'Quick start', about: 'From nothing to a paid order in ten minutes.' },
      { page: 'tour', label: 'A tour with curl', about: 'From a product list to a delivered order.' },
      { page: 'keys', label: 'Which key where', about: 'Server keys, browser keys, internal tokens, scopes, origins.' },
      { page: 'sdk', label: 'Client library', about: 'Calls, retries, sessions and errors in TypeScript.' },
      { page: 'coming-from-shopify', label: 'Coming from Shopify', about: 'Terms compared, and how to move products.' },
    ],
  },
  {
    title: 'Build a shop',
    pages: [
      { page: 'catalog', label: 'The catalog', about: 'Lists, filters, outlets, caching and search.' },
      { page: 'pagination', label: 'Pagination', about: 'How to read all pages of a list.' },
      { page: 'guests-and-carts', label: 'Guests and carts', about: 'Guest tokens, carts, wishlists, merging.' },
      { page: 'signing-in', label: 'Signing in', about: 'Codes by phone, e-mail and password, sessions.' },
      { page: 'checkout-and-payment', label: 'Checkout and payment', about: 'From a full cart to a paid order.' },
      { page: 'delivery', label: 'Delivery', about: 'Shipping and tracking orders.' },
      { page: 'webhooks', label: 'Webhooks', about: 'What providers send, and how they authenticate.' },
    ],
  },
  {
    title: 'Reference',
    pages: [
      { page: 'errors', label: 'Errors', about: 'Every error code, and what to do about it.' },
      { page: 'limits', label: 'Limits', about: 'Sizes, rates and timeouts.' },
      { page: 'cli', label: 'Command line', about: 'Every command with its options.' },
      { page: 'settings', label: 'Settings', about: 'Every environment variable.' },
    ],
  },
  {
    title: 'Operate',
    pages: [
      { page: 'production', label: 'Production', about: 'PostgreSQL, Redis, instances, backups, secrets.' },
      { page: 'import', label: 'Import and export', about: 'Products in bulk.' },
      { page: 'benchmarks', label: 'Benchmarks', about: 'How fast it is, and how to measure it.' },
      { page: 'query-plans', label: 'Query plans', about: 'How lists and searches read the database.' },
    ],
  },
]

export const guidePages: readonly GuidePage[] = guideSections.flatMap(({ pages }) => pages)
