import type { Staff } from '../api.ts'
import type { Permission } from '../session.ts'

export type Role = Staff['role']

/** What a role is called, and what it may do. */
export const roleWords: Record<Role, [name: string, may: string]> = {
  owner: ['Owner', 'May do everything, also change staff, connect payments and erase customers.'],
  manager: [
    'Manager',
    'Runs the whole store, but cannot change staff, payment accounts or tokens, nor erase customers.',
  ],
  fulfilment: ['Fulfilment', 'Sees products and orders, ships and delivers orders, and changes stock.'],
  support: [
    'Support',
    'Sees products, orders and customers, writes notes, handles returns, and refunds up to the limit in the settings.',
  ],
  viewer: ['Viewer', 'Sees everything except Activity and Staff, and changes nothing.'],
}

export const roleOptions = Object.entries(roleWords).map(([role, [name]]) => [role, name] as const)

export const isRole = (text: string): text is Role => text in roleWords

/** What a program may be allowed to do. */
export const permissionWords: Record<Permission, string> = {
  'catalog:read': 'See products, categories and coupons',
  'catalog:write': 'Change products and categories',
  'stock:write': 'Change stock',
  'orders:read': 'See orders',
  'orders:fulfil': 'Ship and deliver orders',
  'orders:support': 'Write notes, handle returns, small refunds',
  'orders:write': 'Change and cancel orders',
  'orders:refund': 'Refund orders',
  'customers:read': 'See and export customers',
  'customers:write': 'Change customers',
  'customers:erase': 'Erase customers',
  'coupons:write': 'Make and change coupons',
  'settings:read': 'See settings',
  'settings:write': 'Change settings',
  'secrets:write': 'Change payment accounts, keys and tokens',
  'staff:write': 'Change staff',
  'webhooks:write': 'Change webhooks',
  'jobs:write': 'Import and export products',
  'reports:read': 'See reports',
  'audit:read': 'See activity',
}

export const permissionNames = Object.keys(permissionWords) as Permission[]
