/** Features by rank, lowest first; those of one row do not import each other. A new feature is added here. */
export const featureRanks = [
  ['access'],
  ['events'],
  ['audit'],
  ['staff'],
  ['merchant-jobs'],
  ['catalog'],
  ['media', 'pricing', 'stores'],
  ['cart', 'wishlist'],
  ['accounts'],
  ['downloads', 'reports'],
  ['orders'],
  ['payments'],
  ['checkout'],
  ['delivery'],
  ['mail', 'outgoing-webhooks'],
  ['invoices', 'returns'],
  ['customers', 'doctor', 'demo-store', 'today'],
]

/** What each part may import besides itself. `config.ts`, `app.ts` and the like are parts of their own. */
export const partsBelow: Record<string, readonly string[]> = {
  core: [],
  db: ['core'],
  http: ['core'],
  providers: ['core'],
  'features/context.ts': [
    ...['core', 'db', 'http', 'providers'],
    ...['features/access/admin.contract.ts', 'features/access/storefront.contract.ts'],
  ],
  'features/paging.ts': ['core', 'features/context.ts'],
  'features/admin-etag.ts': ['core', 'features/context.ts'],
  'features/admin-list.ts': ['core', 'http', 'features/context.ts', 'features/paging.ts'],
  'features/searched-list.ts': ['features/admin-list.ts'],
  'config.ts': ['core'],
  'logging.ts': ['core', 'config.ts'],
  'contract.ts': ['http', 'features'],
  jobs: ['core', 'db'],
  'job-kinds.ts': ['db', 'features', 'jobs'],
  'routes.ts': ['http', 'features'],
  'app.ts': [
    ...['core', 'db', 'http', 'providers', 'features', 'jobs'],
    ...['config.ts', 'contract.ts', 'job-kinds.ts', 'routes.ts'],
  ],
  'demo-shop': ['core', 'db', 'http', 'providers', 'features', 'config.ts'],
  cli: ['core', 'db', 'http', 'providers', 'features', 'config.ts', 'contract.ts', 'logging.ts', 'app.ts', 'demo-shop'],
  'main.ts': ['cli'],
}
