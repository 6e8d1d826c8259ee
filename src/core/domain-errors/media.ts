import { type NoData, refusals } from './define.ts'

const { conflict, invalid, notFound, unavailable } = refusals

export const mediaErrors = {
  PICTURE_TYPE_REFUSED: invalid(
    ({ type }: { type: string | null }) =>
      `${type === null ? 'The file is not a picture that can be stored' : `${type} files are not accepted`}. Use JPEG, PNG, WebP, AVIF or GIF.`,
  ),
  PICTURE_FILE_TOO_LARGE: invalid(
    ({ maxBytes }: { maxBytes: number }) => `The file is larger than ${maxBytes / 1024 / 1024} MiB.`,
  ),
  PICTURE_TOO_LARGE: invalid(
    ({ maxMegapixels, maxSide }: { maxMegapixels: number; maxSide: number }) =>
      `The picture is too large. It may have ${maxMegapixels} megapixels, all frames of an animation together, and ${maxSide} pixels on a side.`,
  ),
  PICTURE_DAMAGED: invalid((_: NoData) => 'The picture is damaged and cannot be read.'),
  PICTURE_TOO_SLOW: invalid((_: NoData) => 'The picture takes too long to process. Use a smaller one.'),
  MEDIA_UNKNOWN: invalid(({ mediaId }: { mediaId: string }) => `The store has no picture ${mediaId}.`),
  IMAGE_UNCLEAR: invalid(
    ({ image, media }: { image: string; media: string }) => `Give either ${image} or ${media}, not both.`,
  ),
  MEDIA_NOT_FOUND: notFound(({ mediaId }: { mediaId: string }) => `There is no picture ${mediaId}.`),
  MEDIA_IN_USE: conflict(
    ({ mediaId, users }: { mediaId: string; users: readonly string[] }) =>
      `The picture ${mediaId} is used by ${users.join(', ')}. Remove it there first.`,
  ),
  MEDIA_LIMIT_REACHED: conflict(
    ({ maxBytes }: { maxBytes: number }) =>
      `The pictures of the store may take ${Math.floor(maxBytes / 1024 / 1024)} MiB, and this one does not fit. Delete some that are not used.`,
  ),
  MEDIA_BEING_REMOVED: unavailable((_: NoData) => 'This picture is being removed. Try again in a minute.'),
  MEDIA_STORAGE_FAILED: unavailable((_: NoData) => 'The picture could not be stored. Try again shortly.'),
  PRODUCT_MEDIA_LIMIT: invalid(({ max }: { max: number }) => `A product has at most ${max} pictures.`),
}
