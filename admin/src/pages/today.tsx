import { PageHead } from '../parts/page-head.tsx'

export const TodayPage = () => <PageHead title="Today" />
