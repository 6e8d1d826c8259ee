import { PageHead } from '../parts/page-head.tsx'

export const ReportsPage = () => <PageHead title="Reports" />
