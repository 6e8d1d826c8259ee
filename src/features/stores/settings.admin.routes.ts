import { withEtag } from '../admin-etag.ts'
import { adminRoutes } from '../context.ts'
import { settingsContract } from './settings.admin.contract.ts'
import { changeSettings, readSettings } from './settings.ts'

export const settingsRoutes = adminRoutes(settingsContract, {
  adminGetSettings: async ({ ctx }) => withEtag(await readSettings(ctx)),
  adminUpdateSettings: async ({ ctx, body }) => withEtag(await changeSettings(ctx, body)),
})
