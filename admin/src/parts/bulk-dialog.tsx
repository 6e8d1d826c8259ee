import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Dialog } from '../../../ui/dialog.tsx'
import { Button } from '../../../ui/states.tsx'
import type { CallOptions } from '../api.ts'
import { number, wordProblem } from '../format.ts'
import { callOnce } from './once.ts'

type Fault<Item> = { item: Item; reason: string }

type Progress<Item> = { done: number; all: number; faults: readonly Fault<Item>[]; isRunning: boolean }

/**
 * Does something with many things, one after the other. It shows how far it is, goes on after a fault, and lists the faults
 * in the end, which can be tried again.
 */
export const BulkDialog = <Item extends { id: string }>({
  title,
  name,
  action,
  items,
  labelOf,
  run,
  onClose,
  children,
}: {
  title: string
  /** Of the action, such as `ship`. */
  name: string
  /** On the button, such as "Ship 3 orders". */
  action: string
  items: readonly Item[]
  labelOf: (item: Item) => string
  run: (item: Item, options: CallOptions) => Promise<unknown>
  /** `changed`: how many were done. */
  onClose: (changed: number) => void
  children: ComponentChildren
}) => {
  const [progress, setProgress] = useState<Progress<Item> | null>(null)
  const [changed, setChanged] = useState(0)
  const isStopped = useRef(false)
  const start = async (wanted: readonly Item[]) => {
    isStopped.current = false
    const faults: Fault<Item>[] = []
    let done = 0
    setProgress({ done, all: wanted.length, faults, isRunning: true })
    for (const item of wanted) {
      if (isStopped.current) break
      try {
        await callOnce(`${name} ${item.id}`, (options) => run(item, options))
        setChanged((count) => count + 1)
      } catch (error) {
        faults.push({ item, reason: wordProblem(error) })
      }
      done++
      setProgress({ done, all: wanted.length, faults: [...faults], isRunning: true })
    }
    setProgress({ done, all: wanted.length, faults, isRunning: false })
  }
  const close = () => {
    if (!progress?.isRunning) onClose(changed)
  }
  const failed = progress?.faults.map(({ item }) => item) ?? []
  return (
    <Dialog title={title} onClose={close} isWide>
      {progress === null ? (
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault()
            void start(items)
          }}
        >
          {children}
          <div class="row dialog-actions">
            <Button class="quiet" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" disabled={items.length === 0}>
              {action}
            </Button>
          </div>
        </form>
      ) : (
        <>
          <progress max={progress.all} value={progress.done} aria-label={title} />
          <p role="status">
            {number(progress.done)} of {number(progress.all)}
            {!progress.isRunning && ' done'}
            {progress.faults.length > 0 && `, ${number(progress.faults.length)} not possible`}
          </p>
          <ul class="faults">
            {progress.faults.map(({ item, reason }) => (
              <li key={item.id}>
                <strong>{labelOf(item)}</strong> {reason}
              </li>
            ))}
          </ul>
          <div class="row dialog-actions">
            {progress.isRunning && (
              <Button
                class="quiet"
                onClick={() => {
                  isStopped.current = true
                }}
              >
                Stop
              </Button>
            )}
            {!progress.isRunning && failed.length > 0 && (
              <Button class="quiet" onClick={() => void start(failed)}>
                Try these again
              </Button>
            )}
            {!progress.isRunning && <Button onClick={close}>Close</Button>}
          </div>
        </>
      )}
    </Dialog>
  )
}
