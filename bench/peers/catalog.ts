/** A product as all three have it: one variant, no picture, more stock than a run can sell. */
export type PeerProduct = {
  name: string
  slug: string
  sku: string
  description: string
  priceMinor: number
  stock: number
}

const wordsInUse = 30_000
const consonants = 'bdfgklmnprstvzh'
const vowels = 'aeiou'
const syllables = consonants.length * vowels.length

/**
 * Words of seven letters, so that none is a part of another: a search by parts of words finds the same as one by words.
 * English endings are not among them, so that stemming changes nothing either.
 */
const wordOf = (n: number) => {
  let left = (n * 104_729) % syllables ** 3
  let word = ''
  for (let i = 0; i < 3; i++) {
    const syllable = left % syllables
    word += `${consonants[Math.floor(syllable / vowels.length)]}${vowels[syllable % vowels.length]}`
    left = Math.floor(left / syllables)
  }
  return `${word}x`
}

/** The same numbers in every run and for every product: a linear congruential generator. */
const makeRandom = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** As in shops, a few words are in many products and most are in a few. */
export const peerProducts = (count: number): PeerProduct[] => {
  const random = makeRandom(20_260_000)
  const words = (howMany: number) =>
    Array.from({ length: howMany }, () => wordOf(Math.floor(wordsInUse * random() ** 3))).join(' ')
  return Array.from({ length: count }, (_, i) => ({
    name: words(4),
    slug: `product-${i + 1}`,
    sku: `SKU-${i + 1}`,
    description: words(25),
    priceMinor: 100 * (50 + Math.floor(random() * 9_950)),
    stock: 1_000_000,
  }))
}

export type SearchedWord = { word: string; matches: number }

/** Fifty words that are in one of a thousand to one of a hundred products. */
export const wordsToSearch = (products: readonly PeerProduct[]): SearchedWord[] => {
  const counts = new Map<string, number>()
  for (const { name, description } of products) {
    for (const word of new Set(`${name} ${description}`.split(' '))) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const [least, most] = [Math.max(1, products.length / 1_000), Math.max(1, products.length / 100)]
  const fitting = [...counts]
    .filter(([, matches]) => matches >= least && matches <= most)
    .map(([word, matches]) => ({ word, matches }))
    .sort((a, b) => a.matches - b.matches || (a.word < b.word ? -1 : 1))
  return Array.from(
    { length: Math.min(50, fitting.length) },
    (_, i) => fitting[Math.floor((i * fitting.length) / 50)],
  ).filter((found) => found !== undefined)
}

const productsRead = 500

/** The products that shoppers look at: a few hundred are read often, as in shops. */
export const pickRead = (products: readonly PeerProduct[], n: number) => pickNth(products, n % productsRead)

/** Another one each time, far from the one before. */
export const pickNth = <Item>(items: readonly Item[], n: number): Item => {
  const item = items[(n * 7919) % items.length]
  if (item === undefined) throw new Error('there is nothing to choose from')
  return item
}
