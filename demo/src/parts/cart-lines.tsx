import { useState } from 'preact/hooks'
import { acceptPrices, cart as current, removeItem, setQuantity } from '../cart.ts'
import { errorText, money } from '../format.ts'
import { tell } from '../notice.ts'
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
  const [fault, setFault] = useState<string | null>(null)
  const warnings = cart.warnings.filter(({ itemId }) => itemId === item.id)
  const name = nameOf(item)
  const change = async (doing: Promise<unknown>, done: string) => {
    setFault(null)
    try {
      await doing
      tell(done, { about: 'cart' })
    } catch (error) {
      const { cart: now } = current.value
      const isGone = !now?.items.some(({ id }) => id === item.id)
      if (!isGone) setFault(errorText(error))
      // A line that is gone cannot say why. That the whole cart is empty is said in its place.
      else if (now && now.items.length > 0) tell(`${name} was taken out of your cart elsewhere.`)
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
        {fault && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
      </div>
    </li>
  )
}

/** What concerns the cart as a whole, and a way to agree to prices that moved. */
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
          onClick={() => acceptPrices().catch((error) => tell(errorText(error)))}
        >
          Accept the new prices
        </button>
      )}
    </div>
  )
}
