import { useEffect, useState } from 'preact/hooks'
import { changeQuery, navigate, route } from '../../../ui/router.ts'
import { Heading, Problem, Waiting } from '../../../ui/states.tsx'
import { isVitrineError, type StaffSession, staff } from '../api.ts'
import { wordProblem } from '../format.ts'
import { SignInForm } from '../parts/sign-in-form.tsx'
import { enter } from '../session.ts'

/** Where to go after signing in: the page that asked for it, never another site. */
const nextPath = () => {
  const next = route.value.query.get('next') ?? ''
  return /^\/admin(\/|$)/.test(next) ? next : '/admin'
}

const go = (session: StaffSession) => {
  enter(session)
  navigate(nextPath(), { replace: true })
}

/** A link with a token signs in by itself. Otherwise, and if it was used before, people type their password. */
export const SignInPage = () => {
  const [token] = useState(() => route.value.query.get('token'))
  const [isTrying, setTrying] = useState(token !== null)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    if (token === null) return
    // The token leaves the address, so that it is in no bookmark.
    changeQuery({ token: null })
    staff
      .signInByLink({ token })
      .then(go, (error) => {
        const isGone = isVitrineError(error) && error.code === 'GONE'
        setProblem(isGone ? 'This link was used already, or it is too old.' : wordProblem(error))
      })
      .finally(() => setTrying(false))
  }, [token])
  if (isTrying) return <Waiting text="Signing in" />
  return <SignInCard problem={problem} />
}

const SignInCard = ({ problem }: { problem: string | null }) => (
  <div class="card">
    <Heading title="Sign in" />
    {problem !== null && <Problem text={problem} />}
    <SignInForm onEntered={go} />
    <p class="apart-small">
      <a href="/admin/forgot-password">Forgot your password?</a>
    </p>
  </div>
)
