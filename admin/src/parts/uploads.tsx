import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { CloseIcon } from '../../../ui/icons.tsx'
import type { Medium } from '../api.ts'
import { percent, wordProblem } from '../format.ts'
import { watchUpload } from '../send-file.ts'
import { admin } from '../session.ts'

const accepted = ['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif']
const maxBytes = 10 * 1024 * 1024
/** Large pictures take a while on a slow line. */
const timeoutMs = 600_000

type Upload = { key: number; file: File; share: number; problem: string | null }

export type Uploads = {
  list: readonly Upload[]
  /** A file is waiting or being sent. */
  isBusy: boolean
  add: (files: Iterable<File>) => void
  retry: (upload: Upload) => void
  dismiss: (upload: Upload) => void
  /** Resolves when no file is waiting or being sent. */
  settled: () => Promise<void>
}

let lastKey = 0

/** Uploads pictures one after the other, so that they arrive in their order. A failed one does not stop the others. */
export const useUploads = (onUploaded: (medium: Medium) => void): Uploads => {
  const [list, setList] = useState<readonly Upload[]>([])
  const queue = useRef(Promise.resolve())
  const latest = useRef(onUploaded)
  latest.current = onUploaded
  const change = (key: number, changes: Partial<Upload>) =>
    setList((now) => now.map((one) => (one.key === key ? { ...one, ...changes } : one)))
  const remove = ({ key }: Upload) => setList((now) => now.filter((one) => one.key !== key))
  const send = async (upload: Upload) => {
    const { key, file } = upload
    watchUpload(file, (share) => change(key, { share }))
    try {
      const medium = await admin().uploadMedia({ file }, { timeoutMs })
      remove(upload)
      latest.current(medium)
    } catch (error) {
      change(key, { share: 0, problem: wordProblem(error) })
    }
  }
  const enqueue = (upload: Upload) => {
    queue.current = queue.current.then(() => send(upload))
  }
  return {
    list,
    isBusy: list.some(({ problem }) => problem === null),
    add: (files) => {
      const added = [...files].map((file) => ({ key: ++lastKey, file, share: 0, problem: findFault(file) }))
      setList((now) => [...now, ...added])
      for (const upload of added) if (upload.problem === null) enqueue(upload)
    },
    retry: (upload) => {
      change(upload.key, { problem: null })
      enqueue(upload)
    },
    dismiss: remove,
    settled: () => queue.current,
  }
}

/** What can be said before a file is sent. */
const findFault = ({ type, size }: File) => {
  if (!accepted.includes(type)) return 'This is not a picture. Use a JPEG, PNG, WebP, AVIF or GIF file.'
  return size > maxBytes ? 'This picture is larger than 10 MB. Make it smaller and try again.' : null
}

/** Takes pictures by file picker and by drop, and shows how far they are. */
export const UploadArea = ({
  uploads,
  label = 'Add pictures',
  isMultiple = true,
  actions,
  children,
}: {
  uploads: Uploads
  label?: string
  isMultiple?: boolean
  /** Beside the button. */
  actions?: ComponentChildren
  /** The pictures that are there. */
  children?: ComponentChildren
}) => {
  const [isOver, setOver] = useState(false)
  const take = (files: FileList | null | undefined) => {
    const all = [...(files ?? [])]
    uploads.add(isMultiple ? all : all.slice(0, 1))
  }
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true
  return (
    <section
      class={`upload-area ${isOver ? 'over' : ''}`}
      aria-label={label}
      onDragOver={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer?.files)
      }}
    >
      {children}
      <UploadList uploads={uploads} />
      <div class="row">
        <label class="button quiet small file-button">
          {label}
          <input
            type="file"
            class="hidden"
            accept={accepted.join(',')}
            multiple={isMultiple}
            onChange={({ currentTarget }) => {
              take(currentTarget.files)
              // So that the same file can be chosen again.
              currentTarget.value = ''
            }}
          />
        </label>
        {actions}
        <span class="quiet-text drop-hint">or drop {isMultiple ? 'them' : 'one'} here</span>
      </div>
    </section>
  )
}

const UploadList = ({ uploads: { list, retry, dismiss } }: { uploads: Uploads }) => (
  <ul class="uploads" aria-live="polite">
    {list.map((upload) => {
      const { key, file, share, problem } = upload
      return (
        <li class={problem === null ? 'upload' : 'upload failed'} key={key}>
          <span class="upload-name">{file.name}</span>
          {problem === null ? (
            <>
              <progress value={share} max={1} aria-label={`Uploading ${file.name}`} />
              <span class="quiet-text">
                {share === 0 ? 'Waiting' : share < 1 ? percent(Math.round(share * 100) / 100) : 'Nearly done'}
              </span>
            </>
          ) : (
            <>
              <span class="upload-problem">{problem}</span>
              {findFault(file) === null && (
                <button type="button" class="text-button" onClick={() => retry(upload)}>
                  Try again<span class="hidden"> to upload {file.name}</span>
                </button>
              )}
              <button
                type="button"
                class="icon-button"
                aria-label={`Leave out ${file.name}`}
                onClick={() => dismiss(upload)}
              >
                <CloseIcon />
              </button>
            </>
          )}
        </li>
      )
    })}
  </ul>
)
