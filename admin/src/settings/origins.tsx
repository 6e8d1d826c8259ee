import { useState } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { dropDrafts, useDraft, useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { Button, Problem, Show } from '../../../ui/states.tsx'
import { useSubmit } from '../../../ui/submit.ts'
import { admin, may, store } from '../session.ts'

/** The websites whose pages may call the store from a browser. */
export const OriginsPanel = () => {
  const { loaded, reload, replace } = useLoad(`${store.value?.id} origins`, () => admin().listOrigins())
  const [removed, setRemoved] = useState<string | null>(null)
  const remove = async (origin: string) => {
    await admin().removeOrigin({ origin })
    reload()
    showNotice(`${origin} is removed.`)
  }
  return (
    <section class="panel form" aria-label="Websites that may use this store">
      <h2>Websites that may use this store</h2>
      <p class="quiet-text">A browser can show your shop only on these addresses.</p>
      <Show loaded={loaded} onRetry={reload}>
        {({ data }) =>
          data.length === 0 ? (
            <p>None yet. Add the address of your shop.</p>
          ) : (
            <ul class="lines">
              {data.map((origin) => (
                <li key={origin}>
                  <span>{origin}</span>
                  {may('settings:write') && (
                    <button type="button" class="text-button" onClick={() => setRemoved(origin)}>
                      Remove<span class="hidden"> {origin}</span>
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Show>
      {may('settings:write') && <AddOrigin onAdded={replace} />}
      {removed !== null && (
        <FormDialog
          {...{ title: `Remove ${removed}?`, action: 'Remove', isDangerous: true }}
          onSubmit={() => remove(removed)}
          onClose={() => setRemoved(null)}
        >
          <p>A shop at this address stops working within a second.</p>
        </FormDialog>
      )}
    </section>
  )
}

const AddOrigin = ({ onAdded }: { onAdded: (origins: { data: string[] }) => void }) => {
  const draft = `${store.value?.id} new origin`
  const [origin, setOrigin] = useDraft(draft, '')
  const {
    isBusy,
    error,
    submit: add,
  } = useSubmit(async () => {
    onAdded(await admin().addOrigin({ origin: origin.trim().replace(/\/$/, '') }))
    setOrigin('')
    dropDrafts(draft)
    showNotice('Added.')
  })
  return (
    <form class="add-line" onSubmit={add}>
      <TextField
        {...{ type: 'url', label: 'Address to add', name: 'origin', required: true, maxLength: 300 }}
        placeholder="https://bluedoor.example"
        value={origin}
        onInput={setOrigin}
      />
      <Button type="submit" class="quiet" isBusy={isBusy}>
        Add
      </Button>
      {error !== null && <Problem error={error} />}
    </form>
  )
}
