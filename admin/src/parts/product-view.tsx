import type { AdminProduct, Outlet } from '../api.ts'
import { money, number } from '../format.ts'
import { titleOf } from './product-draft.ts'
import { Thumb } from './thumb.tsx'

/** A product for those who may only read it. */
export const ProductView = ({ product, outlets }: { product: AdminProduct; outlets: readonly Outlet[] }) => {
  const { description, media, category, vendor, tags, taxRate, slug, currency, options } = product
  const variants = product.variants.filter(({ active }) => active)
  const facts: [string, string][] = [
    ['Category', category],
    ['Brand', vendor],
    ['Tags', tags.join(', ')],
    ['Tax', `${number(taxRate)} %`],
    ['Address', slug],
  ]
  return (
    <>
      <div class="columns">
        <section class="panel">
          {media.length > 0 && (
            <ul class="pictures plain">
              {media.map((picture, i) => (
                <li key={picture.url}>
                  <Thumb of={picture} alt={picture.alt || `Picture ${i + 1}`} size={144} />
                </li>
              ))}
            </ul>
          )}
          <p class="as-typed">{description || 'Without a description.'}</p>
        </section>
        <section class="panel">
          <dl class="facts">
            {facts
              .filter(([, value]) => value !== '')
              .map(([name, value]) => (
                <>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </>
              ))}
          </dl>
        </section>
      </div>
      <h2 class="apart-small">Price and stock</h2>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Variant</th>
            <th scope="col">SKU</th>
            <th scope="col" class="number">
              Price
            </th>
            {outlets.map(({ id, name }) => (
              <th scope="col" class="number" key={id}>
                {outlets.length === 1 ? 'Stock' : `Stock, ${name}`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {variants.map((variant) => (
            <tr key={variant.id}>
              <th scope="row">{titleOf(variant, options) || product.name}</th>
              <td data-label="SKU">{variant.sku}</td>
              <td data-label="Price" class="number">
                {[
                  money(variant.price, currency),
                  ...outlets
                    .filter(({ id }) => id in variant.prices)
                    .map(({ id, name }) => `${name}: ${money(variant.prices[id] ?? 0, currency)}`),
                ].join(', ')}
              </td>
              {outlets.map(({ id, name }) => (
                <td data-label={outlets.length === 1 ? 'Stock' : `Stock, ${name}`} class="number" key={id}>
                  {variant.stockTracked ? number(variant.stockByOutlet[id] ?? 0) : 'Not counted'}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
