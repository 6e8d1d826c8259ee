import type { Sharp, SharpConstructor, SharpOptions } from 'sharp'
import { refuse } from '../../core/domain-errors.ts'
import { type MediaExtension, sizeWidths } from '../../core/media-path.ts'
import { errorMessage } from '../../core/thrown.ts'

/** Limits on what is decoded: a small file can hold an enormous picture. */
export const maxMegapixels = 50
export const maxSide = 16_000
const limitSeconds = 20

export type ProcessedImage = {
  extension: MediaExtension
  width: number
  height: number
  animated: boolean
  original: Buffer
  /** WebP, by width. */
  sizes: ReadonlyMap<number, Buffer>
}

/**
 * Decodes a picture, turns it upright, and encodes it again without its metadata, which may tell where a photo was taken.
 * Uses one core and up to 250 MB, so callers limit how many run at once.
 */
export const processImage = async (bytes: Uint8Array): Promise<ProcessedImage> => {
  const extension = tellType(bytes)
  const sharp = await loadSharp()
  const options: SharpOptions = { limitInputPixels: maxMegapixels * 1_000_000, failOn: 'error' }
  const open = (more: SharpOptions = {}) =>
    sharp(bytes, { ...options, ...more })
      .autoOrient()
      .timeout({ seconds: limitSeconds })
  try {
    const { width, height, pages = 1 } = await sharp(bytes, options).metadata()
    const animated = pages > 1
    if (Math.max(width, height) > maxSide || width * height * pages > maxMegapixels * 1_000_000) throw tooLarge()
    const { data: original, info } = await encode[extension](open({ animated })).toBuffer({ resolveWithObject: true })
    const upright = { width: info.width, height: info.pageHeight ?? info.height }
    return { extension, ...upright, animated, original, sizes: await makeSizes(sharp, open(), upright.width) }
  } catch (error) {
    throw explain(error)
  }
}

/** The first frame in each width. The largest is made first, and the others from it. */
const makeSizes = async (sharp: SharpConstructor, source: Sharp, width: number) => {
  const largest = Math.min(width, Math.max(...sizeWidths))
  const { data, info } = await source.resize({ width: largest }).raw().toBuffer({ resolveWithObject: true })
  const raw = { width: info.width, height: info.height, channels: info.channels }
  const sizes = new Map<number, Buffer>()
  for (const size of new Set(sizeWidths.map((wanted) => Math.min(wanted, width)))) {
    const scaled = sharp(data, { raw }).resize({ width: size }).timeout({ seconds: limitSeconds })
    sizes.set(size, await scaled.webp({ quality: 80 }).toBuffer())
  }
  return sizes
}

const encode: Record<MediaExtension, (image: Sharp) => Sharp> = {
  jpg: (image) => image.jpeg({ quality: 90 }),
  png: (image) => image.png(),
  webp: (image) => image.webp({ quality: 90 }),
  avif: (image) => image.avif({ quality: 65, effort: 2 }),
  gif: (image) => image.gif(),
}

/** Loaded for the first picture: it takes a while, and most commands need none. */
const loadSharp = async () => {
  const { default: sharp } = await import('sharp')
  // One core for each picture, and no memory kept for the next.
  sharp.concurrency(1)
  sharp.cache(false)
  // Only the decoders that are needed.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: [
      ...['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
      ...['VipsForeignLoadNsgifBuffer', 'VipsForeignLoadHeifBuffer'],
    ],
  })
  return sharp
}

/** By the first bytes, because a name or a content type can say anything. */
const tellType = (bytes: Uint8Array): MediaExtension => {
  const start = Buffer.from(bytes.subarray(0, 1024))
  const has = (text: string, at = 0) => start.toString('latin1', at, at + text.length) === text
  if (has('\xff\xd8\xff')) return 'jpg'
  if (has('\x89PNG\r\n\x1a\n')) return 'png'
  if (has('GIF87a') || has('GIF89a')) return 'gif'
  if (has('RIFF') && has('WEBP', 8)) return 'webp'
  if (has('ftypavif', 4) || has('ftypavis', 4)) return 'avif'
  throw refuse('PICTURE_TYPE_REFUSED', { type: nameOtherType(start) })
}

const nameOtherType = (start: Buffer): string | null => {
  const text = start.toString('latin1')
  if (/<svg[\s>]/i.test(text)) return 'SVG'
  if (/^....ftyp(?:hei|mif1|msf1)/s.test(text)) return 'HEIC'
  if (/^(?:II\*\0|MM\0\*)/.test(text)) return 'TIFF'
  if (text.startsWith('BM')) return 'BMP'
  return text.startsWith('%PDF') ? 'PDF' : null
}

const tooLarge = () => refuse('PICTURE_TOO_LARGE', { maxMegapixels, maxSide })

/** sharp throws plain errors. The cause goes to the log. */
const explain = (error: unknown) => {
  const message = errorMessage(error)
  if (error instanceof Error && error.name === 'DomainError') return error
  if (/pixel limit/i.test(message)) return tooLarge()
  if (/timeout/i.test(message)) return refuse('PICTURE_TOO_SLOW', {}, { cause: error })
  return refuse('PICTURE_DAMAGED', {}, { cause: error })
}
