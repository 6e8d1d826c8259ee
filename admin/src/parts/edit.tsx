import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from '../../../ui/dialog.tsx'
import { dropDrafts, useDraft } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { Button, Problem } from '../../../ui/states.tsx'
import { isVitrineError, type WithEtag } from '../api.ts'
import { number } from '../format.ts'
import { store } from '../session.ts'

type Fields = Record<string, unknown>

/** What the person has typed, the values it was based on, and their ETag. */
type Typed<Draft> = { draft: Draft; base: Draft; etag: string }

export type Edit<Draft> = {
  draft: Draft
  change: (changes: Partial<Draft>) => void
  isDirty: boolean
  isBusy: boolean
  error: unknown
  submit: () => Promise<void>
  discard: () => void
  /** Someone else has saved in the meantime: what they saved, and what to do about it. */
  conflict: Conflict<Draft> | null
}

type Conflict<Draft> = {
  theirs: Draft
  /** What the person has changed. */
  changes: Partial<Draft>
  keepMine: () => Promise<void>
  takeTheirs: () => void
  close: () => void
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** Sizes of pictures are made after the upload, and sales change stock: no person has saved those. */
const essenceOf = (value: unknown) =>
  JSON.stringify(value, (name, part) => (/^(sizes|stock|knownStock)$/.test(name) ? undefined : part))

const changesOf = <Draft extends Fields>({ draft, base }: Typed<Draft>): Partial<Draft> =>
  Object.fromEntries(Object.entries(draft).filter(([name, value]) => !isSame(value, base[name]))) as Partial<Draft>

/**
 * A form for something that is saved already. What is typed is kept in this tab until it is saved or discarded, so that it
 * survives a failure, a reload and an expired session. Only changed fields are sent.
 */
export const useEdit = <Saved extends WithEtag, Draft extends Fields>({
  name,
  saved,
  toDraft,
  save,
  read,
  onSaved,
}: {
  /** Names the draft in this tab, such as `product prod_1`. */
  name: string
  saved: Saved
  toDraft: (saved: Saved) => Draft
  save: (changes: Partial<Draft>, ifMatch: string) => Promise<Saved>
  /** Reads what is saved now, after a conflict. */
  read: () => Promise<Saved>
  onSaved: (saved: Saved) => void
}): Edit<Draft> => {
  const key = `${store.value?.id} ${name}`
  const [typed, keep] = useDraft<Typed<Draft> | null>(key, null)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [theirs, setTheirs] = useState<Saved | null>(null)
  const unchanged = () => {
    const base = toDraft(saved)
    return { draft: base, base, etag: saved.etag }
  }
  const current = typed ?? unchanged()

  const forget = () => {
    keep(null)
    dropDrafts(key)
    setTheirs(null)
    setError(null)
  }
  const send = async (sent: Typed<Draft>) => {
    if (isBusy) return
    setBusy(true)
    setError(null)
    try {
      await saveAs(sent)
    } catch (thrown) {
      if (isVitrineError(thrown) && thrown.code === 'PRECONDITION_FAILED') await resolve(sent)
      else setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  const saveAs = async (sent: Typed<Draft>) => {
    const answer = await save(changesOf(sent), sent.etag)
    forget()
    onSaved(answer)
    showNotice('Saved.')
  }
  const resolve = async (sent: Typed<Draft>) => {
    try {
      const now = await read()
      // Something that is not in the form has changed, such as a count of uses.
      if (essenceOf(toDraft(now)) === essenceOf(sent.base)) await saveAs({ ...sent, etag: now.etag })
      else setTheirs(now)
    } catch (thrown) {
      setError(thrown)
    }
  }
  return {
    draft: current.draft,
    change: (changes) => keep({ ...current, draft: { ...current.draft, ...changes } }),
    isDirty: Object.keys(changesOf(current)).length > 0,
    isBusy,
    error,
    submit: () => send(current),
    discard: forget,
    conflict: theirs && {
      theirs: toDraft(theirs),
      changes: changesOf(current),
      keepMine: async () => {
        const base = toDraft(theirs)
        const mine = { draft: { ...base, ...changesOf(current) }, base, etag: theirs.etag }
        keep(mine)
        setTheirs(null)
        await send(mine)
      },
      takeTheirs: () => {
        forget()
        onSaved(theirs)
      },
      close: () => setTheirs(null),
    },
  }
}

export type FieldWords<Draft> = Readonly<{ [Name in keyof Draft]?: (value: Draft[Name]) => string }>

/** The form of an edit: its fields, why it could not be saved, and a bar to save or discard while there are changes. */
export const EditForm = <Draft extends Fields>({
  edit,
  labels,
  words,
  children,
}: {
  edit: Edit<Draft>
  /** What each field is called, for showing both versions after a conflict. */
  labels: Readonly<Partial<Record<keyof Draft, string>>>
  /** How values are written there that are neither text nor number. */
  words?: FieldWords<Draft> | undefined
  children: ComponentChildren
}) => (
  <form
    class="form"
    onSubmit={(event) => {
      event.preventDefault()
      void edit.submit()
    }}
  >
    {children}
    {edit.isDirty && (
      <div class="save-bar">
        {edit.error === null ? <span role="status">Unsaved changes</span> : <Problem error={edit.error} />}
        <Button class="quiet" onClick={edit.discard}>
          Discard
        </Button>
        <Button type="submit" isBusy={edit.isBusy}>
          {edit.isBusy ? 'Saving' : 'Save'}
        </Button>
      </div>
    )}
    {edit.conflict && <ConflictDialog mine={edit.draft} labels={labels} words={words} {...edit.conflict} />}
  </form>
)

const show = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return number(value)
  if (Array.isArray(value)) return value.map(show).join(', ') || 'Nothing'
  if (value === null || value === undefined || value === '') return 'Nothing'
  return typeof value === 'object' ? Object.values(value).map(show).join(', ') : String(value)
}

const ConflictDialog = <Draft extends Fields>({
  mine,
  theirs,
  changes,
  labels,
  words,
  keepMine,
  takeTheirs,
  close,
}: Conflict<Draft> & {
  mine: Draft
  labels: Readonly<Partial<Record<keyof Draft, string>>>
  words: FieldWords<Draft> | undefined
}) => {
  const wordOf = (draft: Draft, name: string) => words?.[name]?.(draft[name] as Draft[string]) ?? show(draft[name])
  const different = Object.keys(mine).filter((name) => essenceOf(mine[name]) !== essenceOf(theirs[name]))
  return (
    <Dialog title="Saved by someone else in the meantime" onClose={close} isWide>
      <p>Nothing is lost. Compare the two versions, then choose.</p>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Yours</th>
            <th scope="col">Saved now</th>
          </tr>
        </thead>
        <tbody>
          {different.map((name) => (
            <tr key={name}>
              <th scope="row">{labels[name] ?? name}</th>
              <td data-label="Yours" class="version">
                {name in changes ? wordOf(mine, name) : 'Unchanged'}
              </td>
              <td data-label="Saved now" class="version">
                {wordOf(theirs, name)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="row dialog-actions">
        <Button class="quiet" onClick={close}>
          Keep editing
        </Button>
        <Button class="quiet" onClick={takeTheirs}>
          Use the saved version
        </Button>
        <Button onClick={() => void keepMine()}>Save my changes</Button>
      </div>
    </Dialog>
  )
}
