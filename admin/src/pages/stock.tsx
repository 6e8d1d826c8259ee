import { PageHead } from '../parts/page-head.tsx'

export const StockPage = () => <PageHead title="Stock" />
