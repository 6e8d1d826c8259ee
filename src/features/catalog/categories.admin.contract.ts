import Type, { type Static } from 'typebox'
import { countedPage, named, nullable, pageCursor, pageLimit } from '../../http/schema.ts'
import { adminEndpoint, storeParams } from '../access/admin.contract.ts'
import { Category } from './catalog.contract.ts'

const idText = Type.String({ minLength: 1, maxLength: 300 })
const fields = {
  slug: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  parentId: Type.Optional(nullable(Type.String({ maxLength: 100, description: 'Null: at the top' }))),
  image: Type.Optional(nullable(Type.String({ maxLength: 2000 }))),
  mediaId: Type.Optional(
    nullable(Type.String({ maxLength: 100, description: 'An uploaded picture, instead of `image`. Null: none' })),
  ),
  position: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Categories are listed in this order' }),
  ),
}
const name = Type.String({ minLength: 1, maxLength: 200 })
export const CategoryBody = Type.Object({ name, ...fields })
export type CategoryBody = Static<typeof CategoryBody>
export const CategoryChange = Type.Object({ name: Type.Optional(name), ...fields })
export type CategoryChange = Static<typeof CategoryChange>

export const AdminCategory = named(
  'AdminCategory',
  Type.Object({
    ...Category.properties,
    mediaId: nullable(Type.String({ description: 'The uploaded picture. Null if the image is elsewhere' })),
  }),
)
export type AdminCategory = Static<typeof AdminCategory>

const exampleCategory = {
  ...{ id: 'cat_01k8x0v3m7q2w9c4t6y8zc', name: 'Mugs and cups', slug: 'mugs-and-cups' },
  ...{ parentId: 'cat_01k8x0v3m7q2w9c4t6y8zd', image: '', mediaId: null, productCount: 4, position: 2 },
}

const path = '/admin/v1/stores/{storeId}/categories'
const tag = 'Categories'
const reads = { tag, access: 'store', permission: 'catalog:read' } as const
const writes = { tag, access: 'store', permission: 'catalog:write' } as const
const categoryParams = Type.Object({ ...storeParams.properties, categoryId: idText })

export const categoriesAdminContract = {
  adminListCategories: adminEndpoint({
    ...{ ...reads, method: 'GET', path, params: storeParams },
    summary: 'List categories in the order of their positions',
    query: Type.Object({
      q: Type.Optional(Type.String({ maxLength: 200, description: 'Words or word prefixes of the name' })),
      parentId: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Directly in this category' })),
      limit: pageLimit,
      cursor: pageCursor,
    }),
    ok: countedPage(AdminCategory),
    example: { data: [exampleCategory], nextCursor: null, hasMore: false, total: 1, totalIsExact: true },
  }),
  adminCreateCategory: adminEndpoint({
    ...{ ...writes, method: 'POST', path, params: storeParams, once: true },
    summary: 'Create a category',
    description: 'Without `position`, it is the last.',
    body: CategoryBody,
    ok: AdminCategory,
    okStatus: 201,
    headers: ['etag'],
    errors: ['CONFLICT'],
    example: exampleCategory,
  }),
  adminGetCategory: adminEndpoint({
    ...{ ...reads, method: 'GET', path: `${path}/{categoryId}`, params: categoryParams },
    summary: 'Read a category, by id or slug',
    ok: AdminCategory,
    headers: ['etag'],
    errors: ['NOT_FOUND'],
    example: exampleCategory,
  }),
  adminUpdateCategory: adminEndpoint({
    ...{ ...writes, method: 'PATCH', path: `${path}/{categoryId}`, params: categoryParams },
    summary: 'Change or move a category',
    description: '`parentId` and `position` move it. Searches find its products by its new name shortly afterwards.',
    body: CategoryChange,
    ok: AdminCategory,
    headers: ['etag'],
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: exampleCategory,
  }),
  adminDeleteCategory: adminEndpoint({
    ...{ ...writes, method: 'DELETE', path: `${path}/{categoryId}`, params: categoryParams },
    summary: 'Delete a category that is empty',
    description: 'Products of every status count, and categories in it.',
    ok: null,
    okStatus: 204,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
}
