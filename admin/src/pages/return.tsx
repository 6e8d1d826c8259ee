import { PageHead } from '../parts/page-head.tsx'

export const ReturnPage = () => <PageHead title="Return" />
