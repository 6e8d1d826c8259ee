import { PageHead } from '../parts/page-head.tsx'

export const CustomersPage = () => <PageHead title="Customers" />
