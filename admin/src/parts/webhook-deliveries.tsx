import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { route } from '../../../ui/router.ts'
import { Button, Empty } from '../../../ui/states.tsx'
import type { WebhookDelivery, WebhookEndpoint } from '../api.ts'
import { counted, dateTime } from '../format.ts'
import { admin, may, pathTo, store } from '../session.ts'
import { useAction } from './action.ts'
import { FilterSelect } from './filters.tsx'
import { PagesOf, usePages } from './pages-of.tsx'
import { BulkBar, type Selection, SelectRow, useSelection } from './selection.tsx'
import { StatusBadge } from './status.tsx'

const stateWords = {
  waiting: ['Waiting', 'warn'],
  delivered: ['Delivered', 'good'],
  failed: ['Failed', 'bad'],
} satisfies Record<WebhookDelivery['state'], [string, 'good' | 'bad' | 'warn']>

const isState = (name: string): name is WebhookDelivery['state'] => name in stateWords

/** Events that were sent to the merchant's own programs. */
export const WebhookDeliveries = () => {
  const { query } = route.value
  const state = query.get('state') ?? ''
  const endpointId = query.get('endpoint') ?? ''
  const filter = {
    ...(isState(state) ? { state } : {}),
    ...(endpointId === '' ? {} : { endpointId }),
  }
  const list = usePages(
    `deliveries ${JSON.stringify(filter)}`,
    (cursor) => admin().listDeliveries({ ...filter, ...cursor, limit: 30 }),
    { liveBy: ({ id }) => id },
  )
  const { loaded } = useLoad(`${store.value?.id} webhooks`, () => admin().listWebhooks())
  const endpoints = loaded.status === 'ready' ? loaded.value.data : []
  const selection = useSelection()
  const { isBusy, run } = useAction()
  const sendAll = async () => {
    const sent: string[] = []
    try {
      for (const deliveryId of selection.ids) {
        await admin().redeliver({ deliveryId })
        sent.push(deliveryId)
      }
    } finally {
      // After a failure, what was not sent stays selected.
      selection.setAll(sent, false)
      list.reload()
    }
    showNotice(`${counted(sent.length, 'delivery', 'deliveries')} will be sent again.`)
  }
  const sendTest = async () => {
    await admin().testWebhook({ endpointId })
    list.reload()
    showNotice('A test event is on its way.')
  }
  return (
    <>
      <Failing endpoints={endpoints} />
      <div class="report-period">
        <FilterSelect
          {...{ label: 'Result', name: 'state' }}
          options={Object.entries(stateWords).map(([name, [text]]) => [name, text] as const)}
        />
        <FilterSelect label="Sent to" name="endpoint" options={endpoints.map(({ id, url }) => [id, url] as const)} />
        {endpointId !== '' && may('webhooks:write') && (
          <Button class="quiet small" isBusy={isBusy} onClick={() => run(sendTest)}>
            Send a test event
          </Button>
        )}
      </div>
      <PagesOf
        list={list}
        one="delivery"
        many="deliveries"
        empty={
          <Empty title={Object.keys(filter).length > 0 ? 'Nothing matches' : 'Nothing was sent yet'}>
            <p>Events that are sent to your webhooks appear here.</p>
          </Empty>
        }
      >
        {(deliveries) => (
          <ul class="entries">
            {deliveries.map((delivery) => (
              <Entry
                {...{ delivery, selection, onSent: list.reload }}
                url={endpoints.find(({ id }) => id === delivery.endpointId)?.url ?? 'a deleted webhook'}
                key={delivery.id}
              />
            ))}
          </ul>
        )}
      </PagesOf>
      <BulkBar selection={selection} one="delivery" many="deliveries">
        <Button class="small" isBusy={isBusy} onClick={() => run(sendAll)}>
          Send {counted(selection.ids.size, 'delivery', 'deliveries')} again
        </Button>
      </BulkBar>
    </>
  )
}

/** Webhooks that do not work now. */
const Failing = ({ endpoints }: { endpoints: readonly WebhookEndpoint[] }) => {
  const failing = endpoints.filter(
    ({ failingSince, disabledReason }) =>
      failingSince !== null || (disabledReason !== null && disabledReason !== 'merchant'),
  )
  return (
    <>
      {failing.map(({ id, url, failingSince, disabledAt }) => (
        <p class="warning" key={id}>
          {url}{' '}
          {disabledAt === null
            ? `has failed since ${dateTime(failingSince ?? '')}.`
            : `was switched off on ${dateTime(disabledAt)}, because it failed.`}{' '}
          <a href={pathTo('settings/webhooks')}>Webhooks</a>
        </p>
      ))}
    </>
  )
}

const Entry = ({
  delivery,
  url,
  selection,
  onSent,
}: {
  delivery: WebhookDelivery
  url: string
  selection: Selection
  onSent: () => void
}) => {
  const { id, type, state, attempts, nextAt, createdAt, lastAttempt } = delivery
  const name = type ?? 'An event that was deleted'
  const isOver = type !== null && state !== 'waiting'
  const { isBusy, run } = useAction()
  const send = async () => {
    await admin().redeliver({ deliveryId: id })
    onSent()
    showNotice('It will be sent again.')
  }
  return (
    <li class="entry">
      <div class="entry-head">
        <p class="row">
          {may('webhooks:write') && state === 'failed' && type !== null && (
            <SelectRow selection={selection} id={id} label={`${name} of ${dateTime(createdAt)}`} />
          )}
          <strong>{name}</strong> <StatusBadge words={stateWords} value={state} />
        </p>
        <span class="quiet-text">{dateTime(createdAt)}</span>
      </div>
      <p class="quiet-text">to {url}</p>
      <p>
        {attempts === 0 ? 'Not tried yet' : counted(attempts, 'attempt')}
        {lastAttempt !== null && `, the last on ${dateTime(lastAttempt.at)}: ${tellAttempt(lastAttempt)}`}
        {nextAt !== null && `. Next attempt: ${dateTime(nextAt)}`}
      </p>
      <div class="row">
        {isOver && may('webhooks:write') && (
          <Button class="quiet small" isBusy={isBusy} onClick={() => run(send)}>
            Send again
          </Button>
        )}
        {lastAttempt !== null && lastAttempt.answer !== '' && (
          <details class="more">
            <summary>The answer</summary>
            <pre>{lastAttempt.answer}</pre>
          </details>
        )}
      </div>
    </li>
  )
}

const tellAttempt = ({ status, error, durationMs }: NonNullable<WebhookDelivery['lastAttempt']>) =>
  `${error.replace(/\.$/, '') || 'received'}${status === null || error.includes(String(status)) ? '' : `, answer ${status}`}, after ${durationMs} ms`
