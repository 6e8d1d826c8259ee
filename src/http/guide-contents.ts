export type GuidePage = { page: string; label: string; about: string }
export type GuideSection = { title: string; pages: readonly GuidePage[] }

/** Every page of the guide, in reading order. The texts are the files of these names in docs/. */
export const guideSections: readonly GuideSection[] = [
  {
    title: 'Start',
    pages: [
      { page: 'quick-start', label: 'Quick start', about: 'From an empty folder to a paid order in ten minutes.' },
      { page: 'tour', label: 'A tour with curl', about: 'From a product list to a delivered order.' },
      { page: 'keys', label: 'Which key where', about: 'Server keys, browser keys, internal tokens, scopes, origins.' },
      { page: 'sdk', label: 'Client library', about: 'Calls, retries, sessions and errors in TypeScript.' },
      { page: 'coming-from-shopify', label: 'Coming from Shopify', about: 'Terms compared, and moving products.' },
    ],
  },
  {
    title: 'Build a shop',
    pages: [
      { page: 'catalog', label: 'The catalog', about: 'Lists, filters, outlets, caching and search.' },
      { page: 'pagination', label: 'Pagination', about: 'Reading a list to its end.' },
      { page: 'guests-and-carts', label: 'Guests and carts', about: 'Guest tokens, carts, wishlists, merging.' },
      { page: 'signing-in', label: 'Signing in', about: 'Codes by phone, email and password, sessions.' },
      { page: 'checkout-and-payment', label: 'Checkout and payment', about: 'From a full cart to a paid order.' },
      { page: 'delivery', label: 'Delivery', about: 'Shipping an order and tracking it.' },
      { page: 'webhooks', label: 'Webhooks', about: 'Events from payment providers and carriers.' },
      { page: 'receiving-webhooks', label: 'Webhooks you receive', about: 'Telling other systems what happens.' },
    ],
  },
  {
    title: 'Take payments',
    pages: [
      { page: 'going-live', label: 'Going live', about: 'From nothing to a first real payment, as a checklist.' },
      { page: 'payments', label: 'Payment providers', about: 'Choosing one, refunds, disputes, outages.' },
      { page: 'stripe', label: 'Stripe', about: 'Account, webhook, test mode, problems.' },
      { page: 'razorpay', label: 'Razorpay', about: 'Account, webhook, test mode, problems.' },
      { page: 'juspay', label: 'Juspay', about: 'Account, webhook, test mode, problems.' },
    ],
  },
  {
    title: 'Run a shop',
    pages: [
      { page: 'admin-page', label: 'The admin page', about: 'Every screen, and how to open it.' },
      {
        page: 'run-your-shop',
        label: 'Run your shop by API',
        about: 'Products, orders, returns and reports: a day of a merchant.',
      },
      { page: 'staff', label: 'Staff and tokens', about: 'People, roles, tokens, and who has changed what.' },
      { page: 'admin-client', label: 'Admin client', about: 'Orders, products and pictures from TypeScript.' },
      { page: 'privacy', label: 'Privacy requests', about: 'Exporting and erasing the data of a customer.' },
      { page: 'media', label: 'Pictures', about: 'Uploading pictures, their sizes, and where they are stored.' },
    ],
  },
  {
    title: 'Reference',
    pages: [
      { page: 'errors', label: 'Errors', about: 'Every error code, and how to handle it.' },
      { page: 'limits', label: 'Limits', about: 'Rates, sizes and times.' },
      { page: 'cli', label: 'Command line', about: 'Every command with its options.' },
      { page: 'settings', label: 'Settings', about: 'Every environment variable.' },
    ],
  },
  {
    title: 'Operate',
    pages: [
      { page: 'production', label: 'Production', about: 'PostgreSQL, Redis, instances, backups, secrets.' },
      { page: 'scale', label: 'Growing', about: 'From one machine to a million stores, in four steps.' },
      { page: 'docker', label: 'Containers', about: 'The image, and Compose.' },
      { page: 'cluster', label: 'Several database servers', about: 'Spreading stores with Citus.' },
      { page: 'backup', label: 'Backup and restore', about: 'One file, or every change as it happens.' },
      { page: 'observability', label: 'Observability', about: 'Dashboard, alerts and traces.' },
      { page: 'reliability', label: 'Reliability', about: 'Each promise, and the test that holds it.' },
      { page: 'email', label: 'Email', about: 'SMTP, the messages, their looks, and mail that fails.' },
      { page: 'import', label: 'Import and export', about: 'Products in bulk.' },
      { page: 'benchmarks', label: 'Benchmarks', about: 'How fast it is, and how to measure it.' },
      { page: 'query-plans', label: 'Query plans', about: 'How lists and searches read the database.' },
    ],
  },
]

export const guidePages: readonly GuidePage[] = guideSections.flatMap(({ pages }) => pages)
