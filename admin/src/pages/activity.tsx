import { PageHead } from '../parts/page-head.tsx'

export const ActivityPage = () => <PageHead title="Activity" />
