import { useEffect, useRef, useState } from 'preact/hooks'
import { PasswordField, TextField } from '../../../ui/fields.tsx'
import { Button, Problem } from '../../../ui/states.tsx'
import { isVitrineError, type StaffSession, staff } from '../api.ts'
import { wordProblem } from '../format.ts'

/** Asks for the code of the second factor only when the service does. */
export const SignInForm = ({
  email: given = '',
  onEntered,
}: {
  email?: string
  onEntered: (session: StaffSession) => void
}) => {
  const [email, setEmail] = useState(given)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [needsCode, setNeedsCode] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)

  const submit = async (event: Event) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setProblem(null)
    try {
      onEntered(await staff.signIn({ email, password, ...(needsCode ? { code } : {}) }))
    } catch (error) {
      if (isVitrineError(error) && error.code === 'SECOND_FACTOR_REQUIRED') setNeedsCode(true)
      else setProblem(wordSignIn(error, needsCode))
    } finally {
      setBusy(false)
    }
  }
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (needsCode) form.current?.querySelector<HTMLInputElement>('[name=code]')?.focus()
  }, [needsCode])
  return (
    <form class="form" ref={form} onSubmit={submit}>
      <TextField
        {...{ type: 'email', label: 'Email', name: 'email', autocomplete: 'username', required: true, maxLength: 254 }}
        value={email}
        onInput={setEmail}
      />
      <PasswordField label="Password" name="password" required value={password} onInput={setPassword} />
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
        Sign in
      </Button>
    </form>
  )
}

const wordSignIn = (error: unknown, withCode: boolean) => {
  if (isVitrineError(error) && error.status === 401) {
    return withCode ? 'The email, the password or the code is wrong.' : 'The email or the password is wrong.'
  }
  return wordProblem(error)
}
