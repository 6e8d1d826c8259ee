import type { ProductDetail, Variant } from '../../sdk/src/index.ts'

/** The picture that shows a variant; null when no picture is of this variant more than of any other. */
export const pictureOf = ({ images }: Pick<ProductDetail, 'images'>, variant: Variant): string | null => {
  if (variant.image) return variant.image
  const marks = Object.values(variant.options).map((value) => wordsOf(value).join('-'))
  const found = images
    .map((image) => ({ image, fits: marks.filter((mark) => mark !== '' && isNamedFor(image, mark)).length }))
    .filter(({ fits }) => fits > 0)
    .sort((one, other) => other.fits - one.fits)
  return found[0]?.image ?? null
}

/** Files are commonly named for what they show: `mug-indigo.jpg`. A whole word counts, so that `s` is not in `mugs`. */
const isNamedFor = (image: string, mark: string) => {
  const [path = ''] = image.split(/[?#]/)
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
  return `-${wordsOf(name).join('-')}-`.includes(`-${mark}-`)
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
