import { useState } from 'preact/hooks'
import { CheckField, SelectField, TextArea, TextField } from '../../../ui/fields.tsx'
import type { AdminProduct, Outlet } from '../api.ts'
import { may, store } from '../session.ts'
import { useCategories } from './catalog-lists.ts'
import { type Picture, PicturesField } from './pictures.tsx'
import { type Draft, keyOf, labels, type Row, renamed, rowOf } from './product-draft.ts'
import type { Uploads } from './uploads.tsx'
import { renameIn } from './variant-combinations.ts'
import { VariantGrid } from './variant-grid.tsx'
import { VariantOptions } from './variant-options.tsx'

type Change = (changes: Partial<Draft>) => void
type FieldsProps = { draft: Draft; change: Change }

type TextName = Exclude<keyof Draft, 'pictures' | 'options' | 'rows' | 'renames'>

const text = ({ draft, change }: FieldsProps, name: TextName) => ({
  ...{ name, label: labels[name], value: draft[name], onInput: (value: string) => change({ [name]: value }) },
})

export const MainFields = ({ draft, change, uploads }: FieldsProps & { uploads: Uploads }) => (
  <div>
    <section class="panel form">
      <TextField required maxLength={500} {...text({ draft, change }, 'name')} />
      <TextArea
        rows={8}
        maxLength={200_000}
        help="Plain text, or HTML with paragraphs, lists and links."
        {...text({ draft, change }, 'description')}
      />
    </section>
    <section class="panel">
      <h2>Pictures</h2>
      <PicturesField
        pictures={draft.pictures}
        uploads={uploads}
        onChange={(pictures: Picture[]) => change({ pictures })}
      />
    </section>
  </div>
)

export const SideFields = ({ draft, change }: FieldsProps) => {
  const categories = useCategories()
  return (
    <section class="panel form">
      <SelectField
        label={labels.status}
        name="status"
        value={draft.status}
        options={[
          ['ACTIVE', 'Active: on sale'],
          ['DRAFT', 'Draft: only you see it'],
          ['ARCHIVED', 'Archived: no longer sold'],
        ]}
        onChange={(status) => change({ status })}
      />
      <SelectField
        label={labels.categoryId}
        name="categoryId"
        value={draft.categoryId}
        options={[['', 'No category'], ...categories]}
        onChange={(categoryId) => change({ categoryId })}
      />
      <TextField maxLength={300} {...text({ draft, change }, 'vendor')} />
      <TextField help="Separated by commas." maxLength={2000} {...text({ draft, change }, 'tags')} />
      <TextField remark="(percent)" inputMode="decimal" maxLength={10} {...text({ draft, change }, 'taxRate')} />
    </section>
  )
}

/** How search engines show the product. Rarely needed, so it is closed at first. */
export const SearchFields = ({ draft, change }: FieldsProps) => (
  <details class="panel more">
    <summary>Address and search engines</summary>
    <div class="form">
      <TextField
        required
        maxLength={200}
        help="The last part of its address in your shop. Links to the old address stop working."
        {...text({ draft, change }, 'slug')}
      />
      <TextField maxLength={1000} help="Empty: the name." {...text({ draft, change }, 'seoTitle')} />
      <TextArea rows={3} maxLength={5000} {...text({ draft, change }, 'seoDescription')} />
    </div>
  </details>
)

