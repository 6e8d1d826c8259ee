import Type, { type Static } from 'typebox'
import { named, nullable, page, pageCursor, pageLimit } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'
import { imageSizes } from '../catalog/catalog.contract.ts'

export const Download = named(
  'Download',
  Type.Object({
    id: Type.String(),
    orderId: Type.String(),
    orderNumber: Type.String(),
    productId: Type.String(),
    variantId: Type.String(),
    name: Type.String({ description: 'Name of the product' }),
    variant: Type.String(),
    image: Type.String(),
    imageSizes,
    fileName: Type.String({ description: 'Name of the file; empty if unknown' }),
    used: Type.Integer({ description: 'Number of times it was downloaded' }),
    mostUses: Type.Integer(),
    remaining: Type.Integer(),
    expiresAt: nullable(Type.String({ description: 'Null if it never expires' })),
    createdAt: Type.String(),
  }),
)
export type Download = Static<typeof Download>

const read = { method: 'GET', tag: 'Downloads', access: 'customer', scope: 'customer:read' } as const

export const downloadsContract = {
  listDownloads: endpoint({
    ...read,
    path: '/v1/downloads',
    summary: "List the customer's downloads",
    description: 'Newest first. Only files of orders that are paid and not refunded.',
    query: Type.Object({ limit: pageLimit, cursor: pageCursor }),
    ok: page(Download),
    example: {
      data: [
        {
          id: 'dl_01k8x0v3m7q2w9c4t6y8zk',
          orderId: 'ord_01k8x0v3m7q2w9c4t6y8za',
          orderNumber: '1001',
          productId: 'prod_01k8x0v3m7q2w9c4t6y8zc',
          variantId: 'var_01k8x0v3m7q2w9c4t6y8zd',
          name: 'Chai at home',
          variant: '',
          image: 'http://localhost:3000/demo/images/chai-ebook.svg',
          fileName: 'Chai at Home.pdf',
          used: 1,
          mostUses: 5,
          remaining: 4,
          expiresAt: null,
          createdAt: '2026-11-15T09:32:10.000Z',
        },
      ],
      nextCursor: null,
      hasMore: false,
    },
  }),
  useDownload: endpoint({
    ...read,
    path: '/v1/downloads/{id}',
    head: false,
    summary: 'Get the link to a file',
    description:
      'Redirects to a link that works without a key for ten minutes. Counts as one use. 410 if the download is used up, has expired, or was refunded.',
    params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
    ok: null,
    okStatus: 302,
    headers: ['location'],
    errors: ['NOT_FOUND', 'GONE'],
  }),
  makeDownloadLink: endpoint({
    ...read,
    method: 'POST',
    path: '/v1/downloads/{id}/link',
    summary: 'Get the link to a file as JSON',
    description:
      'Returns the same link and counts as one use. For pages, because a browser does not show scripts the target of a redirect.',
    params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
    ok: named(
      'DownloadLink',
      Type.Object({
        url: Type.String({ description: 'Works without a key' }),
        expiresAt: Type.String({ description: 'In ten minutes' }),
      }),
    ),
    okStatus: 201,
    errors: ['NOT_FOUND', 'GONE'],
    example: {
      url: 'http://localhost:3000/downloads/dlk_c3RvcmVfMDFrOHgw.4Jx0bV2m',
      expiresAt: '2026-11-15T09:42:10.000Z',
    },
  }),
}
