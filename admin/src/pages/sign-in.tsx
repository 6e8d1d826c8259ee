import { navigate, route } from '../../../ui/router.ts'
import { Heading } from '../../../ui/states.tsx'
import { SignInForm } from '../parts/sign-in-form.tsx'
import { enter } from '../session.ts'

/** Where to go after signing in: the page that asked for it, never another site. */
const nextPath = () => {
  const next = route.value.query.get('next') ?? ''
  return /^\/admin(\/|$)/.test(next) ? next : '/admin'
}

export const SignInPage = () => (
  <div class="card">
    <Heading title="Sign in" />
    <SignInForm
      onEntered={(session) => {
        enter(session)
        navigate(nextPath(), { replace: true })
      }}
    />
    <p class="apart-small">
      <a href="/admin/forgot-password">Forgot your password?</a>
    </p>
  </div>
)
