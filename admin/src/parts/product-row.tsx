import { useEffect, useState } from 'preact/hooks'
import { showNotice } from '../../../ui/notice.ts'
import { navigate } from '../../../ui/router.ts'
import type { AdminProductItem } from '../api.ts'
import { counted, money, number } from '../format.ts'
import { admin, may, pathTo } from '../session.ts'
import { useAction } from './action.ts'
import { InlineNumber } from './inline-number.tsx'
import { type Selection, SelectRow } from './selection.tsx'
import { productWords, StatusBadge } from './status.tsx'
import { Thumb } from './thumb.tsx'

/** A row of the products. Price and stock are changed in place if there is only one variant. */
export const ProductRow = ({
  item,
  selection,
  outletId,
}: {
  item: AdminProductItem
  selection: Selection | null
  /** The default outlet, whose price and stock the list shows. */
  outletId: string | undefined
}) => {
  const [product, setProduct] = useState(item)
  useEffect(() => setProduct(item), [item])
  const { id, name, images, imageSizes, status, category } = product
  const path = pathTo(`products/${id}`)
  return (
    <tr>
      {selection && (
        <td class="select">
          <SelectRow selection={selection} id={id} label={name} />
        </td>
      )}
      <th scope="row">
        <a class="with-thumb" href={path}>
          <Thumb of={images[0] ? { url: images[0], sizes: imageSizes } : undefined} />
          <span>{name}</span>
        </a>
      </th>
      <td data-label="Status">
        <StatusBadge words={productWords} value={status} />
      </td>
      <td data-label="Category">{category || <span class="quiet-text">None</span>}</td>
      <td data-label="Price" class="number">
        <PriceCell product={product} outletId={outletId} onSaved={setProduct} />
      </td>
      <td data-label="Stock" class="number">
        <StockCell product={product} onSaved={setProduct} />
      </td>
      {selection && (
        <td class="row-action">
          <DuplicateButton id={id} name={name} />
        </td>
      )}
    </tr>
  )
}

type CellProps = { product: AdminProductItem; onSaved: (product: AdminProductItem) => void }

const PriceCell = ({ product, outletId, onSaved }: CellProps & { outletId: string | undefined }) => {
  const { id, name, price, currency, variantCount } = product
  if (variantCount !== 1) return <a href={pathTo(`products/${id}`)}>from {money(price, currency)}</a>
  if (!may('catalog:write')) return <>{money(price, currency)}</>
  const save = async (wanted: number) => {
    let saved = await admin().updateProduct({ productId: id, price: wanted })
    // The outlet has a price of its own, which is the one that the list shows.
    if (saved.price !== wanted && outletId !== undefined)
      saved = await admin().updateProduct({ productId: id, prices: { [outletId]: wanted } })
    onSaved({ ...product, price: saved.price })
  }
  return <InlineNumber label={`Price of ${name} in ${currency}`} value={price} onSave={save} />
}

const StockCell = ({ product, onSaved }: CellProps) => {
  const { id, name, stock, stockTracked, variantCount } = product
  if (!stockTracked) return <span class="quiet-text">Not counted</span>
  if (variantCount !== 1) {
    return (
      <a href={pathTo(`products/${id}`)}>
        {number(stock)} in {counted(variantCount, 'variant')}
      </a>
    )
  }
  if (!may('stock:write')) return <>{number(stock)}</>
  const save = async (set: number) => {
    const { data } = await admin().listVariants({ productId: id })
    const variantId = data.find(({ active }) => active)?.id
    const { available } = await admin().adjustStock({ variantId, set, reason: 'Changed in the list of products' })
    onSaved({ ...product, stock: available })
  }
  return <InlineNumber label={`Stock of ${name}`} value={stock} isWhole onSave={save} />
}

const DuplicateButton = ({ id, name }: { id: string; name: string }) => {
  const { isBusy, run } = useAction()
  const duplicate = async () => {
    const copy = await admin().duplicateProduct({ productId: id })
    navigate(pathTo(`products/${copy.id}`))
    showNotice(`This is the copy of ${name}: a draft without stock.`)
  }
  return (
    <button type="button" class="text-button" aria-busy={isBusy || undefined} onClick={() => isBusy || run(duplicate)}>
      {isBusy ? 'Copying' : 'Duplicate'}
      <span class="hidden"> {name}</span>
    </button>
  )
}
