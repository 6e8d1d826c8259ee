import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { CloseIcon } from './icons.tsx'
import { route } from './router.ts'

/** A panel over the page. The dialog element traps the focus, closes on Escape and restores the focus. */
export const Drawer = ({
  title,
  isOpen,
  onClose,
  side = 'right',
  children,
}: {
  title: string
  isOpen: boolean
  onClose: () => void
  side?: 'left' | 'right'
  children: ComponentChildren
}) => {
  const ref = useRef<HTMLDialogElement>(null)
  const { path } = route.value
  useEffect(() => {
    const dialog = ref.current
    if (isOpen && !dialog?.open) dialog?.showModal()
    if (!isOpen && dialog?.open) dialog.close()
  }, [isOpen])
  // Navigating to another page closes it.
  useEffect(onClose, [path])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard closes a dialog with Escape.
    <dialog
      ref={ref}
      class={`drawer ${side}`}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      {isOpen && (
        <div class="drawer-body">
          <div class="drawer-head">
            <h2 tabIndex={-1}>{title}</h2>
            <button type="button" class="icon-button" aria-label={`Close ${title.toLowerCase()}`} onClick={onClose}>
              <CloseIcon />
            </button>
          </div>
          {children}
        </div>
      )}
    </dialog>
  )
}
