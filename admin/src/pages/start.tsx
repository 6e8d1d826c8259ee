import { useEffect } from 'preact/hooks'
import { navigate } from '../../../ui/router.ts'
import { Empty, Heading } from '../../../ui/states.tsx'
import { session } from '../session.ts'

/** Goes to the only store, or lets the person choose one. */
export const StartPage = () => {
  const stores = session.value?.stores ?? []
  const [only] = stores
  useEffect(() => {
    if (only !== undefined && stores.length === 1) navigate(`/admin/${only.id}`, { replace: true })
  }, [only, stores.length])
  if (stores.length === 0) {
    return (
      <Empty title="You do not work in any store">
        <p>Ask the owner of the store to add you to its staff.</p>
      </Empty>
    )
  }
  return (
    <>
      <Heading title="Your stores" />
      <ul class="choices">
        {stores.map(({ id, name, role }) => (
          <li key={id}>
            <a class="choice" href={`/admin/${id}`}>
              <strong>{name}</strong>
              <span class="quiet-text">{role}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
