import { PageHead } from '../parts/page-head.tsx'

export const NewProductPage = () => <PageHead title="New product" />
