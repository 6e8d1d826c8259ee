import { Empty, Heading } from '../parts/states.tsx'

const texts = {
  page: [
    'Page not found',
    'There is no page at this address.',
    'Please check the address for a slip, or search the shop.',
  ],
  product: [
    'Product not found',
    'We have no such product.',
    'It may be gone from the shop, or it has a new address. Searching for its name may help.',
  ],
  category: ['Category not found', 'We have no such category.', 'It may have a new name. The menu shows all we have.'],
  order: [
    'Order not found',
    'You have no such order.',
    'It may belong to another account than the one you are signed in with.',
  ],
} as const

export const NotFoundPage = ({ what = 'page' }: { what?: keyof typeof texts }) => {
  const [title, sentence, hint] = texts[what]
  return (
    <>
      <Heading title={title} />
      <Empty title={sentence}>
        <p>{hint}</p>
        {what === 'order' ? (
          <a class="button" href="/orders">
            See your orders
          </a>
        ) : (
          <a class="button" href="/">
            Back to the shop
          </a>
        )}
      </Empty>
    </>
  )
}
