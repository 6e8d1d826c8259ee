import { writeOnceByAuthor } from '../access/idempotency.ts'
import { etagOf, requireMatch, withEtag } from '../admin-etag.ts'
import { answerList } from '../admin-list.ts'
import { listPictureUses } from '../catalog/product-media.sql.ts'
import { adminRoutes } from '../context.ts'
import { mediaAdminContract } from './media.admin.contract.ts'
import { countMedia, listMedia } from './media.sql.ts'
import { changePicture, deletePicture, finishUpload, readPicture, storePicture } from './media.ts'
import { showMedium } from './show-medium.ts'

const maxUsesShown = 100

export const mediaAdminRoutes = adminRoutes(mediaAdminContract, {
  adminListMedia: ({ ctx, query }) => {
    const filter = { q: query.q ?? null }
    return answerList(ctx, 'media', query, {
      read: (position, limit) =>
        listMedia(ctx.db, ctx.store.id, filter, {
          ...{ before: position === undefined ? null : String(position[0]), limit },
        }),
      count: (limit) => countMedia(ctx.db, ctx.store.id, filter, limit),
      positionOf: ({ id }) => [id],
      show: (row) => showMedium(ctx, row),
    })
  },
  adminUploadMedia: async ({ ctx, body, file }) => {
    const { id, hash } = await storePicture(ctx, file)
    return writeOnceByAuthor(ctx, {
      route: 'adminUploadMedia',
      request: { ...body, hash },
      write: async (tx) => {
        const { medium, isNew } = await finishUpload(tx, ctx, id, body)
        return { body: showMedium(ctx, medium), status: isNew ? 201 : 200 }
      },
      refer: (medium) => medium.id,
      readAgain: async (tx, mediaId) => ({ body: showMedium(ctx, await readPicture(tx, ctx.store, mediaId)) }),
    })
  },
  adminShowMedium: async ({ ctx, params }) => {
    const row = await readPicture(ctx.db, ctx.store, params.mediaId)
    const medium = showMedium(ctx, row)
    const uses = await listPictureUses(ctx.db, ctx.store.id, row.path, maxUsesShown)
    return { body: { ...medium, uses }, headers: { etag: etagOf(medium) } }
  },
  adminChangeMedium: async ({ ctx, params, body }) =>
    withEtag(
      showMedium(
        ctx,
        await ctx.db.tx((tx) =>
          changePicture(tx, ctx, params.mediaId, body, (before) => requireMatch(ctx, showMedium(ctx, before))),
        ),
      ),
    ),
  adminDeleteMedium: async ({ ctx, params }) => {
    await ctx.db.tx((tx) => deletePicture(tx, ctx, params.mediaId))
    return { body: null }
  },
})
