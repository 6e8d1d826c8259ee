import { useState } from 'preact/hooks'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { changeQuery, route } from '../../../ui/router.ts'
import { Button, Empty, Problem, Show } from '../../../ui/states.tsx'
import type { MediumDetail, WithEtag } from '../api.ts'
import { counted, dateTime, number } from '../format.ts'
import { EditForm, useEdit } from '../parts/edit.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { PagesOf, usePages } from '../parts/pages-of.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Thumb } from '../parts/thumb.tsx'
import { UploadArea, useUploads } from '../parts/uploads.tsx'
import { admin, may, pathTo, store } from '../session.ts'

/** All uploaded pictures, what shows them, and their texts. */
export const MediaPage = () => {
  const { query } = route.value
  const q = query.get('q') ?? ''
  const shown = query.get('picture')
  const list = usePages(`media ${q}`, (cursor) =>
    admin().listMedia({ ...(q === '' ? {} : { q }), ...cursor, limit: 60 }),
  )
  const uploads = useUploads(({ name }) => {
    list.reload()
    showNotice(`${name} is uploaded.`)
  })
  const close = () => changeQuery({ picture: null })
  return (
    <>
      <PageHead title="Media" />
      <div class="toolbar">
        <SearchField label="Search pictures" value={q} onSearch={(text) => changeQuery({ q: text })} />
      </div>
      {may('catalog:write') && (
        <UploadArea uploads={uploads}>
          <p class="quiet-text">A picture that nothing in the shop shows within a day is removed.</p>
        </UploadArea>
      )}
      <PagesOf list={list} one="picture" empty={<NoPictures isSearched={q !== ''} />}>
        {(media) => (
          <ul class="media-grid">
            {media.map((medium) => (
              <li key={medium.id}>
                <button type="button" class="media-tile" onClick={() => changeQuery({ picture: medium.id })}>
                  <Thumb of={medium} size={160} />
                  <span>{medium.alt || medium.name}</span>
                  {medium.alt === '' && <span class="status warn">No text</span>}
                </button>
              </li>
            ))}
          </ul>
        )}
      </PagesOf>
      {shown !== null && <PictureDialog mediaId={shown} onClose={close} onChanged={list.reload} />}
    </>
  )
}

const NoPictures = ({ isSearched }: { isSearched: boolean }) => (
  <Empty title={isSearched ? 'No picture matches' : 'No pictures yet'}>
    <p>
      {isSearched ? 'Try a part of the file name or of the text.' : 'Upload pictures here, or while editing a product.'}
    </p>
  </Empty>
)

type PictureProps = { mediaId: string; onClose: () => void; onChanged: () => void }

const PictureDialog = ({ mediaId, onClose, onChanged }: PictureProps) => {
  const { loaded, reload, replace } = useLoad(`${store.value?.id} picture ${mediaId}`, () =>
    admin().showMedium({ mediaId }),
  )
  return (
    <Dialog title="Picture" onClose={onClose} isWide>
      <Show loaded={loaded} onRetry={reload}>
        {(medium) => (
          <Picture
            medium={medium}
            onClose={onClose}
            onSaved={(saved) => {
              replace(saved)
              onChanged()
            }}
            onDeleted={onChanged}
          />
        )}
      </Show>
    </Dialog>
  )
}

const kilobytes = (bytes: number) => `${number(Math.max(1, Math.round(bytes / 1_000)))} kB`

const pathOfUse = ({ kind, id }: MediumDetail['uses'][number]) =>
  kind === 'product' ? pathTo(`products/${id}`) : kind === 'category' ? pathTo('categories') : null

const Picture = ({
  medium,
  onClose,
  onSaved,
  onDeleted,
}: {
  medium: MediumDetail & WithEtag
  onClose: () => void
  onSaved: (medium: MediumDetail & WithEtag) => void
  onDeleted: () => void
}) => {
  const { id: mediaId, uses } = medium
  const edit = useEdit({
    name: `picture ${mediaId}`,
    saved: medium,
    toDraft: ({ alt }) => ({ alt }),
    save: async (changes, ifMatch) => ({
      ...medium,
      ...(await admin().changeMedium({ mediaId, ...changes }, { ifMatch })),
    }),
    read: () => admin().showMedium({ mediaId }),
    onSaved,
  })
  return (
    <div class="media-large">
      <img src={medium.sizes.at(-1)?.url ?? medium.url} alt={medium.alt} />
      <p class="quiet-text">
        {medium.name}, {number(medium.width)} × {number(medium.height)}, {kilobytes(medium.bytes)},{' '}
        {dateTime(medium.createdAt)}
      </p>
      <h3>Shown by</h3>
      {uses.length === 0 ? (
        <p>Nothing in the shop. It is removed a day after the upload.</p>
      ) : (
        <ul class="faults">
          {uses.map((use) => {
            const path = pathOfUse(use)
            return <li key={`${use.kind} ${use.id}`}>{path ? <a href={path}>{use.name}</a> : use.name}</li>
          })}
        </ul>
      )}
      {may('catalog:write') && (
        <>
          <EditForm edit={edit} labels={{ alt: 'Text' }}>
            <TextField
              {...{ label: 'Text', name: 'alt', maxLength: 500, value: edit.draft.alt }}
              help="Describes the picture to people who cannot see it."
              onInput={(alt) => edit.change({ alt })}
            />
          </EditForm>
          {uses.length === 0 && <DeleteButton {...{ mediaId, onClose, onDeleted }} />}
        </>
      )}
      {uses.length > 0 && (
        <p class="quiet-text">
          A picture that {counted(uses.length, 'place shows', 'places show')} cannot be deleted. Remove it there first.
        </p>
      )}
    </div>
  )
}

const DeleteButton = ({
  mediaId,
  onClose,
  onDeleted,
}: {
  mediaId: string
  onClose: () => void
  onDeleted: () => void
}) => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const remove = async () => {
    setBusy(true)
    try {
      await admin().deleteMedium({ mediaId })
      onDeleted()
      onClose()
      showNotice('The picture is deleted.')
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      {error !== null && <Problem error={error} />}
      <Button class="danger" isBusy={isBusy} onClick={remove}>
        Delete this picture
      </Button>
    </>
  )
}
