/** One address of the shop. `private`: what it shows belongs to one shopper, so no search engine has a use for it. */
type ShopAddress = { pattern: string; title: string; isPrivate?: true }

/**
 * The addresses that the shop's script has pages for, with their titles; a test compares them with the script's own.
 * The titles of products, categories and searches are only known with the catalog.
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
  { pattern: '/account', title: 'Your account', isPrivate: true },
  { pattern: '/addresses', title: 'Addresses', isPrivate: true },
  { pattern: '/orders', title: 'Orders', isPrivate: true },
  { pattern: '/orders/:id', title: 'Your order', isPrivate: true },
  { pattern: '/downloads', title: 'Downloads', isPrivate: true },
  { pattern: '/cart', title: 'Your cart', isPrivate: true },
  { pattern: '/checkout', title: 'Checkout', isPrivate: true },
  { pattern: '/payment/callback', title: 'Your payment', isPrivate: true },
]

/** The address that a path means and the part of the path that it names. The script's router decides the same way. */
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

/** Not by a pattern: a path of slashes alone would take it a time that grows with their number squared. */
const withoutEndSlashes = (path: string) => {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end--
  return path.slice(0, end)
}

/** Crawlers may see the catalog, and are kept from what belongs to a shopper and from the endless pages of a search. */
export const robotsText = [
  'User-agent: *',
  'Disallow: /dev/',
  ...shopAddresses.filter(({ isPrivate }) => isPrivate).map(({ pattern }) => `Disallow: ${pattern.split(':')[0]}`),
  '',
].join('\n')
