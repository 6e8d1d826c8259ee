import { useState } from 'preact/hooks'
import { showNotice } from '../../../ui/notice.ts'
import { acceptPrices, cart as current, removeItem, setQuantity } from '../cart.ts'
import { errorText, money } from '../format.ts'
import type { Cart, CartItem } from '../shop.ts'
import { Picture } from './picture.tsx'
import { Quantity } from './quantity.tsx'

export const nameOf = ({ product }: CartItem) =>
  product.variant ? `${product.name}, ${product.variant}` : product.name

export const CartLines = ({ cart }: { cart: Cart }) => (
  <ul class="lines">
    {cart.items.map((item) => (
      <CartLine key={item.id} item={item} cart={cart} />
    ))}
  </ul>
)

const CartLine = ({ item, cart }: { item: CartItem; cart: Cart }) => {
  const [errorMessage, setErrorMessage] = useState<string | null>(null)
  const warnings = cart.warnings.filter(({ itemId }) => itemId === item.id)
  const name = nameOf(item)
  const change = async (doing: Promise<unknown>, done: string) => {
    setErrorMessage(null)
    try {
      await doing
      showNotice(done, { about: 'cart' })
    } catch (error) {
      const { cart: now } = current.value
      const isRemoved = !now?.items.some(({ id }) => id === item.id)
      if (!isRemoved) setErrorMessage(errorText(error))
      // A removed line cannot show its own error. For an empty cart, another notice is shown.
      else if (now && now.items.length > 0)
        showNotice(`${name} was removed from your cart in another tab or on another device.`)
    }
  }
  return (
    <li class="line">
      <span class="line-image">
        <Picture src={item.product.image} size={88} />
      </span>
      <div class="line-text">
        <a class="line-name" href={`/product/${item.product.slug}`}>
          {item.product.name}
        </a>
        {item.product.variant && <p class="quiet-text">{item.product.variant}</p>}
      </div>
      <p class="line-total">{money(item.lineTotal, cart.currency)}</p>
      <div class="line-more">
        <div class="line-tools">
          <Quantity
            label={name}
            value={item.quantity}
            waitMs={250}
            onChange={(quantity) => change(setQuantity(item.id, quantity), `${name}: ${quantity} in your cart.`)}
          />
          <button
            type="button"
            class="text-button"
            aria-label={`Remove ${name}`}
            onClick={(event) => {
              const around = event.currentTarget.closest('.drawer, .summary, .cart-page')
              const heading = around?.querySelector<HTMLElement>('summary, h1, h2')
              void change(removeItem(item.id), `${name} was removed from your cart.`).then(() => heading?.focus())
            }}
          >
            Remove
          </button>
        </div>
        {warnings.map(({ code, message }) => (
          <p class="warning" key={code}>
            {message}
          </p>
        ))}
        {errorMessage && (
          <p class="error" role="alert">
            {errorMessage}
          </p>
        )}
      </div>
    </li>
  )
}

/** Warnings about the whole cart, and a button to accept changed prices. */
export const CartWarnings = ({ cart }: { cart: Cart }) => {
  const general = cart.warnings.filter(({ itemId }) => itemId === null)
  const hasNewPrices = cart.warnings.some(({ code }) => code === 'PRICE_CHANGED')
  if (general.length === 0 && !hasNewPrices) return null
  return (
    <div class="warnings">
      {general.map(({ code, message }) => (
        <p class="warning" key={code}>
          {message}
        </p>
      ))}
      {hasNewPrices && (
        <button
          type="button"
          class="button quiet small"
          onClick={() => acceptPrices().catch((error) => showNotice(errorText(error)))}
        >
          Accept the new prices
        </button>
      )}
    </div>
  )
}
