import Type from 'typebox'
import { countedPage, named, pageCursor, pageLimit } from '../../http/schema.ts'
import { adminEndpoint, storeParams } from '../access/admin.contract.ts'
import { Menu } from '../catalog/store.contract.ts'

const Outlet = named(
  'Outlet',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    isDefault: Type.Boolean({ description: 'Used by shoppers who choose none' }),
    createdAt: Type.String({ format: 'date-time' }),
  }),
)
const exampleOutlet = {
  ...{ id: 'outlet_01k8x0v3m7q2w9c4t6y8zf', name: 'Pune (Camp)', isDefault: false },
  createdAt: '2026-11-17T09:30:00.000Z',
}
const name = Type.String({ minLength: 1, maxLength: 200 })

/** Three explicit levels, as in the menu of the storefront. */
const menuItem = (children: object) => ({
  type: 'object',
  required: ['label', 'type', 'target'],
  properties: {
    label: { type: 'string', minLength: 1, maxLength: 200 },
    type: { type: 'string', enum: ['category', 'product', 'page', 'link'] },
    target: { type: 'string', maxLength: 2000, description: 'A slug or an id, a path, or a URL' },
    children: { type: 'array', maxItems: 100, ...children },
  },
})
const menuBranch = menuItem({ items: menuItem({ maxItems: 0 }) })
const MenuChange = Type.Object({
  items: Type.Unsafe<object[]>({ type: 'array', maxItems: 100, items: menuItem({ items: menuBranch }) }),
})
const exampleMenu = {
  items: [{ id: 'menu_01k8x0v3m7q2w9c4t6y8zg', label: 'Kitchen', type: 'category', target: 'kitchen', children: [] }],
}

const store = '/admin/v1/stores/{storeId}'
const path = `${store}/outlets`
const reads = { access: 'store', permission: 'catalog:read' } as const
const writes = { access: 'store', permission: 'catalog:write' } as const
const outletParams = Type.Object({ ...storeParams.properties, outletId: Type.String({ minLength: 1, maxLength: 100 }) })

export const outletsAdminContract = {
  adminListOutlets: adminEndpoint({
    ...{ ...reads, tag: 'Outlets', method: 'GET', path, params: storeParams },
    summary: 'List the outlets of the store, oldest first',
    query: Type.Object({ limit: pageLimit, cursor: pageCursor }),
    ok: countedPage(Outlet),
    example: { data: [exampleOutlet], nextCursor: null, hasMore: false, total: 1, totalIsExact: true },
  }),
  adminCreateOutlet: adminEndpoint({
    ...{ ...writes, tag: 'Outlets', method: 'POST', path, params: storeParams, once: true },
    summary: 'Create an outlet',
    description: 'It sells all products of the store, with its own stock and prices.',
    body: Type.Object({ name }),
    ok: Outlet,
    okStatus: 201,
    headers: ['etag'],
    example: exampleOutlet,
  }),
  adminGetOutlet: adminEndpoint({
    ...{ ...reads, tag: 'Outlets', method: 'GET', path: `${path}/{outletId}`, params: outletParams },
    summary: 'Read an outlet',
    ok: Outlet,
    headers: ['etag'],
    errors: ['NOT_FOUND'],
    example: exampleOutlet,
  }),
  adminUpdateOutlet: adminEndpoint({
    ...{ ...writes, tag: 'Outlets', method: 'PATCH', path: `${path}/{outletId}`, params: outletParams },
    summary: 'Rename an outlet, or make it the default',
    body: Type.Object({
      name: Type.Optional(name),
      isDefault: Type.Optional(Type.Literal(true, { description: 'Another outlet is then no longer the default' })),
    }),
    ok: Outlet,
    headers: ['etag'],
    errors: ['NOT_FOUND'],
    example: { ...exampleOutlet, isDefault: true },
  }),
  adminDeleteOutlet: adminEndpoint({
    ...{ ...writes, tag: 'Outlets', method: 'DELETE', path: `${path}/{outletId}`, params: outletParams },
    summary: 'Delete an outlet that is not used',
    description: 'It must have no units in stock, no carts and no orders, and must not be the default.',
    ok: null,
    okStatus: 204,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  adminGetMenu: adminEndpoint({
    ...{ ...reads, tag: 'Menu', method: 'GET', path: `${store}/menu`, params: storeParams },
    summary: 'Read the navigation menu',
    ok: Menu,
    headers: ['etag'],
    example: exampleMenu,
  }),
  adminUpdateMenu: adminEndpoint({
    ...{ ...writes, tag: 'Menu', method: 'PATCH', path: `${store}/menu`, params: storeParams },
    summary: 'Replace the navigation menu',
    description: 'A menu has at most three levels.',
    body: MenuChange,
    ok: Menu,
    headers: ['etag'],
    example: exampleMenu,
  }),
}
