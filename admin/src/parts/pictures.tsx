import { useRef, useState } from 'preact/hooks'
import { CloseIcon } from '../../../ui/icons.tsx'
import { showNotice } from '../../../ui/notice.ts'
import type { ImageSize, Medium } from '../api.ts'
import { MediaPicker } from './media-picker.tsx'
import { Thumb } from './thumb.tsx'
import { UploadArea, type Uploads, useUploads } from './uploads.tsx'

/** A picture that something shows. `id` is null if the image is elsewhere. */
export type Picture = { id: string | null; url: string; alt: string; sizes?: readonly ImageSize[] | undefined }

export const pictureOf = ({ id, url, alt, sizes }: Medium): Picture => ({ id, url, alt, sizes })

type Pictures = readonly Picture[]

/** Uploads behind the pictures that are there then. The parent holds it, to know whether files are on their way. */
export const usePictures = (pictures: Pictures, onChange: (pictures: Picture[]) => void): Uploads => {
  const latest = useRef(pictures)
  latest.current = pictures
  return useUploads((medium) => {
    const added = addPictures(latest.current, [medium])
    // Another file may arrive before the next rendering.
    latest.current = added
    onChange(added)
  })
}

const addPictures = (pictures: Pictures, media: readonly Medium[]): Picture[] => {
  const known = new Set(pictures.map(({ url }) => url))
  return [...pictures, ...media.map(pictureOf).filter(({ url }) => !known.has(url))]
}

/** The pictures of a product: upload, order, texts. */
export const PicturesField = ({
  pictures,
  uploads,
  onChange,
}: {
  pictures: Pictures
  uploads: Uploads
  onChange: (pictures: Picture[]) => void
}) => {
  const [isChoosing, setChoosing] = useState(false)
  const [dragged, setDragged] = useState<number | null>(null)
  const list = useRef<HTMLOListElement>(null)
  const move = (from: number, to: number) => {
    const moved = pictures[from]
    if (moved === undefined || to < 0 || to >= pictures.length) return
    onChange(pictures.toSpliced(from, 1).toSpliced(to, 0, moved))
    showNotice(`Picture ${from + 1} is now picture ${to + 1} of ${pictures.length}.`, { isQuiet: true })
  }
  /** The focus follows the picture. */
  const step = (from: number, by: -1 | 1) => {
    move(from, from + by)
    setTimeout(() => {
      const buttons = list.current?.children[from + by]?.querySelectorAll<HTMLButtonElement>('[data-step]') ?? []
      const wanted = [...buttons].find(({ dataset, disabled }) => dataset.step === String(by) && !disabled)
      const reachable = wanted ?? [...buttons].find(({ disabled }) => !disabled)
      reachable?.focus()
    })
  }
  return (
    <UploadArea
      uploads={uploads}
      actions={
        <button type="button" class="text-button" onClick={() => setChoosing(true)}>
          Choose from uploaded pictures
        </button>
      }
    >
      {pictures.length > 0 && (
        <ol class="pictures" ref={list}>
          {pictures.map((picture, i) => (
            <li
              key={picture.url}
              class={dragged === i ? 'picture dragged' : 'picture'}
              draggable
              onDragStart={(event) => {
                event.dataTransfer?.setData('text/plain', picture.url)
                setDragged(i)
              }}
              onDragEnd={() => setDragged(null)}
              onDragOver={(event) => {
                if (dragged !== null) event.preventDefault()
              }}
              onDrop={(event) => {
                if (dragged === null) return
                event.preventDefault()
                move(dragged, i)
                setDragged(null)
              }}
            >
              <Thumb of={picture} alt={picture.alt || `Picture ${i + 1}`} size={144} />
              {i === 0 && <span class="status picture-mark">Main picture</span>}
              <div class="picture-actions">
                <button
                  type="button"
                  class="icon-button"
                  data-step="-1"
                  aria-label={`Move picture ${i + 1} left`}
                  disabled={i === 0}
                  onClick={() => step(i, -1)}
                >
                  ‹
                </button>
                <button
                  type="button"
                  class="icon-button"
                  data-step="1"
                  aria-label={`Move picture ${i + 1} right`}
                  disabled={i === pictures.length - 1}
                  onClick={() => step(i, 1)}
                >
                  ›
                </button>
                <button
                  type="button"
                  class="icon-button"
                  aria-label={`Remove picture ${i + 1}`}
                  onClick={() => onChange(pictures.toSpliced(i, 1))}
                >
                  <CloseIcon />
                </button>
              </div>
              <input
                class="picture-text"
                aria-label={`Describe picture ${i + 1}`}
                placeholder="Describe it"
                maxLength={2000}
                value={picture.alt}
                onInput={({ currentTarget: { value: alt } }) => onChange(pictures.with(i, { ...picture, alt }))}
              />
            </li>
          ))}
        </ol>
      )}
      {isChoosing && (
        <MediaPicker onChoose={(media) => onChange(addPictures(pictures, media))} onClose={() => setChoosing(false)} />
      )}
    </UploadArea>
  )
}

/** One picture, such as that of a category. */
export const PictureField = ({
  label,
  picture,
  uploads,
  onChange,
}: {
  label: string
  uploads: Uploads
  picture: Pick<Picture, 'url' | 'sizes'> | null
  onChange: (picture: Picture | null) => void
}) => {
  const [isChoosing, setChoosing] = useState(false)
  return (
    <fieldset class="field">
      <legend class="field-legend">{label}</legend>
      <UploadArea
        uploads={uploads}
        label={picture ? 'Replace the picture' : 'Add a picture'}
        isMultiple={false}
        actions={
          <>
            <button type="button" class="text-button" onClick={() => setChoosing(true)}>
              Choose an uploaded one
            </button>
            {picture && (
              <button type="button" class="text-button" onClick={() => onChange(null)}>
                Remove the picture
              </button>
            )}
          </>
        }
      >
        {picture && <Thumb of={picture} size={144} />}
      </UploadArea>
      {isChoosing && (
        <MediaPicker
          isMultiple={false}
          onChoose={([medium]) => medium && onChange(pictureOf(medium))}
          onClose={() => setChoosing(false)}
        />
      )}
    </fieldset>
  )
}
