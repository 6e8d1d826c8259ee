import { PageHead } from '../parts/page-head.tsx'

export const CouponPage = () => <PageHead title="Coupon" />
