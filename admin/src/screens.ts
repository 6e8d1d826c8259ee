import { may, type Permission } from './session.ts'

export type ScreenLink = {
  path: string
  label: string
  /** One of several is enough. */
  permission: Permission | readonly Permission[] | null
  /** Screens that belong to this one, shown below it while one of them is open. */
  within?: readonly Omit<ScreenLink, 'within'>[]
}

/** The screens of a store in the order of the menu. */
const screenLinks: readonly ScreenLink[] = [
  { path: '', label: 'Today', permission: null },
  { path: 'orders', label: 'Orders', permission: 'orders:read' },
  { path: 'returns', label: 'Returns', permission: 'orders:read' },
  {
    ...{ path: 'products', label: 'Products', permission: 'catalog:read' },
    within: [
      { path: 'categories', label: 'Categories', permission: 'catalog:read' },
      { path: 'menu', label: 'Menu', permission: 'catalog:read' },
      { path: 'stock', label: 'Stock', permission: 'catalog:read' },
      { path: 'media', label: 'Media', permission: 'catalog:read' },
      { path: 'imports', label: 'Import and export', permission: 'jobs:write' },
    ],
  },
  { path: 'customers', label: 'Customers', permission: 'customers:read' },
  { path: 'coupons', label: 'Coupons', permission: 'catalog:read' },
  { path: 'reports', label: 'Reports', permission: 'reports:read' },
  { path: 'activity', label: 'Activity', permission: ['audit:read', 'settings:read', 'orders:read'] },
  {
    ...{ path: 'settings', label: 'Settings', permission: 'settings:read' },
    within: [{ path: 'setup', label: 'Setup', permission: 'settings:read' }],
  },
  { path: 'staff', label: 'Staff', permission: 'staff:write' },
]

const isAllowed = ({ permission }: ScreenLink) => permission === null || may(...[permission].flat())

/** Those that the person may open. */
export const screensOf = (): ScreenLink[] =>
  screenLinks
    .filter(isAllowed)
    .map((screen) => (screen.within ? { ...screen, within: screen.within.filter(isAllowed) } : screen))
