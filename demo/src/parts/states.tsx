import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { errorText } from '../format.ts'
import type { Loaded } from '../load.ts'
import { notice } from '../notice.ts'
import { takeHeadingFocus } from '../router.ts'
import { storeInfo } from '../state.ts'

/** The title of a page. After a step to another page it takes the focus, as a screen reader expects of a new page. */
export const Heading = ({
  title,
  tabTitle = title,
  children,
}: {
  title: string
  /** What the tab and a bookmark say, where that is more than the heading. */
  tabTitle?: string
  children?: ComponentChildren
}) => {
  const ref = useRef<HTMLHeadingElement>(null)
  const info = storeInfo.value
  useEffect(() => {
    document.title = info ? `${tabTitle} · ${info.name}` : tabTitle
  }, [tabTitle, info])
  useEffect(() => {
    if (takeHeadingFocus()) ref.current?.focus({ preventScroll: true })
  }, [])
  return (
    <h1 ref={ref} tabIndex={-1}>
      {children ?? title}
    </h1>
  )
}

export const Problem = ({ error, text, onRetry }: { error?: unknown; text?: string; onRetry?: () => void }) => (
  <div class="problem" role="alert">
    <p>{text ?? errorText(error)}</p>
    {onRetry && (
      <button type="button" class="button quiet" onClick={onRetry}>
        Try again
      </button>
    )}
  </div>
)

/** A page of which nothing could be loaded. It has a title all the same, and not that of the page before. */
export const ProblemPage = ({ error, onRetry }: { error: unknown; onRetry: () => void }) => (
  <>
    <Heading title="This page could not be loaded" />
    <Problem error={error} onRetry={onRetry} />
  </>
)

export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
)

export const Waiting = ({ text = 'Loading' }: { text?: string }) => (
  <div class="waiting" role="status">
    <span class="spinner" aria-hidden="true" />
    <span>{text} …</span>
  </div>
)

/** Grey bars in the shape of what will come. */
export const Skeleton = ({ lines = 3 }: { lines?: number }) => (
  <div class="skeleton-lines" role="status">
    <span class="hidden">Loading</span>
    {Array.from({ length: lines }, (_, index) => (
      <span class="skeleton" key={index} />
    ))}
  </div>
)

/** Shows one of three: that something loads, that it failed, or what came. */
export const Show = <T,>({
  loaded,
  onRetry,
  skeleton = <Skeleton />,
  children,
}: {
  loaded: Loaded<T>
  onRetry: () => void
  skeleton?: ComponentChildren
  children: (value: T) => ComponentChildren
}) => {
  if (loaded.status === 'loading') return <>{skeleton}</>
  if (loaded.status === 'failed') return <Problem error={loaded.error} onRetry={onRetry} />
  return <>{children(loaded.value)}</>
}

export const Button = ({
  isBusy = false,
  class: extra = '',
  children,
  ...rest
}: {
  isBusy?: boolean
  class?: string
  type?: 'button' | 'submit'
  onClick?: () => void
  disabled?: boolean
  children: ComponentChildren
}) => (
  <button
    type="button"
    {...rest}
    class={`button ${extra}`}
    aria-disabled={isBusy || undefined}
    aria-busy={isBusy || undefined}
    onClick={(event) => {
      // A button that is at work keeps the focus, so it is not disabled; it only does nothing.
      if (isBusy) event.preventDefault()
      else rest.onClick?.()
    }}
  >
    {isBusy && <span class="spinner" aria-hidden="true" />}
    {children}
  </button>
)

/** Says the last notice. An open drawer has one of its own, because all outside of it is silent then. */
export const Notices = ({ isShown }: { isShown: boolean }) => {
  const said = notice.value
  const [isThere, setThere] = useState(false)
  // A screen reader says only what changes in a place that it knows already.
  useEffect(() => setThere(true), [])
  return (
    <div class="notices" role="status">
      {isShown && isThere && said && (
        <p class={said.isQuiet ? 'hidden' : 'notice'} key={said.at}>
          {said.text}
        </p>
      )}
    </div>
  )
}
