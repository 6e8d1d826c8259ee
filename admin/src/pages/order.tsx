import { PageHead } from '../parts/page-head.tsx'

export const OrderPage = () => <PageHead title="Order" />
