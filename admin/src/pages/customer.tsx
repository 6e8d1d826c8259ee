import { PageHead } from '../parts/page-head.tsx'

export const CustomerPage = () => <PageHead title="Customer" />
