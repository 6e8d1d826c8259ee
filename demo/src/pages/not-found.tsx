import { Empty, Heading } from '../parts/states.tsx'

export const NotFoundPage = () => (
  <>
    <Heading title="Not found" />
    <Empty title="There is nothing at this address.">
      <p>It may have been moved or sold.</p>
      <a class="button" href="/">
        Back to the shop
      </a>
    </Empty>
  </>
)
