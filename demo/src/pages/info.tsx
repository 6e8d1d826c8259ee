import { Heading, Skeleton } from '../../../ui/states.tsx'
import { money } from '../format.ts'
import type { Store } from '../shop.ts'
import { storeInfo } from '../state.ts'
import { NotFoundPage } from './not-found.tsx'

/** The pages that the menu of the demo store links to. The API has no texts for pages, so they are written here. */
const pages: Record<string, { title: string; paragraphs: (info: Store) => string[] }> = {
  about: {
    title: 'About us',
    paragraphs: ({ name }) => [
      `${name} is a made-up shop. It shows what a storefront can do with nothing but the Vitrine API and its client.`,
      'Look around, fill a cart, sign in with any phone number or e-mail address and pay on the sandbox page. No message is sent, and no money moves.',
    ],
  },
  makers: {
    title: 'Our makers',
    paragraphs: () => [
      'Block printers in Bagru, brass workers in Moradabad, potters in Khurja: if this were a real shop, you would meet them here.',
    ],
  },
  'delivery-and-returns': {
    title: 'Delivery and returns',
    paragraphs: ({ shipping, currency }) => [
      `Delivery costs ${money(shipping.flat, currency)}${
        shipping.freeAbove === null ? '' : ` and is free from ${money(shipping.freeAbove, currency)}`
      }.`,
      'You can cancel an order until it is paid. You can cancel a cash-on-delivery order until it is shipped.',
    ],
  },
}

export const InfoPage = ({ name = '' }: { name?: string }) => {
  const info = storeInfo.value
  const page = pages[name]
  if (!page) return <NotFoundPage />
  return (
    <div class="narrow prose">
      <Heading title={page.title} />
      {info ? page.paragraphs(info).map((text) => <p key={text}>{text}</p>) : <Skeleton />}
    </div>
  )
}
