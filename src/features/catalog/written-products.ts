import type { Position } from '../../core/cursor.ts'
import { mediaPrefix } from '../../core/media-path.ts'
import { SerializedBody } from '../../http/endpoint.ts'
import type { Product, SearchResult } from './catalog.contract.ts'
import { ends, type WrittenPage } from './catalog.sql.ts'
import { type ImageUrls, showImage, showSizes } from './show-image.ts'

/** A product as the schema would write it. */
export type WrittenProduct = { id: string; json: string }

/** The products of a page as `listProducts` has written them, each behind its position. */
export const readWritten = ({ products }: WrittenPage): string[] => products?.split(ends.product) ?? []

export const readPosition = (text: string): Position => JSON.parse(text.slice(0, text.indexOf(ends.position)))

const beforeId = '{"id":"'.length

/** Adds the addresses of images, which depend on this service and its settings. Optional fields come last. */
export const finishProduct = (urls: ImageUrls, text: string): WrittenProduct => {
  const start = text.indexOf(ends.position) + 1
  const imagesStart = text.indexOf(ends.images, start) + 1
  const imagesEnd = text.indexOf(ends.images, imagesStart)
  const imagesJson = text.slice(imagesStart, imagesEnd)
  const before = text.slice(start, imagesStart - 1)
  const after = text.slice(imagesEnd + 1)
  const sizes = writeSizes(urls, imagesJson)
  return {
    id: before.slice(beforeId, before.indexOf('"', beforeId)),
    json: before + writeImages(urls, imagesJson) + (sizes === '' ? after : `${after.slice(0, -1)}${sizes}}`),
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

const writeProducts = (products: readonly WrittenProduct[]) => `[${products.map(({ json }) => json).join(',')}]`

export const writeList = (products: readonly WrittenProduct[]) => new SerializedBody<Product[]>(writeProducts(products))

/** A result whose products are JSON already. The other fields are in the order of the schema. */
export type WrittenResult = Omit<SearchResult, 'data'> & { data: readonly WrittenProduct[] }

export const writeResult = ({ data, ...rest }: WrittenResult) =>
  new SerializedBody<SearchResult>(`{"data":${writeProducts(data)},${JSON.stringify(rest).slice(1)}`)
