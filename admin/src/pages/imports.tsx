import { PageHead } from '../parts/page-head.tsx'

export const ImportsPage = () => <PageHead title="Import and export" />
