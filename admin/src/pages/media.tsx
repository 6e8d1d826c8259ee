import { PageHead } from '../parts/page-head.tsx'

export const MediaPage = () => <PageHead title="Media" />
