import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { CheckIcon } from '../../../ui/icons.tsx'
import { Heading, Problem, Waiting } from '../../../ui/states.tsx'
import { useLinkToken } from '../parts/link-token.ts'
import { session } from '../session.ts'
import { isVitrineError, shop } from '../shop.ts'

type Outcome =
  | { kind: 'waiting' | 'gone' | 'taken' }
  | { kind: 'confirmed' | 'known'; email: string }
  | { kind: 'failed'; error: unknown }

/** Where the link of the mail leads. It needs no session, because the mail may be read on another device. */
export const VerifyEmailPage = () => {
  const { token, dropToken } = useLinkToken('verify-token')
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'waiting' })
  const [round, setRound] = useState(0)
  // `round` is a dependency because a new number requests another try.
  useEffect(() => {
    if (token === '') return
    setOutcome({ kind: 'waiting' })
    shop.verifyEmail({ token }).then(
      ({ email }) => {
        setOutcome({ kind: 'confirmed', email })
        dropToken()
      },
      async (error) => {
        const failure = await readFailure(error)
        setOutcome(failure)
        if (failure.kind !== 'failed') dropToken()
      },
    )
  }, [token, round])
  return (
    <div class="narrow settled" aria-live="polite">
      <OutcomeText outcome={outcome} hasToken={token !== ''} onRetry={() => setRound(round + 1)} />
    </div>
  )
}

const readFailure = async (error: unknown): Promise<Outcome> => {
  if (isVitrineError(error, 'GONE')) {
    const email = await readConfirmedEmail().catch(() => null)
    return email === null ? { kind: 'gone' } : { kind: 'known', email }
  }
  if (isVitrineError(error, 'CONFLICT')) return { kind: 'taken' }
  return { kind: 'failed', error }
}

/** That of the customer who is signed in. Links are opened twice by double clicks and by programs that scan mail. */
const readConfirmedEmail = async () => {
  if (!(await shop.session())?.customerId) return null
  const { email, emailVerified } = await shop.showCustomer()
  return emailVerified ? email : null
}

const OutcomeText = ({ outcome, hasToken, onRetry }: { outcome: Outcome; hasToken: boolean; onRetry: () => void }) => {
  switch (outcome.kind) {
    case 'confirmed':
      return (
        <>
          <span class="settled-mark" aria-hidden="true">
            <CheckIcon />
          </span>
          <Heading title="Your e-mail address is confirmed" />
          <p class="lead">Thank you. We will write to {outcome.email} about your orders.</p>
          <NextStep />
        </>
      )
    case 'known':
      return (
        <NotConfirmed title="Your e-mail address is already confirmed">
          We will write to {outcome.email} about your orders.
        </NotConfirmed>
      )
    case 'gone':
      return (
        <NotConfirmed title="This link no longer works">
          It has expired, was used, or was replaced. You can ask for a new one in your account.
        </NotConfirmed>
      )
    case 'taken':
      return (
        <NotConfirmed title="This address has another account">
          Another account uses this e-mail address. If it is yours, sign in to it.
        </NotConfirmed>
      )
    case 'failed':
      return (
        <>
          <Heading title="Confirm your e-mail address" />
          <Problem error={outcome.error} onRetry={onRetry} />
        </>
      )
    case 'waiting':
      if (!hasToken) {
        return (
          <NotConfirmed title="This link is incomplete">
            Please open the link in your mail again. You can ask for a new one in your account.
          </NotConfirmed>
        )
      }
      return (
        <>
          <Heading title="Confirm your e-mail address" />
          <Waiting text="Confirming" />
        </>
      )
  }
}

const NotConfirmed = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <>
    <Heading title={title} />
    <p class="lead">{children}</p>
    <NextStep />
  </>
)

const NextStep = () => (
  <p class="row centred">
    <a class="button" href="/account">
      {session.value?.customerId ? 'Go to your account' : 'Sign in'}
    </a>
    <a class="button quiet" href="/">
      Go to the shop
    </a>
  </p>
)