export const VariantFields = ({
  draft,
  change,
  outlets,
  product,
}: FieldsProps & { outlets: readonly Outlet[]; product: AdminProduct }) => {
  const { rows, options, renames } = draft
  const restore = (wanted: Record<string, string>) => {
    const same = product.variants.filter((variant) => keyOf(renamed(variant.options, renames)) === keyOf(wanted))
    const known = same.find(({ active }) => active) ?? same[0]
    return known && { ...rowOf(known), options: wanted }
  }
  const [isPricing, setPricing] = useState(false)
  const hasPrices = isPricing || rows.some(({ prices }) => Object.values(prices).some(Boolean))
  const priced = hasPrices && outlets.length > 1 ? outlets : []
  const setPrices = (isOn: boolean) => {
    setPricing(isOn)
    if (isOn) return
    const none = Object.fromEntries(outlets.map(({ id }) => [id, '']))
    change({ rows: rows.map((row) => ({ ...row, prices: none })) })
  }
  const [only] = rows
  const isPlain = rows.length === 1 && only !== undefined && Object.keys(only.options).length === 0
  return (
    <>
      <section class="panel form">
        <h2>{isPlain ? 'Price and stock' : 'Variants'}</h2>
        {isPlain ? (
          <PlainFields row={only} outlets={outlets} priced={priced} onChange={(row) => change({ rows: [row] })} />
        ) : (
          <VariantGrid
            rows={rows}
            options={options}
            outlets={rows.some(({ isCounted }) => isCounted) ? outlets : []}
            priced={priced}
            pictures={draft.pictures}
            mayStock={may('stock:write')}
            onChange={(changed) => change({ rows: changed })}
          />
        )}
        {outlets.length > 1 && (
          <CheckField
            label="Other prices at some outlets"
            help="Where an outlet has none, the price above counts."
            name="hasPrices"
            isChecked={hasPrices}
            onChange={setPrices}
          />
        )}
        <CheckField
          label="Count the units in stock"
          help="Otherwise it can always be bought."
          name="isCounted"
          isChecked={rows.some(({ isCounted }) => isCounted)}
          onChange={(isCounted) => change({ rows: rows.map((row) => ({ ...row, isCounted })) })}
        />
      </section>
      <section class="panel">
        <h2>Options</h2>
        {options.length === 0 && (
          <p class="quiet-text">Does it come in several sizes or colours? Add an option for each of them.</p>
        )}
        <VariantOptions
          grid={{ options, rows }}
          restore={restore}
          onChange={change}
          onRename={(step) => change({ ...renameIn({ options, rows }, step), renames: [...renames, step] })}
        />
      </section>
    </>
  )
}

const PlainFields = ({
  row,
  outlets,
  priced,
  onChange,
}: {
  row: Row
  outlets: readonly Outlet[]
  priced: readonly Outlet[]
  onChange: (row: Row) => void
}) => {
  const field = (name: 'price' | 'compareAtPrice' | 'sku' | 'barcode' | 'weightGrams' | 'lowStock', label: string) => ({
    ...{
      name,
      label,
      maxLength: 200,
      value: row[name],
      onInput: (value: string) => onChange({ ...row, [name]: value }),
    },
  })
  const decimal = { inputMode: 'decimal' } as const
  const byOutlet = (kind: 'prices' | 'stock', label: string, { id, name }: Outlet) => (
    <TextField
      key={kind + id}
      label={outlets.length === 1 ? label : `${label}, ${name}`}
      name={`${kind} ${id}`}
      placeholder={kind === 'prices' ? row.price : ''}
      {...decimal}
      value={row[kind][id] ?? ''}
      onInput={(text) => onChange({ ...row, [kind]: { ...row[kind], [id]: text } })}
    />
  )
  return (
    <div class="fields three">
      <TextField remark={`(${store.value?.currency})`} required {...decimal} {...field('price', 'Price')} />
      <TextField help="Shown crossed out, during a sale." {...decimal} {...field('compareAtPrice', 'Price before')} />
      {priced.map((outlet) => byOutlet('prices', 'Price', outlet))}
      {row.isCounted && may('stock:write') && outlets.map((outlet) => byOutlet('stock', 'Stock', outlet))}
      {row.isCounted && (
        <TextField
          help="Units at which you are told. Empty: as in the settings."
          {...decimal}
          {...field('lowStock', 'Low in stock at')}
        />
      )}
      <TextField {...field('sku', 'SKU')} />
      <TextField {...field('barcode', 'Barcode')} />
      <TextField remark="(grams)" {...decimal} {...field('weightGrams', 'Weight')} />
    </div>
  )
}
