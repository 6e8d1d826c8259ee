import { PageHead } from '../parts/page-head.tsx'

export const StaffPage = () => <PageHead title="Staff" />
