import { type MediaPath, mediaPrefix, mediaSizesOf, readMediaPath } from '../../core/media-path.ts'

/** The base URLs of this service and of uploaded pictures, which are the same unless a CDN serves them. */
export type ImageUrls = { publicUrl: string; mediaUrl?: string }

/** An image path that starts with a slash is served by Vitrine itself. */
export const showImage = ({ publicUrl, mediaUrl = publicUrl }: ImageUrls, image: string) => {
  if (!image.startsWith('/')) return image
  return `${image.startsWith(mediaPrefix) ? mediaUrl : publicUrl}${image}`
}

/** An image of this service is stored without its origin, which may change. */
export const withoutOrigin = ({ publicUrl, mediaUrl = publicUrl }: ImageUrls, url: string) => {
  if (url.startsWith(`${publicUrl}/`)) return url.slice(publicUrl.length)
  return url.startsWith(`${mediaUrl}${mediaPrefix}`) ? url.slice(mediaUrl.length) : url
}

/** The field `imageSizes` beside `image`, if the image was uploaded. */
export const showSizes = (urls: ImageUrls, image: string | undefined) => {
  const picture = image === undefined ? null : readMediaPath(image)
  return picture === null ? {} : { imageSizes: showSizesOf(urls, picture) }
}

/** An image with its dimensions and sizes, if it was uploaded. */
export const showPicture = (urls: ImageUrls, image: string, alt: string) => {
  const picture = readMediaPath(image)
  const shown = { url: showImage(urls, image), alt }
  if (picture === null) return shown
  return { ...shown, width: picture.width, height: picture.height, sizes: showSizesOf(urls, picture) }
}

export const showSizesOf = (urls: ImageUrls, picture: MediaPath) =>
  mediaSizesOf(picture).map(({ path, ...size }) => ({ ...size, url: showImage(urls, path) }))
