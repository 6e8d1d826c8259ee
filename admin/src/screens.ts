import { may, type Permission } from './session.ts'

export type ScreenLink = { path: string; label: string; permission: Permission | null }

/** The screens of a store in the order of the menu. */
const screenLinks: readonly ScreenLink[] = [{ path: 'orders', label: 'Orders', permission: 'orders:read' }]

/** Those that the person may open. */
export const screensOf = (): ScreenLink[] =>
  screenLinks.filter(({ permission }) => permission === null || may(permission))
