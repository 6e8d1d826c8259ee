/** The formats of pictures that are stored, and the content type of each. */
export const mediaTypes = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
} as const
export type MediaExtension = keyof typeof mediaTypes

/** The widths in pixels that are made of every picture. */
export const sizeWidths = [160, 480, 960, 1600]

/**
 * What the path of a picture says. The name comes from the content, so a path never has other content. With the
 * dimensions in it, the paths of all sizes follow without a query.
 */
export type MediaPath = { storeId: string; hash: string; width: number; height: number; extension: MediaExtension }

export const mediaPrefix = '/media/'

export const mediaPathOf = ({ storeId, hash, width, height, extension }: MediaPath) =>
  `${mediaPrefix}${storeId}/${hash}-${width}x${height}.${extension}`

const pathPattern = /^\/media\/(store_\w{1,60})\/([0-9a-f]{32})-(\d{1,5})x(\d{1,5})\.(jpg|png|webp|avif|gif)$/

/** Null for any other text, such as the URL of an image elsewhere. */
export const readMediaPath = (path: string): MediaPath | null => {
  const found = path.startsWith(mediaPrefix) ? pathPattern.exec(path) : null
  if (found === null) return null
  const [, storeId = '', hash = '', width, height, extension = ''] = found
  return isMediaExtension(extension) ? { storeId, hash, width: Number(width), height: Number(height), extension } : null
}

const isMediaExtension = (text: string): text is MediaExtension => Object.hasOwn(mediaTypes, text)

export type MediaSize = { width: number; height: number; path: string }

/** The sizes of a picture, smallest first. A picture is never enlarged: a narrow one has its own width as the last. */
export const mediaSizesOf = (picture: MediaPath): MediaSize[] => {
  const { width, height } = picture
  const stem = mediaPathOf(picture).slice(0, -(picture.extension.length + 1))
  const widths = new Set(sizeWidths.map((wanted) => Math.min(wanted, width)))
  return [...widths].map((size) => ({
    width: size,
    height: Math.max(1, Math.round((height * size) / width)),
    path: `${stem}-${size}.webp`,
  }))
}

const filePattern = /^[0-9a-f]{32}-\d{1,5}x\d{1,5}(?:-\d{1,4}\.webp|\.(?:jpg|png|webp|avif|gif))$/

/** The content type of a stored file by its name. Undefined if no picture has such a name. */
export const mediaTypeOf = (name: string): string | undefined => {
  const extension = name.slice(name.lastIndexOf('.') + 1)
  return filePattern.test(name) && isMediaExtension(extension) ? mediaTypes[extension] : undefined
}
