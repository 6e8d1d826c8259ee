import { PageHead } from '../parts/page-head.tsx'

export const CouponsPage = () => <PageHead title="Coupons" />
