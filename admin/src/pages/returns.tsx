import { PageHead } from '../parts/page-head.tsx'

export const ReturnsPage = () => <PageHead title="Returns" />
