import type { Config } from '../config.ts'
import type { DemoKeys } from '../features/demo-store/demo-store.ts'
import type { ShopState } from '../service/messages.ts'

export type BannerOptions = {
  config: Config
  demo: DemoKeys | null
  shop: ShopState | null
  /** Signs in to the admin page once. */
  adminUrl: string | null
  database: string
  startedMs: number
}

/** The text that `start` prints when the service is ready: addresses, keys and three commands to try. */
export const showBanner = ({ config, demo, shop, adminUrl, database, startedMs }: BannerOptions) => {
  const lines = [
    '',
    `  Vitrine ${config.version} is ready (${(startedMs / 1000).toFixed(1)} s)`,
    '',
    ...(shop === null ? [] : [`  Demo shop  ${'url' in shop ? shop.url : `not running: ${shop.reason}`}`]),
    ...(shop !== null && 'url' in shop && config.mail.smtpUrl === null
      ? [`  Inbox      ${shop.url}/inbox (no mail is sent)`]
      : []),
    `  Admin      ${adminUrl === null ? `${config.publicUrl}/admin` : `${adminUrl} (signs in once)`}`,
    `  API        ${config.publicUrl}`,
    `  Guide      ${config.publicUrl}/docs/guide`,
    `  Docs       ${config.publicUrl}/docs`,
    `  Database   ${database}`,
    ...(config.workers === 1 ? [] : [`  Workers    ${config.workers}, and one for background work`]),
  ]
  if (demo !== null) lines.push(...demoLines(config.publicUrl, demo))
  else if (!config.production) lines.push('', '  Create a store with "npm run vitrine -- store create --help".')
  lines.push('', '  Stop with Ctrl+C.', '')
  return lines.join('\n')
}

const demoLines = (url: string, demo: DemoKeys) => [
  '',
  `  Demo store   ${demo.storeId}`,
  `  Server key   ${demo.serverKey}   60 requests per minute; for servers`,
  `  Browser key  ${demo.browserKey}   6000 requests per minute; for browsers and apps`,
  '',
  '  Try it:',
  `    curl -H 'X-Store-Key: ${demo.serverKey}' '${url}/v1/products?limit=3'`,
  `    curl -H 'X-Store-Key: ${demo.serverKey}' '${url}/v1/products/cafe-au-lait-mug'`,
  `    curl -H 'X-Store-Key: ${demo.serverKey}' '${url}/v1/search?q=chai'`,
]
