import type { Answer } from '../../http/endpoint.ts'
import { writeOnceByAuthor } from '../access/idempotency.ts'
import { etagOf } from '../admin-etag.ts'
import { type AdminCtx, adminRoutes } from '../context.ts'
import { archiveProduct, changeProduct, createProduct, duplicateProduct } from './edit-products.ts'
import { changeVariant, createVariant } from './edit-variants.ts'
import { listProductsForAdmin } from './product-list.ts'
import { type AdminProduct, type AdminVariant, productsAdminContract } from './products.admin.contract.ts'
import {
  editableProduct,
  editableVariant,
  findVariantOf,
  readWholeProduct,
  showVariant,
  showWholeProduct,
} from './whole-products.ts'

const answerProduct = (body: AdminProduct) => ({ body, headers: { etag: etagOf(editableProduct(body)) } })
const answerVariant = (body: AdminVariant) => ({ body, headers: { etag: etagOf(editableVariant(body)) } })

export const productAdminRoutes = adminRoutes(productsAdminContract, {
  adminListProducts: ({ ctx, query }) => listProductsForAdmin(ctx, query),
  adminCreateProduct: ({ ctx, body }) =>
    createOnce(ctx, 'adminCreateProduct', body, async (tx) => createProduct(tx, ctx, body)),
  adminGetProduct: async ({ ctx, params }) =>
    answerProduct(showWholeProduct(ctx, await readWholeProduct(ctx.db, ctx, params.productId))),
  adminUpdateProduct: async ({ ctx, params, body }) =>
    answerProduct(await ctx.db.tx((tx) => changeProduct(tx, ctx, params.productId, body))),
  adminArchiveProduct: async ({ ctx, params }) => {
    await ctx.db.tx((tx) => archiveProduct(tx, ctx, params.productId))
    return { body: null }
  },
  adminDuplicateProduct: ({ ctx, params, body = {} }) =>
    createOnce(ctx, 'adminDuplicateProduct', [params.productId, body], (tx) =>
      duplicateProduct(tx, ctx, params.productId, body),
    ),
  adminListVariants: async ({ ctx, params }) => {
    const product = await readWholeProduct(ctx.db, ctx, params.productId)
    return { body: { data: product.variants.map((variant) => showVariant(ctx, product, variant)) } }
  },
  adminCreateVariant: ({ ctx, params, body }) =>
    writeOnceByAuthor<AdminVariant>(ctx, {
      route: 'adminCreateVariant',
      request: [params.productId, body],
      write: async (tx) => answerVariant(await createVariant(tx, ctx, params.productId, body)),
      refer: ({ productId, id }) => `${productId} ${id}`,
      readAgain: async (tx, ref) => {
        const [productId = '', variantId = ''] = ref.split(' ')
        const product = await readWholeProduct(tx, ctx, productId)
        return answerVariant(showVariant(ctx, product, findVariantOf(product, variantId)))
      },
    }),
  adminGetVariant: async ({ ctx, params }) => {
    const product = await readWholeProduct(ctx.db, ctx, params.productId)
    return answerVariant(showVariant(ctx, product, findVariantOf(product, params.variantId)))
  },
  adminUpdateVariant: async ({ ctx, params, body }) => {
    const named = { product: params.productId, variantId: params.variantId }
    return answerVariant(await ctx.db.tx((tx) => changeVariant(tx, ctx, named, body)))
  },
})

type Create = Parameters<typeof writeOnceByAuthor<AdminProduct>>[1]

const createOnce = (
  ctx: AdminCtx,
  route: string,
  request: unknown,
  create: (tx: Parameters<Create['write']>[0]) => Promise<AdminProduct>,
): Promise<Answer<AdminProduct>> =>
  writeOnceByAuthor<AdminProduct>(ctx, {
    ...{ route, request },
    write: async (tx) => answerProduct(await create(tx)),
    refer: ({ id }) => id,
    readAgain: async (tx, id) => answerProduct(showWholeProduct(ctx, await readWholeProduct(tx, ctx, id))),
  })
