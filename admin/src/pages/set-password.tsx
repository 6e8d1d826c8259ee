import { useState } from 'preact/hooks'
import { NewPasswordField, TextField } from '../../../ui/fields.tsx'
import { navigate, route } from '../../../ui/router.ts'
import { Button, Heading, Problem } from '../../../ui/states.tsx'
import { isVitrineError, staff } from '../api.ts'
import { wordProblem } from '../format.ts'
import { enter } from '../session.ts'

/** The page that invitations and reset links lead to. */
export const SetPasswordPage = () => {
  const [token] = useState(() => route.value.query.get('token') ?? '')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [needsCode, setNeedsCode] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [isGone, setGone] = useState(token === '')
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setProblem(null)
    try {
      enter(await staff.setPassword({ token, password, ...(needsCode ? { code } : {}) }))
      navigate('/admin', { replace: true })
    } catch (error) {
      if (isVitrineError(error) && error.code === 'SECOND_FACTOR_REQUIRED') setNeedsCode(true)
      else if (isVitrineError(error) && error.code === 'GONE') setGone(true)
      else setProblem(isVitrineError(error) && error.status === 401 ? 'The code is wrong.' : wordProblem(error))
    } finally {
      setBusy(false)
    }
  }
  if (isGone) {
    return (
      <div class="card">
        <Heading title="This link is no longer valid" />
        <p>It was used already, or it is too old.</p>
        <p>
          <a href="/admin/forgot-password">Ask for a new link</a>
        </p>
      </div>
    )
  }
  return (
    <div class="card">
      <Heading title="Choose a password" />
      <form class="form" onSubmit={submit}>
        <NewPasswordField label="New password" name="password" value={password} onInput={setPassword} />
        {needsCode && (
          <TextField
            {...{ label: 'Code', name: 'code', autocomplete: 'one-time-code', required: true, maxLength: 20 }}
            help="The six digits that your app shows, or a recovery code."
            value={code}
            onInput={setCode}
          />
        )}
        {problem !== null && <Problem text={problem} />}
        <Button type="submit" class="wide" isBusy={isBusy}>
          Save and sign in
        </Button>
      </form>
    </div>
  )
}
