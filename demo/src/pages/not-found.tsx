import { Empty, Heading } from '../../../ui/states.tsx'

const texts = {
  page: [
    'Page not found',
    'There is no page at this address.',
    'Please check the address for typos, or search the shop.',
  ],
  product: [
    'Product not found',
    'This product does not exist.',
    'It may have been removed, or its address may have changed. Try searching for its name.',
  ],
  category: [
    'Category not found',
    'This category does not exist.',
    'It may have been renamed. The menu shows all categories.',
  ],
  order: [
    'Order not found',
    'This order does not exist.',
    'It may belong to another account than the one you are signed in with.',
  ],
  mail: ['Mail not found', 'This mail is not in the inbox.', 'The inbox shows the newest 50 mails only.'],
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
