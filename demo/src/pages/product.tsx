import { useEffect, useState } from 'preact/hooks'
import { DownloadIcon, TruckIcon } from '../../../ui/icons.tsx'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { changeQuery, route } from '../../../ui/router.ts'
import { Button, Heading, ProblemPage } from '../../../ui/states.tsx'
import { addToCart, openDrawer } from '../cart.ts'
import { errorText, money } from '../format.ts'
import { Picture } from '../parts/picture.tsx'
import { Price } from '../parts/price.tsx'
import { ProductGrid, WishButton } from '../parts/product-card.tsx'
import { Quantity } from '../parts/quantity.tsx'
import { isVitrineError, type ProductDetail, shop, type Variant } from '../shop.ts'
import { storeInfo } from '../state.ts'
import { imageOf } from '../variant-image.ts'
import { NotFoundPage } from './not-found.tsx'

export const ProductPage = ({ slug = '' }: { slug?: string }) => {
  const { loaded, reload } = useLoad(`product ${slug}`, (signal) => shop.showProduct({ idOrSlug: slug }, { signal }))
  if (loaded.status === 'loading') return <ProductSkeleton />
  if (loaded.status === 'ready') return <ProductView key={loaded.value.id} product={loaded.value} onStale={reload} />
  if (isVitrineError(loaded.error, 'NOT_FOUND')) return <NotFoundPage what="product" />
  return <ProblemPage error={loaded.error} onRetry={reload} />
}

const ProductView = ({ product, onStale }: { product: ProductDetail; onStale: () => void }) => {
  const { query } = route.value
  const [quantity, setQuantity] = useState(1)
  const [errorMessage, setErrorMessage] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const variant = chosenVariant(product, query.get('variant'))
  const isSoldOut = variant.stock <= 0

  const add = async () => {
    setBusy(true)
    setErrorMessage(null)
    try {
      await addToCart({ productId: product.id, variantId: variant.id, quantity })
      setQuantity(1)
      openDrawer()
      showNotice(`${product.name} is in your cart.`, { about: 'cart' })
    } catch (error) {
      setErrorMessage(isVitrineError(error, 'INSUFFICIENT_STOCK') ? 'There are not that many left.' : errorText(error))
      onStale()
    }
    setBusy(false)
  }

  return (
    <>
      <article class="product">
        <Gallery product={product} variant={variant} />
        <div class="product-text">
          <p class="eyebrow">{product.category}</p>
          <Heading title={product.name} tabTitle={product.seo.title || product.name} />
          <p class="product-price">
            <Price price={variant.price} compareAt={variant.compareAtPrice} currency={product.currency} />
          </p>
          <Options product={product} variant={variant} />
          <p class={isSoldOut ? 'stock out' : 'stock'} role="status">
            {stockText(variant, product.digital)}
          </p>
          <div class="buy">
            {!isSoldOut && !product.digital && (
              <Quantity label={product.name} value={quantity} max={variant.stock} onChange={setQuantity} />
            )}
            <Button class="wide" isBusy={isBusy} disabled={isSoldOut} onClick={add}>
              {isSoldOut ? 'Sold out' : 'Add to cart'}
            </Button>
            <WishButton productId={product.id} name={product.name} isWide />
          </div>
          {errorMessage && (
            <p class="error" role="alert">
              {errorMessage}
            </p>
          )}
          <p class="description">{product.description}</p>
          <DeliveryNote isDigital={product.digital} />
        </div>
      </article>
      <AlsoLike product={product} />
    </>
  )
}

const chosenVariant = ({ variants }: ProductDetail, wanted: string | null): Variant => {
  const found = variants.find(({ id }) => id === wanted) ?? variants.find(({ stock }) => stock > 0) ?? variants[0]
  if (!found) throw new Error('A product has at least one variant.')
  return found
}

const stockText = ({ stock }: Variant, isDigital: boolean) => {
  if (isDigital) return 'Ready to download after payment'
  if (stock <= 0) return 'Sold out at the moment'
  return stock <= 5 ? `Only ${stock} left` : 'In stock'
}

