import { type ComponentChildren, Fragment } from 'preact'
import { Heading, Skeleton } from '../../../ui/states.tsx'
import { session } from '../session.ts'
import { SignInForm } from './sign-in.tsx'

/** Shows a guest the sign-in form, and a customer the page. */
export const CustomerOnly = ({ title, children }: { title: string; children: ComponentChildren }) => {
  const known = session.value
  if (known === null) return <Skeleton lines={4} />
  // The key resets the page for another customer, so that no data or input of the previous one remains.
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
