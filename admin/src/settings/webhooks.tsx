import { useState } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog.tsx'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { Button, Empty, Show } from '../../../ui/states.tsx'
import type { WebhookDelivery, WebhookEndpoint } from '../api.ts'
import { dateTime, wordProblem } from '../format.ts'
import { type Secret, SecretDialog } from '../parts/copy.tsx'
import { admin, may, pathTo, store } from '../session.ts'
import { NewEndpointDialog, wordType } from './new-endpoint.tsx'

const statusOf = ({ disabledAt, failingSince, pausedUntil }: WebhookEndpoint): [string, string] => {
  if (disabledAt !== null) return ['Off', 'bad']
  if (failingSince !== null) return ['Failing', 'warn']
  return pausedUntil !== null && new Date(pausedUntil) > new Date() ? ['Paused', 'warn'] : ['On', 'good']
}

const whyOff: Record<string, string> = {
  gone: 'It answered that it is gone.',
  failing: 'It failed for days.',
  merchant: 'It was switched off here.',
}

type Open = { what: 'new' } | { what: 'rotate' | 'delete'; endpoint: WebhookEndpoint }

export const WebhooksSettings = () => {
  const { loaded, reload } = useLoad(`${store.value?.id} webhooks`, () => admin().listWebhooks())
  const [open, setOpen] = useState<Open | null>(null)
  const [secret, setSecret] = useState<Secret | null>(null)
  const close = () => setOpen(null)
  const remove = async ({ id, url }: WebhookEndpoint) => {
    await admin().deleteWebhook({ endpointId: id })
    reload()
    showNotice(`${url} is deleted.`)
  }
  const rotate = async (endpoint: WebhookEndpoint) => {
    const force = isBeingReplaced(endpoint)
    const made = await admin().rotateWebhook({ endpointId: endpoint.id, ...(force ? { force } : {}) })
    reload()
    const { oldSecretUntil: until } = made
    setSecret({
      ...{ title: 'The new secret', values: [['Secret', made.secret]] },
      ...(until === null ? {} : { about: `Requests are signed with both secrets until ${dateTime(until)}.` }),
    })
  }
  return (
    <>
      <div class="toolbar">
        <p class="quiet-text">
          Other systems are told what happens. <a href={pathTo('activity?show=webhooks')}>See what was sent</a>
        </p>
        {may('webhooks:write') && <Button onClick={() => setOpen({ what: 'new' })}>Add an endpoint</Button>}
      </div>
      <Show loaded={loaded} onRetry={reload}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No endpoints yet">
              <p>Add the address of a system that should hear about orders, such as your accounting.</p>
            </Empty>
          ) : (
            data.map((endpoint) => (
              <EndpointPanel endpoint={endpoint} onOpen={setOpen} onChange={reload} key={endpoint.id} />
            ))
          )
        }
      </Show>
      {open?.what === 'new' && <NewEndpointDialog onClose={close} onMade={setSecret} onChange={reload} />}
      {open?.what === 'rotate' && (
        <FormDialog
          {...{ title: 'Replace the secret?', action: 'Replace', onClose: close }}
          onSubmit={() => rotate(open.endpoint)}
        >
          <p>
            {isBeingReplaced(open.endpoint)
              ? 'It was replaced less than a day ago. The secret before the present one stops working at once.'
              : 'For a day requests are signed with the old and the new secret. Enter the new one at the receiver by then.'}
          </p>
        </FormDialog>
      )}
      {open?.what === 'delete' && (
        <FormDialog
          {...{ title: 'Delete this endpoint?', action: 'Delete', isDangerous: true, onClose: close }}
          onSubmit={() => remove(open.endpoint)}
        >
          <p>{open.endpoint.url} gets no more events, also not those that wait to be sent. This cannot be undone.</p>
        </FormDialog>
      )}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  )
}

const isBeingReplaced = ({ oldSecretUntil }: WebhookEndpoint) =>
  oldSecretUntil !== null && new Date(oldSecretUntil) > new Date()

const EndpointPanel = ({
  endpoint,
  onOpen,
  onChange,
}: {
  endpoint: WebhookEndpoint
  onOpen: (open: Open) => void
  onChange: () => void
}) => {
  const { id, url, types, failingSince, disabledAt, disabledReason } = endpoint
  const [status, tone] = statusOf(endpoint)
  const enable = async () => {
    try {
      await admin().enableWebhook({ endpointId: id })
      onChange()
      showNotice('It is on again.')
    } catch (error) {
      showNotice(wordProblem(error))
    }
  }
  return (
    <section class="panel account" aria-label={url}>
      <div class="account-head">
        <h2 class="address">{url}</h2>
        <span class={`status ${tone}`}>{status}</span>
      </div>
      <p class="quiet-text">{types.map(wordType).join(', ')}</p>
      {disabledAt !== null && (
        <p>
          Off since {dateTime(disabledAt)}. {whyOff[disabledReason ?? ''] ?? ''}
        </p>
      )}
      {disabledAt === null && failingSince !== null && (
        <p>It has not accepted events since {dateTime(failingSince)}.</p>
      )}
      {may('webhooks:write') && (
        <div class="row">
          {disabledAt !== null && (
            <Button class="small" onClick={() => void enable()}>
              Switch on
            </Button>
          )}
          {disabledAt === null && <TestButton endpointId={id} />}
          <Button class="quiet small" onClick={() => onOpen({ what: 'rotate', endpoint })}>
            Replace the secret
          </Button>
          <Button class="quiet small" onClick={() => onOpen({ what: 'delete', endpoint })}>
            Delete
          </Button>
        </div>
      )}
    </section>
  )
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const waitTurns = 20

/** The delivery once it was tried, or null if that takes longer than the person should wait. */
const findOutcome = async (endpointId: string, deliveryId: string): Promise<WebhookDelivery | null> => {
  for (let turn = 0; turn < waitTurns; turn++) {
    const { items } = await admin().listDeliveries({ endpointId, limit: 10 })
    const delivery = items.find(({ id }) => id === deliveryId)
    if (delivery?.lastAttempt) return delivery
    await pause(700)
  }
  return null
}

const wordOutcome = (delivery: WebhookDelivery | null) => {
  if (!delivery?.lastAttempt) return 'The test event waits to be sent. See what was sent for the result.'
  const { status, error, durationMs } = delivery.lastAttempt
  if (error === '') return `The endpoint accepted the test event with ${status}, in ${durationMs} ms.`
  return `The endpoint did not accept the test event: ${error}`
}

const TestButton = ({ endpointId }: { endpointId: string }) => {
  const [isBusy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState('')
  const run = async () => {
    setBusy(true)
    setOutcome('')
    try {
      const { deliveryId } = await admin().testWebhook({ endpointId })
      setOutcome(wordOutcome(await findOutcome(endpointId, deliveryId)))
    } catch (error) {
      setOutcome(wordProblem(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button class="quiet small" isBusy={isBusy} onClick={() => void run()}>
        {isBusy ? 'Sending a test event' : 'Send a test event'}
      </Button>
      <span class="outcome" role="status">
        {outcome}
      </span>
    </>
  )
}
