import type { Config } from '../config.ts'
import type { OpenedShop } from '../demo-shop/start-shop.ts'
import type { DemoKeys } from '../features/demo-store/demo-store.ts'

export type BannerOptions = {
  config: Config
  demo: DemoKeys | null
  shop: OpenedShop | null
  database: string
  startedMs: number
}

/** What a newcomer needs next: where it is, what opens it, and three lines to paste. */
export const showBanner = ({ config, demo, shop, database, startedMs }: BannerOptions) => {
  const lines = [
    '',
    `  Vitrine ${config.version} is ready (${(startedMs / 1000).toFixed(1)} s)`,
    '',
    ...(shop === null ? [] : [`  Demo shop  ${'url' in shop ? shop.url : `not served: ${shop.trouble}`}`]),
    `  API        ${config.publicUrl}`,
    `  Guide      ${config.publicUrl}/docs/guide`,
    `  Docs       ${config.publicUrl}/docs`,
    `  Database   ${database}`,
  ]
  if (demo !== null) lines.push(...demoLines(config.publicUrl, demo))
  else if (!config.production) lines.push('', '  Make a store with "npm run vitrine -- store create --help".')
  lines.push('', '  Stop with Ctrl+C.', '')
  return lines.join('\n')
}

const demoLines = (url: string, demo: DemoKeys) => [
  '',
  `  Demo store   ${demo.storeId}`,
  `  Server key   ${demo.serverKey}   60 requests a minute; for servers`,
  `  Browser key  ${demo.browserKey}   6000 a minute; for pages and apps`,
  '',
  '  Try it:',
  `    curl -H 'X-Store-Key: ${demo.serverKey}' '${url}/v1/products?limit=3'`,
  `    curl -H 'X-Store-Key: ${demo.serverKey}' '${url}/v1/products/cafe-au-lait-mug'`,
  `    curl -H 'X-Store-Key: ${demo.serverKey}' '${url}/v1/search?q=chai'`,
]
