import { routes } from '../context.ts'
import { signIn, signUp } from './email.ts'
import { requestVerification, verifyEmail } from './email-verification.ts'
import { requestOtp, verifyOtp } from './otp.ts'
import { forgetPassword, resetPassword } from './password-reset.ts'
import { logOut, logOutEverywhere } from './sessions.ts'
import { signInContract } from './sign-in.contract.ts'

export const signInRoutes = routes(signInContract, {
  requestOtp: async ({ ctx, body }) => ({ body: await requestOtp(ctx, body) }),
  verifyOtp: async ({ ctx, body }) => ({ body: await verifyOtp(ctx, body) }),
  logOut: async ({ ctx }) => {
    await logOut(ctx)
    return { body: { success: true } }
  },
  logOutEverywhere: async ({ ctx }) => {
    await logOutEverywhere(ctx)
    return { body: { success: true } }
  },
  signUp: async ({ ctx, body }) => ({ body: await signUp(ctx, body) }),
  signIn: async ({ ctx, body }) => ({ body: await signIn(ctx, body) }),
  forgotPassword: async ({ ctx, body }) => {
    await forgetPassword(ctx, body)
    return { body: { success: true } }
  },
  resetPassword: async ({ ctx, body }) => ({ body: await resetPassword(ctx, body) }),
  verifyEmail: async ({ ctx, body }) => ({ body: await verifyEmail(ctx, body) }),
  requestVerification: async ({ ctx, body }) => {
    await requestVerification(ctx, body)
    return { body: { success: true } }
  },
})
