import { useState } from 'preact/hooks'
import { Dialog } from '../../../ui/dialog.tsx'
import { Button, Empty } from '../../../ui/states.tsx'
import type { Medium } from '../api.ts'
import { counted } from '../format.ts'
import { admin } from '../session.ts'
import { PagesOf, usePages } from './pages-of.tsx'
import { SearchField } from './search-field.tsx'
import { Thumb } from './thumb.tsx'

/** Chooses among the pictures that were uploaded before. */
export const MediaPicker = ({
  isMultiple = true,
  onChoose,
  onClose,
}: {
  isMultiple?: boolean
  onChoose: (media: Medium[]) => void
  onClose: () => void
}) => {
  const [q, setQ] = useState('')
  const [chosen, setChosen] = useState<Medium[]>([])
  const list = usePages(`media to choose ${q}`, (cursor) =>
    admin().listMedia({ ...(q === '' ? {} : { q }), ...cursor, limit: 40 }),
  )
  const choose = (medium: Medium, isChosen: boolean) => {
    const others = isMultiple ? chosen.filter(({ id }) => id !== medium.id) : []
    setChosen(isChosen ? [...others, medium] : others)
  }
  return (
    <Dialog title={isMultiple ? 'Choose pictures' : 'Choose a picture'} onClose={onClose} isWide>
      <SearchField label="Search pictures" value={q} onSearch={setQ} />
      <PagesOf
        list={list}
        one="picture"
        empty={
          <Empty title={q === '' ? 'No pictures yet' : 'No picture matches'}>
            <p>{q === '' ? 'Pictures that you upload appear here.' : 'Try a part of the file name.'}</p>
          </Empty>
        }
      >
        {(media) => (
          <fieldset class="picture-choices">
            <legend class="hidden">Pictures</legend>
            {media.map((medium) => (
              <label class="picture-choice" key={medium.id}>
                <input
                  type={isMultiple ? 'checkbox' : 'radio'}
                  name="picture"
                  checked={chosen.some(({ id }) => id === medium.id)}
                  onChange={(event) => choose(medium, event.currentTarget.checked)}
                />
                <Thumb of={medium} size={104} />
                <span>{medium.alt || medium.name}</span>
              </label>
            ))}
          </fieldset>
        )}
      </PagesOf>
      <div class="row dialog-actions">
        <Button class="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button
          onClick={() => {
            onChoose(chosen)
            onClose()
          }}
        >
          {chosen.length === 0 ? 'Use none' : `Use ${counted(chosen.length, 'picture')}`}
        </Button>
      </div>
    </Dialog>
  )
}
