import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { CloseIcon } from './icons.tsx'
import { Button, Problem } from './states.tsx'
import { useSubmit } from './submit.ts'

/** A question over the page. The dialog element traps the focus, closes on Escape and restores the focus. */
export const Dialog = ({
  title,
  onClose,
  isWide = false,
  children,
}: {
  title: string
  /** Without it the dialog cannot be left. */
  onClose?: () => void
  isWide?: boolean
  children: ComponentChildren
}) => {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={ref}
      class={`dialog ${isWide ? 'wide' : ''}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      // A dialog may be part of a form, which must not take the submission of the dialog's own form for its own.
      onSubmit={(event) => event.stopPropagation()}
    >
      <h2 tabIndex={-1}>{title}</h2>
      {children}
      {onClose && (
        <button type="button" class="icon-button dialog-close" aria-label="Close" onClick={onClose}>
          <CloseIcon />
        </button>
      )}
    </dialog>
  )
}

/**
 * A dialog with a form. It closes when `onSubmit` has succeeded. After a failure it stays open, with everything that was
 * typed and the reason.
 */
export const FormDialog = ({
  title,
  action,
  isDangerous = false,
  isWide = false,
  isReady = true,
  leave = 'Cancel',
  onSubmit,
  onClose,
  children,
}: {
  title: string
  /** On the button, such as "Refund ₹120". */
  action: string
  isDangerous?: boolean
  isWide?: boolean
  /** Whether everything is chosen that the action needs. */
  isReady?: boolean
  /** On the button that changes nothing. */
  leave?: string
  onSubmit: () => Promise<void>
  onClose: () => void
  children: ComponentChildren
}) => {
  const { isBusy, error, submit } = useSubmit(async () => {
    await onSubmit()
    onClose()
  })
  // What was sent goes on, so that its outcome must be seen.
  const close = () => {
    if (!isBusy) onClose()
  }
  return (
    <Dialog title={title} onClose={close} isWide={isWide}>
      <form class="form" onSubmit={submit}>
        {children}
        {error !== null && <Problem error={error} />}
        <div class="row dialog-actions">
          <Button class="quiet" onClick={close}>
            {leave}
          </Button>
          <Button type="submit" class={isDangerous ? 'danger' : ''} isBusy={isBusy} disabled={!isReady}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
