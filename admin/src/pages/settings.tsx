import { PageHead } from '../parts/page-head.tsx'

export const SettingsPage = () => <PageHead title="Settings" />
