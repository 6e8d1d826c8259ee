import { hash } from 'node:crypto'
import { mediaPrefix } from '../../core/media-path.ts'
import type { WrittenProduct } from '../../http/cached-products.ts'
import { SerializedBody } from '../../http/endpoint.ts'
import type { Product, SearchResult } from './catalog.contract.ts'
import { ends, type JoinedTexts } from './catalog.sql.ts'
import { type ImageUrls, showImage, showSizes } from './show-image.ts'

/** The products that `writeProducts` has written. */
export const readProducts = (urls: ImageUrls, { texts }: JoinedTexts): WrittenProduct[] =>
  texts === null ? [] : texts.split(ends.product).map((text) => readProduct(urls, text))

const beforeId = '{"id":"'.length

/** Adds the addresses of images, which depend on this service and its settings. Optional fields come last. */
const readProduct = (urls: ImageUrls, text: string): WrittenProduct => {
  const start = text.indexOf('{')
  const idEnd = text.indexOf('"', start + beforeId)
  const imagesStart = text.indexOf(ends.images, idEnd) + 1
  const imagesEnd = text.indexOf(ends.images, imagesStart)
  const imagesJson = text.slice(imagesStart, imagesEnd)
  const before = text.slice(start, imagesStart - 1)
  const after = text.slice(imagesEnd + 1)
  const sizes = writeSizes(urls, imagesJson)
  const json = before + writeImages(urls, imagesJson) + (sizes === '' ? after : `${after.slice(0, -1)}${sizes}}`)
  return {
    seq: Number(text.slice(0, start)),
    id: text.slice(start + beforeId, idEnd),
    json,
    fingerprint: hash('sha256', json, 'base64url'),
  }
}

const writeImages = (urls: ImageUrls, imagesJson: string) => {
  // Only images of this service begin with a slash.
  if (!imagesJson.includes('"/')) return imagesJson
  // Without escapes, each quote begins or ends a text.
  if (!imagesJson.includes('\\') && !imagesJson.includes(`"${mediaPrefix}`)) {
    return imagesJson.replaceAll('"/', () => `"${JSON.stringify(urls.publicUrl).slice(1, -1)}/`)
  }
  return JSON.stringify(readImages(imagesJson).map((image) => showImage(urls, image)))
}

/** The sizes of the first image, if it was uploaded. */
const writeSizes = (urls: ImageUrls, imagesJson: string) => {
  if (!imagesJson.startsWith(`["${mediaPrefix}`)) return ''
  const { imageSizes } = showSizes(urls, readImages(imagesJson)[0])
  return imageSizes === undefined ? '' : `,"imageSizes":${JSON.stringify(imageSizes)}`
}

const readImages = (imagesJson: string): string[] => JSON.parse(imagesJson)

const joinProducts = (products: readonly WrittenProduct[]) => `[${products.map(({ json }) => json).join(',')}]`

/** Products are hashed when they are read, because hashing a list of 20 took as long as all else that is done for it in Node. */
const fingerprintOf = (products: readonly WrittenProduct[]) => products.map(({ fingerprint }) => fingerprint).join(' ')

export const writeList = (products: readonly WrittenProduct[]) =>
  new SerializedBody<Product[]>(joinProducts(products), `list ${fingerprintOf(products)}`)

/** A result whose products and categories are JSON already. The fields are in the order of the schema. */
export type WrittenResult = Omit<SearchResult, 'data' | 'facets'> & {
  data: readonly WrittenProduct[]
  facets: Omit<SearchResult['facets'], 'categories'> & { categories: { json: string; fingerprint: string } }
}

export const writeResult = ({ data, facets: { categories, ...facets }, ...rest }: WrittenResult) => {
  const start = JSON.stringify(rest).slice(1, -1)
  const end = JSON.stringify(facets).slice(1)
  return new SerializedBody<SearchResult>(
    `{"data":${joinProducts(data)},${start},"facets":{"categories":${categories.json},${end}}`,
    `result ${fingerprintOf(data)} ${start} ${categories.fingerprint} ${end}`,
  )
}
