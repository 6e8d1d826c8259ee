import { useState } from 'preact/hooks'

/** Grey on nothing, so that it fits both colour schemes; it comes with the script, so it cannot be missing. */
const placeholder = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400" viewBox="0 0 400 400" fill="none" stroke="#8d8779" stroke-width="8" stroke-linejoin="round"><path d="M130 140h140v120H130z M130 235l40-40 35 35 25-25 40 40"/><circle cx="235" cy="172" r="12"/></svg>',
)}`

/** A picture, or a placeholder of the same size and name where there is none or it cannot be loaded. */
export const Picture = ({
  src,
  alt = '',
  size,
  isLazy = false,
}: {
  src: string | undefined
  alt?: string
  /** Of the square that is kept free for it, until the style sheet says more. */
  size: number
  isLazy?: boolean
}) => {
  const [broken, setBroken] = useState<string | null>(null)
  const isThere = Boolean(src) && src !== broken
  return (
    <img
      // Otherwise the picture of before stays until the new one has come.
      key={src}
      class={isThere ? undefined : 'no-picture'}
      src={isThere ? src : placeholder}
      alt={alt}
      width={size}
      height={size}
      loading={isLazy ? 'lazy' : 'eager'}
      decoding="async"
      onError={() => setBroken(src ?? null)}
    />
  )
}
