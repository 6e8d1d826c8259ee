import { TextArea } from '../../../../ui/fields.tsx'
import { dropDrafts, useDraft } from '../../../../ui/load.ts'
import { showNotice } from '../../../../ui/notice.ts'
import { Button, Problem } from '../../../../ui/states.tsx'
import { useSubmit } from '../../../../ui/submit.ts'
import type { AdminOrder } from '../../api.ts'
import { dateTime } from '../../format.ts'
import { admin, may } from '../../session.ts'
import { callOnce } from '../once.ts'
import { messageWords } from './words.ts'

type Entry = AdminOrder['timeline'][number]

const wordEntry = ({ kind, type, message }: Entry) =>
  kind === 'message' ? message.replace(`The mail ${type}`, `The mail “${messageWords[type] ?? type}”`) : message

/** Everything that happened, newest first, with a field for a note of one's own. */
export const OrderTimeline = ({ order, onChange }: { order: AdminOrder; onChange: () => void }) => (
  <section class="panel last">
    <h2>Timeline</h2>
    {may('orders:support') && <NoteForm order={order} onAdded={onChange} />}
    <ol class="timeline">
      {order.timeline.toReversed().map((entry, index) => (
        <li class={entry.kind} key={order.timeline.length - index}>
          <p>
            {entry.kind === 'note' && <span class="hidden">Note: </span>}
            {wordEntry(entry)}
          </p>
          <p class="quiet-text">
            {entry.author !== null && entry.author !== '' && <>{entry.author}, </>}
            <time dateTime={entry.at}>{dateTime(entry.at)}</time>
          </p>
        </li>
      ))}
    </ol>
  </section>
)

const NoteForm = ({ order: { id }, onAdded }: { order: AdminOrder; onAdded: () => void }) => {
  const name = `note ${id}`
  const [text, setText] = useDraft(name, '')
  const { isBusy, error, submit } = useSubmit(async () => {
    await callOnce(name, (options) => admin().addOrderNote({ id, text }, options))
    setText('')
    dropDrafts(name)
    showNotice('The note is added.')
    onAdded()
  })
  return (
    <form class="form note-form" onSubmit={submit}>
      <TextArea
        {...{ label: 'Note for your team', name: 'note', rows: 2, maxLength: 5000, required: true }}
        help="The customer does not see it."
        value={text}
        onInput={setText}
      />
      {error !== null && <Problem error={error} />}
      <div>
        <Button type="submit" class="quiet small" isBusy={isBusy}>
          {isBusy ? 'Adding' : 'Add note'}
        </Button>
      </div>
    </form>
  )
}
