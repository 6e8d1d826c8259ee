import { PageHead } from '../parts/page-head.tsx'

export const SetupPage = () => <PageHead title="Set up your store" />
