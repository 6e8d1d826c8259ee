import { Empty } from '../../../ui/states.tsx'
import { PageHead } from './page-head.tsx'

/** For a screen that was opened by its address. The menu does not show it. */
export const NotAllowed = ({ title }: { title: string }) => (
  <>
    <PageHead title={title} />
    <Empty title="Your role does not allow this">
      <p>Ask an owner of the store if you need it.</p>
    </Empty>
  </>
)
