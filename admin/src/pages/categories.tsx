import { PageHead } from '../parts/page-head.tsx'

export const CategoriesPage = () => <PageHead title="Categories" />
