import { type ComponentChildren, Fragment } from 'preact'
import { session } from '../session.ts'
import { SignInForm } from './sign-in.tsx'
import { Heading, Skeleton } from './states.tsx'

/** Asks a guest to sign in right here, and then shows what was asked for. */
export const CustomerOnly = ({ title, children }: { title: string; children: ComponentChildren }) => {
  const known = session.value
  if (known === null) return <Skeleton lines={4} />
  // Another customer gets a page of their own: nothing that the one before saw or typed stays on it.
  if (known.customerId !== null) return <Fragment key={known.customerId}>{children}</Fragment>
  return (
    <div class="narrow">
      <Heading title={title} />
      <p class="lead">Please sign in to see this page.</p>
      <SignInForm />
    </div>
  )
}

const pages = [
  ['/account', 'Account'],
  ['/orders', 'Orders'],
  ['/addresses', 'Addresses'],
  ['/downloads', 'Downloads'],
] as const

export const AccountNav = ({ current }: { current: (typeof pages)[number][0] }) => (
  <nav class="tabs" aria-label="Account">
    {pages.map(([address, name]) => (
      <a key={address} href={address} aria-current={address === current ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </nav>
)
