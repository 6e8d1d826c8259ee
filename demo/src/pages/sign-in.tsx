import { useEffect } from 'preact/hooks'
import { SignInForm } from '../parts/sign-in.tsx'
import { Heading } from '../parts/states.tsx'
import { navigate, place } from '../router.ts'
import { session } from '../session.ts'

export const SignInPage = () => {
  const { query } = place.value
  const isSignedIn = Boolean(session.value?.customerId)
  // Only a path of this shop, so that a link cannot send people elsewhere.
  const wanted = query.get('next') ?? ''
  const next = /^\/(?![/\\])/.test(wanted) ? wanted : '/account'
  useEffect(() => {
    if (isSignedIn) navigate(next, { replace: true })
  }, [isSignedIn, next])
  return (
    <div class="narrow">
      <Heading title="Sign in" />
      <p class="lead">With a code to your phone, or with your e-mail address and a password.</p>
      <SignInForm />
    </div>
  )
}
