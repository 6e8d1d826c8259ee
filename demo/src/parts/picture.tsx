import { useState } from 'preact/hooks'

/** Transparent, so that it fits both colour schemes, and inline, so that it cannot fail to load. */
const placeholder = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400" viewBox="0 0 400 400" fill="none" stroke="#8d8779" stroke-width="8" stroke-linejoin="round"><path d="M130 140h140v120H130z M130 235l40-40 35 35 25-25 40 40"/><circle cx="235" cy="172" r="12"/></svg>',
)}`

/** An image, or a placeholder of the same size if there is none or it cannot be loaded. */
export const Picture = ({
  src,
  alt = '',
  size,
  isLazy = false,
}: {
  src: string | undefined
  alt?: string
  /** The width and height in pixels that are reserved until the style sheet applies. */
  size: number
  isLazy?: boolean
}) => {
  const [broken, setBroken] = useState<string | null>(null)
  const isAvailable = Boolean(src) && src !== broken
  return (
    <img
      // Without a key, the previous image would stay until the new one has loaded.
      key={src}
      class={isAvailable ? undefined : 'no-picture'}
      src={isAvailable ? src : placeholder}
      alt={alt}
      width={size}
      height={size}
      loading={isLazy ? 'lazy' : 'eager'}
      decoding="async"
      onError={() => setBroken(src ?? null)}
    />
  )
}
