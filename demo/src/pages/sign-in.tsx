import { useEffect, useState } from 'preact/hooks'
import { navigate, route } from '../../../ui/router.ts'
import { Heading } from '../../../ui/states.tsx'
import { SignInForm } from '../parts/sign-in.tsx'
import { session } from '../session.ts'

export const SignInPage = () => {
  const { query } = route.value
  const [isNew, setNew] = useState(false)
  const isSignedIn = Boolean(session.value?.customerId)
  // Only a path of this shop, so that a link cannot redirect to another site.
  const wanted = query.get('next') ?? ''
  const next = /^\/(?![/\\])/.test(wanted) ? wanted : '/account'
  useEffect(() => {
    if (isSignedIn) navigate(next, { replace: true })
  }, [isSignedIn, next])
  return (
    <div class="narrow">
      <Heading title={isNew ? 'Create an account' : 'Sign in'} />
      <p class="lead">
        {isNew
          ? 'Choose a password. Your cart and wishlist come along.'
          : 'Use a code that we send you, or your password.'}
      </p>
      <SignInForm onForm={setNew} />
    </div>
  )
}
