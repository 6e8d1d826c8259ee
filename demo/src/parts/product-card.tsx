import { useState } from 'preact/hooks'
import { HeartIcon } from '../../../ui/icons.tsx'
import { showNotice } from '../../../ui/notice.ts'
import { errorText } from '../format.ts'
import type { Product } from '../shop.ts'
import { toggleWish, wishlist } from '../wishlist.ts'
import { Picture } from './picture.tsx'
import { Price } from './price.tsx'

export const ProductGrid = ({ products }: { products: Product[] }) => (
  <ul class="grid">
    {products.map((product, index) => (
      <ProductCard key={product.id} product={product} isFirst={index < 4} />
    ))}
  </ul>
)

const ProductCard = ({ product, isFirst }: { product: Product; isFirst: boolean }) => {
  const isSoldOut = product.stock <= 0
  const isReduced = product.compareAtPrice !== null && product.compareAtPrice > product.price
  return (
    <li class="card">
      <a class="card-link" href={`/product/${product.slug}`}>
        <span class="frame">
          <Picture src={product.images[0]} size={400} isLazy={!isFirst} />
          {isSoldOut ? <span class="tag">Sold out</span> : isReduced && <span class="tag sale">Reduced</span>}
        </span>
        <span class="card-name">{product.name}</span>
      </a>
      <p class="card-category">{product.category}</p>
      <Price
        price={product.price}
        compareAt={product.compareAtPrice}
        currency={product.currency}
        isLowest={product.hasVariants}
      />
      <WishButton productId={product.id} name={product.name} />
    </li>
  )
}

export const WishButton = ({
  productId,
  name,
  isWide = false,
}: {
  productId: string
  name: string
  isWide?: boolean
}) => {
  const { items } = wishlist.value
  const [isBusy, setBusy] = useState(false)
  const isWished = items.some((item) => item.productId === productId)
  const toggle = async () => {
    if (isBusy) return
    setBusy(true)
    try {
      const isOn = await toggleWish(productId)
      showNotice(isOn ? `${name} was added to your wishlist.` : `${name} was removed from your wishlist.`, {
        about: 'wishlist',
      })
    } catch (error) {
      showNotice(errorText(error))
    }
    setBusy(false)
  }
  const text = isWide ? 'Wishlist' : `Wishlist: ${name}`
  return (
    <button
      type="button"
      class={isWide ? 'button quiet wish' : 'icon-button wish'}
      aria-pressed={isWished}
      aria-label={isWide ? undefined : text}
      onClick={toggle}
    >
      <HeartIcon />
      {isWide && <span>{text}</span>}
    </button>
  )
}

export const GridSkeleton = ({ count = 8 }: { count?: number }) => (
  <div class="grid" role="status">
    <span class="hidden">Loading products</span>
    {Array.from({ length: count }, (_, index) => (
      <div class="card" key={index}>
        <span class="frame skeleton" />
        <span class="skeleton" />
        <span class="skeleton short" />
      </div>
    ))}
  </div>
)
