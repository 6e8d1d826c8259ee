import { adminRoutes } from '../context.ts'
import { changeOwnPassword, limitForgotten, sendResetLink, setPassword, signInByLink } from './links.ts'
import { endOwnSession, endSessionsElsewhere, renameSelf } from './own-account.ts'
import { finishSecondFactor, removeSecondFactor, startSecondFactor } from './second-factor.ts'
import { sessionContract } from './session.contract.ts'
import { listOwnSessions, type OpenedStaffSession, readOwnSession, signOutStaff, writeCookie } from './sessions.ts'
import { signInStaff } from './sign-in.ts'

export type SessionRouteOptions = {
  secureCookies: boolean
  /** Reports work that failed after its answer was sent. */
  onFailure(error: unknown): void
}

export const sessionRoutes = ({ secureCookies, onFailure }: SessionRouteOptions) => {
  const signedIn = ({ token, shown }: OpenedStaffSession) => ({
    body: shown,
    headers: { 'set-cookie': writeCookie(token, secureCookies) },
  })
  return adminRoutes(sessionContract, {
    adminSignIn: async ({ ctx, body }) => signedIn(await signInStaff(ctx, body)),
    adminSignInByLink: async ({ ctx, body }) => signedIn(await signInByLink(ctx, body)),
    adminGetSession: async ({ ctx }) => ({ body: await readOwnSession(ctx) }),
    adminSignOut: async ({ ctx }) => {
      await signOutStaff(ctx)
      return { body: null, headers: { 'set-cookie': writeCookie(null, secureCookies) } }
    },
    adminForgotPassword: async ({ ctx, body }) => {
      await limitForgotten(ctx, body)
      // Answered first, so that the time does not tell whether the address belongs to a staff member.
      setImmediate(() => sendResetLink(ctx, body).catch(onFailure))
      return { body: {} }
    },
    adminSetPassword: async ({ ctx, body }) => signedIn(await setPassword(ctx, body)),
    adminGetMe: async ({ ctx }) => ({ body: await readOwnSession(ctx) }),
    adminUpdateMe: async ({ ctx, body }) => ({ body: await renameSelf(ctx, body.name) }),
    adminChangePassword: async ({ ctx, body }) => {
      await changeOwnPassword(ctx, body)
      return { body: {} }
    },
    adminListSessions: async ({ ctx }) => ({ body: { data: await listOwnSessions(ctx) } }),
    adminEndSession: async ({ ctx, params }) => {
      await endOwnSession(ctx, params.sessionId)
      return { body: null }
    },
    adminEndOtherSessions: async ({ ctx }) => ({ body: await endSessionsElsewhere(ctx) }),
    adminStartSecondFactor: async ({ ctx, body }) => ({ body: await startSecondFactor(ctx, body) }),
    adminConfirmSecondFactor: async ({ ctx, body }) => ({ body: await finishSecondFactor(ctx, body) }),
    adminRemoveSecondFactor: async ({ ctx, body }) => {
      await removeSecondFactor(ctx, body)
      return { body: {} }
    },
  })
}
