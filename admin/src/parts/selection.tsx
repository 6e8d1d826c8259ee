import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { counted } from '../format.ts'

export type Selection = {
  ids: ReadonlySet<string>
  set: (id: string, isSelected: boolean) => void
  setAll: (ids: readonly string[], isSelected: boolean) => void
  clear: () => void
}

/** The rows of a list that a bulk action is for. */
export const useSelection = (): Selection => {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const setAll = (changed: readonly string[], isSelected: boolean) => {
    const next = new Set(ids)
    for (const id of changed) {
      if (isSelected) next.add(id)
      else next.delete(id)
    }
    setIds(next)
  }
  return { ids, setAll, set: (id, isSelected) => setAll([id], isSelected), clear: () => setIds(new Set()) }
}

/** The checkbox of a row, in a `<td class="select">`. */
export const SelectRow = ({ selection, id, label }: { selection: Selection; id: string; label: string }) => (
  <label class="check">
    <input
      type="checkbox"
      checked={selection.ids.has(id)}
      onChange={(event) => selection.set(id, event.currentTarget.checked)}
    />
    <span class="hidden">Select {label}</span>
  </label>
)

/** The checkbox of all rows, in a `<th class="select">`. */
export const SelectAll = ({ selection, ids }: { selection: Selection; ids: readonly string[] }) => (
  <label class="check">
    <input
      type="checkbox"
      checked={ids.length > 0 && ids.every((id) => selection.ids.has(id))}
      onChange={(event) => selection.setAll(ids, event.currentTarget.checked)}
    />
    <span class="hidden">Select all</span>
  </label>
)

/** What can be done with the selected rows. */
export const BulkBar = ({
  selection,
  one,
  many,
  children,
}: {
  selection: Selection
  one: string
  many?: string
  children: ComponentChildren
}) =>
  selection.ids.size === 0 ? null : (
    <section class="bulk-bar" aria-label="Selected">
      <span role="status">{counted(selection.ids.size, one, many)} selected</span>
      {children}
      <button type="button" class="text-button" onClick={selection.clear}>
        Select none
      </button>
    </section>
  )
