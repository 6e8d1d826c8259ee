/** One address of the shop. `isPrivate`: it shows data of one shopper, so search engines must not index it. */
type ShopAddress = { pattern: string; title: string; isPrivate?: true }

/**
 * The addresses that the shop's script has pages for, with their titles; a test compares them with the script's routes.
 * Titles of products, categories and searches depend on the catalog and are empty here.
 */
export const shopAddresses: readonly ShopAddress[] = [
  { pattern: '/', title: 'Made by hand, made to last' },
  { pattern: '/category/:slug', title: '' },
  { pattern: '/product/:slug', title: '' },
  { pattern: '/search', title: 'Search', isPrivate: true },
  { pattern: '/page/about', title: 'About us' },
  { pattern: '/page/makers', title: 'Our makers' },
  { pattern: '/page/delivery-and-returns', title: 'Delivery and returns' },
  { pattern: '/wishlist', title: 'Wishlist', isPrivate: true },
  { pattern: '/sign-in', title: 'Sign in', isPrivate: true },
  { pattern: '/forgot-password', title: 'Forgot your password?', isPrivate: true },
  { pattern: '/reset-password', title: 'Choose a new password', isPrivate: true },
  { pattern: '/verify-email', title: 'Confirm your e-mail address', isPrivate: true },
  { pattern: '/account', title: 'Your account', isPrivate: true },
  { pattern: '/addresses', title: 'Addresses', isPrivate: true },
  { pattern: '/orders', title: 'Orders', isPrivate: true },
  { pattern: '/orders/:id', title: 'Your order', isPrivate: true },
  { pattern: '/downloads', title: 'Downloads', isPrivate: true },
  { pattern: '/cart', title: 'Your cart', isPrivate: true },
  { pattern: '/checkout', title: 'Checkout', isPrivate: true },
  { pattern: '/payment/callback', title: 'Your payment', isPrivate: true },
  { pattern: '/inbox', title: 'Inbox', isPrivate: true },
  { pattern: '/inbox/:id', title: 'Mail', isPrivate: true },
]

/** The address that a path matches, and its parameter. The script's router matches the same way. */
export const findShopAddress = (path: string): { address: ShopAddress; param: string } | undefined => {
  const given = withoutEndSlashes(path).split('/')
  for (const address of shopAddresses) {
    const wanted = address.pattern.split('/')
    const fits = wanted.every((part, i) => part.startsWith(':') || part === given[i])
    if (!fits || wanted.length !== given.length) continue
    const named = wanted.findIndex((part) => part.startsWith(':'))
    return { address, param: decodeURIComponent(given[named] ?? '') }
  }
  return undefined
}

/** Not a regular expression, which would take quadratic time for a path of many slashes. */
const withoutEndSlashes = (path: string) => {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end--
  return path.slice(0, end)
}

/** Crawlers may read the catalog, but no private pages and no search results, of which there is no end. */
export const robotsText = [
  'User-agent: *',
  'Disallow: /dev/',
  ...shopAddresses.filter(({ isPrivate }) => isPrivate).map(({ pattern }) => `Disallow: ${pattern.split(':')[0]}`),
  '',
].join('\n')
