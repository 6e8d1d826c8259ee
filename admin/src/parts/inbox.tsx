import { showNotice } from '../../../ui/notice.ts'
import { route } from '../../../ui/router.ts'
import { Button, Empty } from '../../../ui/states.tsx'
import type { AdminListInboxInput, InboxEvent } from '../api.ts'
import { dateTime } from '../format.ts'
import { admin, may, pathTo } from '../session.ts'
import { useAction } from './action.ts'
import { FilterSelect, OnlyAbout } from './filters.tsx'
import { PagesOf, usePages } from './pages-of.tsx'
import { StatusBadge } from './status.tsx'

type Outcome = NonNullable<AdminListInboxInput['outcome']>

const outcomeWords = {
  applied: ['Applied', 'good'],
  no_effect: ['Nothing to change', 'plain'],
  ignored: ['Not needed', 'plain'],
  duplicate_payment: ['Paid twice', 'bad'],
  mismatch: ['Does not fit the order', 'bad'],
  unknown_order: ['Order not found', 'bad'],
  unmatched: ['Parcel not found', 'bad'],
  malformed: ['Cannot be read', 'bad'],
  stale: ['Older than what is known', 'plain'],
  after_delivery: ['After the delivery', 'plain'],
} satisfies Record<Outcome, [string, 'good' | 'bad' | 'plain']>

const isOutcome = (name: string): name is Outcome => name in outcomeWords

/** Those that had no effect, and may have one now. */
const failed: readonly string[] = ['mismatch', 'unknown_order', 'unmatched', 'malformed'] satisfies Outcome[]

/** Names that only say which kind it is. */
const senders: Readonly<Record<string, string>> = { payment: 'The payment provider', carrier: 'The carrier' }

const kinds = { payment: 'Payments', delivery: 'Deliveries' }

/** What payment providers and carriers have reported. */
export const Inbox = () => {
  const { query } = route.value
  const state = query.get('state') ?? ''
  const kind = query.get('kind') ?? ''
  const order = query.get('order') ?? ''
  const filter: AdminListInboxInput = {
    ...(isOutcome(state) ? { outcome: state } : {}),
    ...(kind === 'payment' || kind === 'delivery' ? { kind } : {}),
    ...(order === '' ? {} : { orderId: order }),
  }
  const list = usePages(
    `inbox ${JSON.stringify(filter)}`,
    (cursor) => admin().listInbox({ ...filter, ...cursor, limit: 30 }),
    { liveBy: ({ id }) => String(id) },
  )
  const isFiltered = Object.keys(filter).length > 0
  return (
    <>
      <div class="report-period">
        <FilterSelect label="About" name="kind" options={Object.entries(kinds)} />
        <FilterSelect
          {...{ label: 'Result', name: 'state' }}
          options={Object.entries(outcomeWords).map(([name, [text]]) => [name, text] as const)}
        />
      </div>
      {order !== '' && <OnlyAbout name="order" what="one order" />}
      <PagesOf
        list={list}
        one="event"
        empty={
          <Empty title={isFiltered ? 'Nothing matches' : 'Nothing was received yet'}>
            <p>{isFiltered ? 'Try other filters.' : 'Messages about payments and parcels appear here.'}</p>
          </Empty>
        }
      >
        {(events) => (
          <ul class="entries">
            {events.map((event) => (
              <Entry event={event} onApplied={list.reload} key={event.id} />
            ))}
          </ul>
        )}
      </PagesOf>
    </>
  )
}

const Entry = ({ event, onApplied }: { event: InboxEvent; onApplied: () => void }) => {
  const { isBusy, run } = useAction()
  const apply = async () => {
    const { outcome } = await admin().replayEvent({ eventNumber: event.id })
    const [text] = isOutcome(outcome) ? outcomeWords[outcome] : [outcome]
    showNotice(failed.includes(outcome) ? `It still cannot be applied: ${text.toLowerCase()}.` : `${text}.`)
    onApplied()
  }
  return (
    <li class="entry">
      <div class="entry-head">
        <p>
          <strong>{senders[event.source] ?? event.source}</strong> reported{' '}
          {event.kind === 'payment' ? 'a payment' : 'a delivery'}{' '}
          <StatusBadge words={outcomeWords} value={event.outcome} />
        </p>
        <span class="quiet-text">{dateTime(event.receivedAt)}</span>
      </div>
      {event.detail !== '' && <p>{event.detail}</p>}
      <div class="row">
        {event.orderId !== null && <a href={pathTo(`orders/${event.orderId}`)}>Open the order</a>}
        {failed.includes(event.outcome) && may('orders:write') && (
          <Button class="quiet small" isBusy={isBusy} onClick={() => run(apply)}>
            Apply again
          </Button>
        )}
        <details class="more">
          <summary>What was received</summary>
          <pre>
            {event.eventId}
            {'\n'}
            {JSON.stringify(event.body, null, 2)}
          </pre>
        </details>
      </div>
    </li>
  )
}