/** Shows the image of the chosen variant, or the image that the shopper picked since choosing it. */
const Gallery = ({ product, variant }: { product: ProductDetail; variant: Variant }) => {
  const [picked, setPicked] = useState<{ image: string; variantId: string } | null>(null)
  useEffect(() => setPicked(null), [variant.id])
  const ofVariant = imageOf(product, variant)
  const { name } = product
  const images = ofVariant && !product.images.includes(ofVariant) ? [ofVariant, ...product.images] : product.images
  const shown = picked?.variantId === variant.id ? picked.image : (ofVariant ?? images[0])
  return (
    <div class="gallery">
      <div class="frame">
        <Picture
          src={shown}
          alt={ofVariant && shown === ofVariant ? [name, variant.title].filter(Boolean).join(', ') : name}
          size={800}
        />
      </div>
      {images.length > 1 && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is seen.
        <div class="thumbs" role="group" aria-label="Pictures">
          {images.map((image, index) => (
            <button
              type="button"
              key={image}
              aria-label={`Picture ${index + 1}`}
              aria-pressed={image === shown}
              onClick={() => setPicked({ image, variantId: variant.id })}
            >
              <Picture src={image} size={80} />
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

/** A group of choices for each option. A choice keeps the other options if such a variant exists. */
const Options = ({ product, variant }: { product: ProductDetail; variant: Variant }) => {
  const chosen = variant.options as Record<string, string>
  const variantWith = (name: string, value: string) => {
    const wanted: Record<string, string> = { ...chosen, [name]: value }
    const fits = (candidate: Variant) =>
      Object.entries(wanted).every(([key, text]) => optionOf(candidate, key) === text)
    return product.variants.find(fits) ?? product.variants.find((candidate) => optionOf(candidate, name) === value)
  }
  return (
    <>
      {product.options.map(({ name, values }) => (
        <fieldset class="options" key={name}>
          <legend>
            {name}: <strong>{chosen[name]}</strong>
          </legend>
          {values.map((value) => {
            const target = variantWith(name, value)
            const isOut = !target || target.stock <= 0
            return (
              <label key={value} class={isOut ? 'option out' : 'option'}>
                <input
                  type="radio"
                  name={name}
                  value={value}
                  checked={chosen[name] === value}
                  onChange={() => target && changeQuery({ variant: target.id })}
                />
                <span>
                  {value}
                  {isOut && <span class="hidden"> (sold out)</span>}
                </span>
              </label>
            )
          })}
        </fieldset>
      ))}
    </>
  )
}

const optionOf = (variant: Variant, option: string) => (variant.options as Record<string, string>)[option]

const DeliveryNote = ({ isDigital }: { isDigital: boolean }) => {
  const info = storeInfo.value
  if (!info) return null
  const { flat, freeAbove } = info.shipping
  if (isDigital) {
    return (
      <p class="delivery-note">
        <DownloadIcon /> A file to download. Nothing is shipped.
      </p>
    )
  }
  return (
    <p class="delivery-note">
      <TruckIcon /> {flat === 0 ? 'Delivery is free.' : `Delivery ${money(flat, info.currency)}`}
      {flat > 0 && freeAbove !== null ? `, free from ${money(freeAbove, info.currency)}` : ''}
    </p>
  )
}

/** Other products, found by the name of the category. Optional, so errors are not shown. */
const AlsoLike = ({ product }: { product: ProductDetail }) => {
  const { loaded } = useLoad(`like ${product.id}`, async (signal) => {
    const { items } = await shop.search({ q: product.category, limit: 5, inStock: true }, { signal })
    return items.filter(({ id }) => id !== product.id).slice(0, 4)
  })
  if (loaded.status !== 'ready' || loaded.value.length === 0) return null
  return (
    <section aria-labelledby="also-like">
      <h2 id="also-like">You may also like</h2>
      <ProductGrid products={loaded.value} />
    </section>
  )
}

const ProductSkeleton = () => (
  <div class="product" role="status">
    <span class="hidden">Loading the product</span>
    <span class="frame skeleton" />
    <div class="skeleton-lines">
      <span class="skeleton short" />
      <span class="skeleton tall" />
      <span class="skeleton short" />
      <span class="skeleton" />
      <span class="skeleton" />
    </div>
  </div>
)
