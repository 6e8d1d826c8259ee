import type { ProductDetail, Variant } from '../../sdk/src/index.ts'

/** The image of a variant: its own, or the one whose file name matches most of its options; null without a match. */
export const imageOf = ({ images }: Pick<ProductDetail, 'images'>, variant: Variant): string | null => {
  if (variant.image) return variant.image
  const marks = Object.values(variant.options).map((value) => wordsOf(value).join('-'))
  const found = images
    .map((image) => ({ image, matches: marks.filter((mark) => mark !== '' && isNamedFor(image, mark)).length }))
    .filter(({ matches }) => matches > 0)
    .sort((one, other) => other.matches - one.matches)
  return found[0]?.image ?? null
}

/** Files are often named after the variant: `mug-indigo.jpg`. Whole words only, so that `s` does not match `mugs`. */
const isNamedFor = (image: string, mark: string) => {
  const [path = ''] = image.split(/[?#]/)
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
  return `-${wordsOf(name).join('-')}-`.includes(`-${mark}-`)
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
