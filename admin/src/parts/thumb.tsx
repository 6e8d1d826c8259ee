import { useState } from 'preact/hooks'
import type { ImageSize } from '../api.ts'

export type Thumbed = { url: string; alt?: string; sizes?: readonly ImageSize[] | undefined }

/** A small square picture, or an empty square of the same size. Its text is empty where the name stands beside it. */
export const Thumb = ({ of, alt = '', size = 48 }: { of: Thumbed | undefined; alt?: string; size?: number }) => {
  const [broken, setBroken] = useState<string | null>(null)
  const url = of && (of.sizes?.find(({ width }) => width >= size * 2) ?? of.sizes?.at(-1) ?? of).url
  if (!url || url === broken) return <span class="thumb" style={{ width: `${size}px` }} aria-hidden="true" />
  return (
    <img
      class="thumb"
      key={url}
      src={url}
      alt={alt}
      width={size}
      height={size}
      loading="lazy"
      decoding="async"
      onError={() => setBroken(url)}
    />
  )
}
