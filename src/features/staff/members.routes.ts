import { readInstant } from '../../core/period.ts'
import { adminRoutes } from '../context.ts'
import { membersContract } from './members.contract.ts'
import { addMember, changeRole, inviteAgain, limitInvitations, listStaff, removeMember } from './members.ts'
import { createToken, listTokensOf, revokeToken } from './tokens.ts'

export const memberRoutes = adminRoutes(membersContract, {
  adminListStaff: async ({ ctx }) => ({ body: { data: await listStaff(ctx.db, ctx.store) } }),
  adminAddStaff: async ({ ctx, body }) => {
    await limitInvitations(ctx)
    return { body: await addMember(ctx, ctx, ctx.by, body, ctx.permissions) }
  },
  adminUpdateStaff: async ({ ctx, params, body }) => ({
    body: await changeRole(ctx.db, ctx, ctx.by, params.staffId, body.role, ctx.permissions),
  }),
  adminRemoveStaff: async ({ ctx, params }) => {
    await removeMember(ctx.db, ctx, ctx.by, params.staffId, ctx.permissions)
    return { body: null }
  },
  adminInviteStaff: async ({ ctx, params }) => {
    await limitInvitations(ctx)
    return { body: await inviteAgain(ctx, ctx, ctx.by, params.staffId, ctx.permissions) }
  },
  adminListTokens: async ({ ctx }) => ({ body: { data: await listTokensOf(ctx.db, ctx.store) } }),
  adminCreateToken: async ({ ctx, body: { expiresAt, ...wanted } }) => {
    const expiry = expiresAt === undefined ? {} : { expiresAt: readInstant('expiresAt', expiresAt) }
    return { body: await createToken(ctx, ctx, ctx.by, { ...wanted, ...expiry }, ctx.permissions) }
  },
  adminRevokeToken: async ({ ctx, params }) => {
    await revokeToken(ctx.db, ctx, ctx.by, params.tokenId)
    return { body: null }
  },
})
