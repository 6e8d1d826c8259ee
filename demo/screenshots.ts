import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

/**
 * Takes screenshots of every page, for a phone and a desktop, light and dark:
 *
 *   npx node demo/screenshots.ts http://localhost:4200 /tmp/pictures [--only product] [--browser /usr/bin/chromium]
 *
 * Makes a purchase first, so that all pages have content. The service and the demo shop must be running.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, browser: { type: 'string', default: '/usr/bin/chromium' } },
})
const [address = '', folder = ''] = positionals

const looks = [
  { name: 'phone-light', width: 390, height: 844, colorScheme: 'light' },
  { name: 'phone-dark', width: 390, height: 844, colorScheme: 'dark' },
  { name: 'desk-light', width: 1280, height: 900, colorScheme: 'light' },
  { name: 'desk-dark', width: 1280, height: 900, colorScheme: 'dark' },
] as const

type Picture = { name: string; path: string; prepare?: (page: Page) => Promise<unknown> }

const pictures = (orderId: string): Picture[] => [
  { name: 'home', path: '/' },
  { name: 'category', path: '/category/kitchen' },
  { name: 'options', path: '/category/clothing?options=Size:S' },
  { name: 'search', path: '/search?q=cotton' },
  { name: 'corrected', path: '/search?q=runing+sheos' },
  { name: 'menu', path: '/', prepare: openMenu },
  { name: 'mug', path: '/product/cafe-au-lait-mug' },
  {
    name: 'suggestions',
    path: '/',
    prepare: async (page) => {
      await page.getByRole('combobox', { name: 'Search the shop' }).fill('cha')
      await page.getByRole('option').first().waitFor()
    },
  },
  { name: 'product', path: '/product/block-print-cotton-kurta' },
  { name: 'sold-out', path: '/product/cane-pendant-lamp' },
  { name: 'cart', path: '/category/kitchen', prepare: openCart },
  { name: 'wishlist', path: '/wishlist' },
  { name: 'checkout', path: '/checkout' },
  { name: 'callback', path: `/payment/callback?orderId=${orderId}&status=success` },
  { name: 'order', path: `/orders/${orderId}` },
  { name: 'orders', path: '/orders' },
  { name: 'addresses', path: '/addresses' },
  { name: 'downloads', path: '/downloads' },
  { name: 'account', path: '/account' },
  { name: 'not-found', path: '/nowhere' },
]

const main = async () => {
  if (!address || !folder) throw new Error('Usage: node demo/screenshots.ts <address of the shop> <folder>')
  mkdirSync(folder, { recursive: true })
  const browser = await chromium.launch({ executablePath: values.browser, args: ['--no-sandbox'] })
  try {
    const shopper = await browser.newContext({ baseURL: address })
    const orderId = await buySomething(shopper)
    const storageState = await shopper.storageState()
    for (const look of looks) await takePictures(browser, look, storageState, orderId)
  } finally {
    await browser.close()
  }
}

const takePictures = async (
  browser: Browser,
  { name, width, height, colorScheme }: (typeof looks)[number],
  storageState: Awaited<ReturnType<BrowserContext['storageState']>>,
  orderId: string,
) => {
  const context = await browser.newContext({
    baseURL: address,
    viewport: { width, height },
    colorScheme,
    storageState,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  for (const picture of pictures(orderId)) {
    if (values.only && picture.name !== values.only) continue
    await page.goto(picture.path)
    await settle(page)
    await picture.prepare?.(page)
    await page.screenshot({ path: join(folder, `${picture.name}-${name}.png`) })
  }
  await context.close()
}

/** Waits until the page shows no skeletons and its images have loaded. */
const settle = async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
  await page.waitForLoadState('networkidle')
}

/** A phone has one button for the whole menu, a desktop one for each entry. */
const openMenu = async (page: Page) => {
  const whole = page.getByRole('button', { name: 'Menu', exact: true })
  if (await whole.isVisible()) await whole.click()
  else await page.getByRole('button', { name: 'Clothing, more pages' }).click()
  await page.getByRole('link', { name: 'Footwear' }).first().waitFor()
}

const openCart = async (page: Page) => {
  await page.getByRole('button', { name: /^Cart/ }).click()
  await page.getByRole('dialog', { name: 'Your cart' }).getByRole('link', { name: 'Checkout' }).waitFor()
}

/** Makes a purchase and leaves items in the cart and on the wishlist. Returns the order id. */
const buySomething = async (shopper: BrowserContext): Promise<string> => {
  const page = await shopper.newPage()
  await addToCart(page, 'cafe-au-lait-mug')
  await addToCart(page, 'chai-at-home-ebook')
  await page.getByRole('dialog').getByRole('link', { name: 'Checkout' }).click()
  await signIn(page)
  await fillAddress(page)
  await page.getByRole('button', { name: /^Pay / }).click()
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.getByRole('heading', { name: 'Thank you, your order is paid' }).waitFor()
  await page.getByRole('link', { name: 'See your order' }).click()
  await page.getByRole('button', { name: 'Move the parcel on' }).click()
  await page.getByTestId('order-status').filter({ hasText: 'On its way' }).waitFor()
  const orderId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  for (const slug of ['three-tier-tiffin', 'masala-chai-blend']) await addToCart(page, slug)
  for (const slug of ['stoneware-teapot', 'khadi-cotton-shirt', 'handmade-paper-notebook']) {
    await page.goto(`/product/${slug}`)
    await page.getByRole('button', { name: 'Wishlist', exact: true }).click()
    await page.getByRole('button', { name: 'Wishlist', exact: true, pressed: true }).waitFor()
  }
  await page.close()
  return orderId
}

const addToCart = async (page: Page, slug: string) => {
  await page.goto(`/product/${slug}`)
  await page.getByRole('button', { name: 'Add to cart' }).click()
  await page.getByRole('dialog', { name: 'Your cart' }).getByRole('link', { name: 'Checkout' }).waitFor()
}

const signIn = async (page: Page) => {
  const number = String(Math.floor(Math.random() * 1e9)).padStart(9, '0')
  await page.getByRole('textbox', { name: 'Phone number' }).fill(`+91 9${number}`)
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByRole('button', { name: 'Fill it in' }).click()
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const fillAddress = async (page: Page) => {
  const fields = {
    'Full name': 'Asha Rao',
    'Phone number': '98765 43210',
    'Street and house': '12 Temple Road',
    'Postal code': '560001',
    City: 'Bengaluru',
  }
  for (const [name, text] of Object.entries(fields)) await page.getByRole('textbox', { name }).fill(text)
}

await main()
