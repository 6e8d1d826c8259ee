import { PageHead } from '../parts/page-head.tsx'

export const NewCouponPage = () => <PageHead title="New coupon" />
