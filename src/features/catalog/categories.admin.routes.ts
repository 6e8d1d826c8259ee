import { writeOnceByAuthor } from '../access/idempotency.ts'
import { etagOf } from '../admin-etag.ts'
import { answerList } from '../admin-list.ts'
import { type AdminCtx, adminRoutes } from '../context.ts'
import { categoriesAdminContract } from './categories.admin.contract.ts'
import { countCategories, listCategoriesForAdmin } from './categories.sql.ts'
import {
  changeCategory,
  createCategory,
  deleteCategory,
  editableCategory,
  type ReadCategory,
  readCategoryRow,
  showCategory,
  withMediaIds,
} from './categories.ts'
import { wordsToFind } from './search-words.ts'

const answer = (ctx: AdminCtx, row: ReadCategory) => {
  const body = showCategory(ctx, row)
  return { body, headers: { etag: etagOf(editableCategory(body)) } }
}

export const categoryAdminRoutes = adminRoutes(categoriesAdminContract, {
  adminListCategories: ({ ctx, query }) => {
    const { db, store } = ctx
    const filter = { words: wordsToFind(query.q ?? '').map(({ text }) => text), parentId: query.parentId }
    return answerList(ctx, 'categories', query, {
      read: async (position, limit) =>
        withMediaIds(db, store, await listCategoriesForAdmin(db, store.id, filter, position, limit)),
      count: (limit) => countCategories(db, store.id, filter, limit),
      positionOf: ({ position, id }) => [position, id],
      show: (row) => showCategory(ctx, row),
    })
  },
  adminCreateCategory: ({ ctx, body }) =>
    writeOnceByAuthor(ctx, {
      ...{ route: 'adminCreateCategory', request: body },
      write: async (tx) => answer(ctx, await createCategory(tx, ctx, body)),
      refer: ({ id }) => id,
      readAgain: async (tx, id) => answer(ctx, await readCategoryRow(tx, ctx, id)),
    }),
  adminGetCategory: async ({ ctx, params }) => answer(ctx, await readCategoryRow(ctx.db, ctx, params.categoryId)),
  adminUpdateCategory: async ({ ctx, params, body }) =>
    answer(ctx, await ctx.db.tx((tx) => changeCategory(tx, ctx, params.categoryId, body))),
  adminDeleteCategory: async ({ ctx, params }) => {
    await ctx.db.tx((tx) => deleteCategory(tx, ctx, params.categoryId))
    return { body: null }
  },
})
