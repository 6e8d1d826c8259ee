import Type from 'typebox'
import { countedPage, named, oneOf, pageCursor, pageLimit } from '../../http/schema.ts'
import { adminEndpoint, storeParams } from '../access/admin.contract.ts'
import { ImageSize } from '../catalog/catalog.contract.ts'

/** Stored with the picture, and shown by screen readers. */
const alt = Type.String({ maxLength: 2000, description: 'Describes the picture to people who do not see it' })
const idText = Type.String({ minLength: 1, maxLength: 100 })

export const maxUploadBytes = 10 * 1024 * 1024

const mediumFields = {
  id: Type.String(),
  url: Type.String({ description: 'The picture in its own size, without the metadata of the camera' }),
  name: Type.String({ description: 'Name of the uploaded file' }),
  alt: Type.String(),
  type: Type.String({ description: 'Content type, such as `image/jpeg`' }),
  width: Type.Integer(),
  height: Type.Integer(),
  animated: Type.Boolean(),
  bytes: Type.Integer({ description: 'Of the picture with all its sizes' }),
  sizes: Type.Array(ImageSize, { description: 'In smaller widths, as WebP, smallest first' }),
  createdAt: Type.String({ format: 'date-time' }),
}

const Medium = named('Medium', Type.Object(mediumFields))

const MediumDetail = named(
  'MediumDetail',
  Type.Object({
    ...mediumFields,
    uses: Type.Array(
      Type.Object({
        kind: oneOf(['product', 'variant', 'category', 'logo']),
        id: Type.String(),
        name: Type.String(),
      }),
      { description: 'What shows the picture: at most 100 of each kind' },
    ),
  }),
)

const file = 'http://localhost:3000/media/store_01k8x0v3m7q2w9c4t6y8ze/9f86d081884c7d659a2feaa0c55ad015-1200x900'
const exampleMedium = {
  id: 'med_1m7mj220q32w1b1vwkvc69',
  url: `${file}.jpg`,
  name: 'teapot.jpg',
  alt: 'A green teapot',
  type: 'image/jpeg',
  width: 1200,
  height: 900,
  animated: false,
  bytes: 412_345,
  sizes: [
    { width: 160, height: 120, url: `${file}-160.webp` },
    { width: 480, height: 360, url: `${file}-480.webp` },
    { width: 960, height: 720, url: `${file}-960.webp` },
    { width: 1200, height: 900, url: `${file}-1200.webp` },
  ],
  createdAt: '2026-11-17T09:30:00.000Z',
}

const path = '/admin/v1/stores/{storeId}/media'
const tag = 'Media'
const reads = { tag, access: 'store', permission: 'catalog:read' } as const
const writes = { tag, access: 'store', permission: 'catalog:write' } as const
const mediaParams = Type.Object({ ...storeParams.properties, mediaId: idText })

export const mediaAdminContract = {
  adminListMedia: adminEndpoint({
    ...{ ...reads, method: 'GET', path, params: storeParams },
    summary: 'List pictures, newest first',
    query: Type.Object({
      q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name or the text' })),
      limit: pageLimit,
      cursor: pageCursor,
    }),
    ok: countedPage(Medium),
    example: { data: [exampleMedium], nextCursor: null, hasMore: false, total: 1, totalIsExact: true },
  }),
  adminUploadMedia: adminEndpoint({
    ...{ ...writes, method: 'POST', path, params: storeParams },
    summary: 'Upload a picture',
    description:
      'JPEG, PNG, WebP, AVIF or GIF, up to 10 MiB and 50 megapixels. With `productId` it becomes the last picture of that product. The same file again answers 200 with the picture that is there. A picture that nothing uses within a day is removed.',
    maxFileBytes: maxUploadBytes,
    body: Type.Object({ alt: Type.Optional(alt), productId: Type.Optional(idText) }),
    once: true,
    ok: Medium,
    okStatus: 201,
    otherStatus: 200,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: exampleMedium,
  }),
  adminShowMedium: adminEndpoint({
    ...{ ...reads, method: 'GET', path: `${path}/{mediaId}`, params: mediaParams },
    summary: 'Show a picture and what uses it',
    ok: MediumDetail,
    headers: ['etag'],
    errors: ['NOT_FOUND'],
    example: { ...exampleMedium, uses: [{ kind: 'product', id: 'prod_01k8x0v3m7q2w9c4t6y8za', name: 'Teapot' }] },
  }),
  adminChangeMedium: adminEndpoint({
    ...{ ...writes, method: 'PATCH', path: `${path}/{mediaId}`, params: mediaParams },
    summary: 'Change the text of a picture',
    description: 'Products keep the text that they have for the picture.',
    body: Type.Object({ alt: Type.Optional(alt) }),
    ok: Medium,
    headers: ['etag'],
    errors: ['NOT_FOUND'],
    example: exampleMedium,
  }),
  adminDeleteMedium: adminEndpoint({
    ...{ ...writes, method: 'DELETE', path: `${path}/{mediaId}`, params: mediaParams },
    summary: 'Delete a picture',
    description: 'Refused while a product, a variant, a category or the logo uses it. Orders keep showing it.',
    ok: null,
    okStatus: 204,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
}
