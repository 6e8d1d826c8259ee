import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Loaded } from './load.ts'
import { clearNotice, notice } from './notice.ts'
import { takeHeadingFocus } from './router.ts'
import { problemText, siteName } from './site.ts'

/** The title of a page. After navigation it takes the focus, so that screen readers announce the new page. */
export const Heading = ({
  title,
  tabTitle = title,
  children,
}: {
  title: string
  /** The title of the tab and of bookmarks, if it differs from the heading. */
  tabTitle?: string
  children?: ComponentChildren
}) => {
  const ref = useRef<HTMLHeadingElement>(null)
  const site = siteName.value
  useEffect(() => {
    document.title = site === '' ? tabTitle : `${tabTitle} · ${site}`
  }, [tabTitle, site])
  useEffect(() => {
    if (takeHeadingFocus()) ref.current?.focus({ preventScroll: true })
  }, [])
  return (
    <h1 ref={ref} tabIndex={-1}>
      {children ?? title}
    </h1>
  )
}

/** After a form gave way to other content, so that the focus is not lost and screen readers announce it. */
export const focusHeading = () => {
  setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus())
}

export const Problem = ({ error, text, onRetry }: { error?: unknown; text?: string; onRetry?: () => void }) => (
  <div class="problem" role="alert">
    <p>{text ?? problemText(error)}</p>
    {onRetry && (
      <button type="button" class="button quiet" onClick={onRetry}>
        Try again
      </button>
    )}
  </div>
)

/** A page that could not be loaded. It has its own title, so that the tab does not keep the previous one. */
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

/** Grey bars in place of content that is loading. */
export const Skeleton = ({ lines = 3 }: { lines?: number }) => (
  <div class="skeleton-lines" role="status">
    <span class="hidden">Loading</span>
    {Array.from({ length: lines }, (_, index) => (
      <span class="skeleton" key={index} />
    ))}
  </div>
)

/** Shows a skeleton, an error or the loaded content. */
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
      // Not disabled, because a disabled button would lose the focus.
      if (isBusy) event.preventDefault()
      else rest.onClick?.()
    }}
  >
    {isBusy && <span class="spinner" aria-hidden="true" />}
    {children}
  </button>
)

const NoticeButton = ({ label, run }: { label: string; run: () => void }) => (
  <button
    type="button"
    class="notice-action"
    onClick={() => {
      clearNotice()
      run()
    }}
  >
    {label}
  </button>
)

/** Shows the last notice. An open drawer has its own, because screen readers ignore everything outside of it. */
export const Notices = ({ isShown }: { isShown: boolean }) => {
  const shown = notice.value
  const [isMounted, setMounted] = useState(false)
  // Screen readers announce changes only in a live region that already exists.
  useEffect(() => setMounted(true), [])
  return (
    <div class="notices" role="status">
      {isShown && isMounted && shown && (
        <p class={shown.isQuiet ? 'hidden' : 'notice'} key={shown.at}>
          {shown.text}
          {shown.action && <NoticeButton {...shown.action} />}
        </p>
      )}
    </div>
  )
}
