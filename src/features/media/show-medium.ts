import { mediaTypes, readMediaPath } from '../../core/media-path.ts'
import { mustExist } from '../../core/must-exist.ts'
import { type ImageUrls, showImage, showSizesOf } from '../catalog/show-image.ts'
import type { MediumRow } from './media.sql.ts'

export const showMedium = (urls: ImageUrls, { path, createdAt, ...row }: MediumRow) => {
  const picture = mustExist(readMediaPath(path), 'the path of a picture')
  return {
    ...row,
    url: showImage(urls, path),
    type: mediaTypes[picture.extension],
    width: picture.width,
    height: picture.height,
    sizes: showSizesOf(urls, picture),
    createdAt: createdAt.toISOString(),
  }
}
