import { useLoad } from '../../../ui/load.ts'
import type { Setup } from '../api.ts'
import { counted } from '../format.ts'
import { admin, pathTo, store } from '../session.ts'
import { useLive } from './live.ts'

/** The checklist of the store, read again every few seconds. */
export const useSetup = () => {
  const { loaded, reload } = useLoad(`${store.value?.id} setup`, () => admin().getSetup())
  useLive(reload)
  return { loaded, reload }
}

export const SetupBar = ({ setup: { done, steps } }: { setup: Setup }) => (
  <div class="setup-bar">
    <span role="status">
      {done} of {steps.length} done
    </span>
    <progress aria-label="Steps done" value={done} max={steps.length} />
  </div>
)

/** On other screens: what is left to do, until nothing is. */
export const SetupProgress = () => {
  const { loaded } = useSetup()
  if (loaded.status !== 'ready' || loaded.value.done === loaded.value.steps.length) return null
  const { done, steps } = loaded.value
  return (
    <section class="panel setup-note" aria-label="Setup">
      <div>
        <h2>Set up your store</h2>
        <p class="quiet-text">{counted(steps.length - done, 'step')} left before your first real payment.</p>
      </div>
      <SetupBar setup={loaded.value} />
      <a class="button quiet" href={pathTo('setup')}>
        Open the checklist
      </a>
    </section>
  )
}
