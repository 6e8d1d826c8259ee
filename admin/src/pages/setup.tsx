import { CheckIcon } from '../../../ui/icons.tsx'
import { useLoad } from '../../../ui/load.ts'
import { Show } from '../../../ui/states.tsx'
import type { Setup } from '../api.ts'
import { PageHead } from '../parts/page-head.tsx'
import { SetupBar, useSetup } from '../parts/setup-progress.tsx'
import { admin, pathTo, store } from '../session.ts'

type Step = Setup['steps'][number]

/** What each step is called, and where it is done. The test order is made in the shop itself. */
const places: Record<Step['name'], { title: string; action: string; path: string }> = {
  storefront: { title: 'Connect your website', action: 'Add the address', path: 'settings/website' },
  payment: { title: 'Take payments', action: 'Set up payments', path: 'settings/payments' },
  shipping: { title: 'Say what shipping costs', action: 'Set the cost', path: 'settings/shipping' },
  tax: { title: 'Choose how tax works', action: 'Choose', path: 'settings/tax' },
  mail: { title: 'Let customers reply to mail', action: 'Set up mail', path: 'settings/mail' },
  product: { title: 'Add your first product', action: 'Add a product', path: 'products/new' },
  order: { title: 'Make a test order', action: 'Open your shop', path: '' },
}

export const SetupPage = () => {
  const { loaded, reload } = useSetup()
  return (
    <>
      <PageHead title="Set up your store" />
      <Show loaded={loaded} onRetry={reload}>
        {(setup) => (
          <>
            <SetupBar setup={setup} />
            <p class="lead">
              {setup.done === setup.steps.length
                ? 'Everything is ready. Pay for an order of your own with a real card, then refund it.'
                : 'Do these in any order. Each is ticked by itself as soon as it is done.'}
            </p>
            <ol class="steps">
              {setup.steps.map((step) => (
                <StepRow step={step} key={step.name} />
              ))}
            </ol>
          </>
        )}
      </Show>
    </>
  )
}

const StepRow = ({ step: { name, done, detail } }: { step: Step }) => {
  const { title, action, path } = places[name]
  return (
    <li class={`panel step ${done ? 'done' : ''}`}>
      <span class="step-mark" aria-hidden="true">
        {done && <CheckIcon />}
      </span>
      <div>
        <h2>
          {title}
          <span class="hidden">{done ? ', done' : ', to do'}</span>
        </h2>
        <p class="quiet-text">{detail}</p>
      </div>
      {name === 'order' ? (
        <ShopLink label={action} isDone={done} />
      ) : (
        <a class={`button small ${done ? 'quiet' : ''}`} href={pathTo(path)}>
          {done ? (name === 'product' ? 'Add another' : 'Change') : action}
          <span class="hidden">: {title}</span>
        </a>
      )}
    </li>
  )
}

const ShopLink = ({ label, isDone }: { label: string; isDone: boolean }) => {
  const { loaded } = useLoad(`${store.value?.id} domain`, async () => (await admin().getSettings()).domain)
  if (loaded.status !== 'ready') return null
  return (
    <a class={`button small ${isDone ? 'quiet' : ''}`} href={loaded.value} target="_blank" rel="noreferrer">
      {label}
    </a>
  )
}
