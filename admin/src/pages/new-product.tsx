import { useRef, useState } from 'preact/hooks'
import { SelectField, TextArea, TextField } from '../../../ui/fields.tsx'
import { dropDrafts, useDraft } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { navigate } from '../../../ui/router.ts'
import { Button, Empty, Problem } from '../../../ui/states.tsx'
import { readNumber } from '../format.ts'
import { useCategories } from '../parts/catalog-lists.ts'
import { PageHead } from '../parts/page-head.tsx'
import { type Picture, PicturesField, usePictures } from '../parts/pictures.tsx'
import { picturesBody } from '../parts/product-draft.ts'
import { admin, may, pathTo, store } from '../session.ts'

type NewProduct = {
  name: string
  price: string
  stock: string
  categoryId: string
  newCategory: string
  description: string
  pictures: Picture[]
}

const blank: NewProduct = {
  ...{ name: '', price: '', stock: '', categoryId: '', newCategory: '', description: '', pictures: [] },
}
/** In place of the id of a category. */
const other = '+'

/** What is needed to sell a product. Everything else is in the editor. */
export const NewProductPage = () => {
  if (!may('catalog:write')) return <Empty title="Your role does not allow adding products" />
  return <NewProductForm />
}

const NewProductForm = () => {
  const key = `${store.value?.id} new product`
  const [draft, keep] = useDraft(key, blank)
  const latest = useRef(draft)
  latest.current = draft
  const change = (changes: Partial<NewProduct>) => {
    latest.current = { ...latest.current, ...changes }
    keep(latest.current)
  }
  const uploads = usePictures(draft.pictures, (pictures) => change({ pictures }))
  const categories = useCategories()
  const [busy, setBusy] = useState<'ACTIVE' | 'DRAFT' | null>(null)
  const [problem, setProblem] = useState<{ error?: unknown; text?: string } | null>(null)
  const status = useRef<'ACTIVE' | 'DRAFT'>('ACTIVE')
  const wish = (wanted: 'ACTIVE' | 'DRAFT') => {
    status.current = wanted
  }

  const save = async (event: Event) => {
    event.preventDefault()
    if (busy !== null) return
    const fault = findFault(latest.current) ?? (uploads.list.some(({ problem }) => problem) ? leftPictures : null)
    if (fault !== null) return setProblem({ text: fault })
    setBusy(status.current)
    setProblem(null)
    try {
      await uploads.settled()
      const made = await admin().createProduct({ ...bodyOf(latest.current), status: status.current })
      dropDrafts(key)
      navigate(pathTo(`products/${made.id}`))
      showNotice(made.status === 'ACTIVE' ? `${made.name} is on sale.` : `${made.name} is saved as a draft.`)
    } catch (error) {
      setProblem({ error })
      setBusy(null)
    }
  }
  const text = (name: 'name' | 'price' | 'stock' | 'newCategory' | 'description') => ({
    ...{ name, value: draft[name], onInput: (value: string) => change({ [name]: value }) },
  })
  return (
    <>
      <PageHead title="New product" back={{ path: 'products', label: 'Products' }} />
      <form class="form" onSubmit={save}>
        <div class="columns">
          <div>
            <section class="panel form">
              <TextField label="Name" required maxLength={500} {...text('name')} />
              <TextArea label="Description" rows={6} maxLength={200_000} {...text('description')} />
            </section>
            <section class="panel">
              <h2>Pictures</h2>
              <PicturesField
                pictures={draft.pictures}
                uploads={uploads}
                onChange={(pictures) => change({ pictures })}
              />
            </section>
          </div>
          <section class="panel form">
            <TextField
              label="Price"
              remark={`(${store.value?.currency})`}
              inputMode="decimal"
              required
              maxLength={20}
              {...text('price')}
            />
            <TextField
              label="Stock"
              inputMode="numeric"
              maxLength={12}
              help="Units that you can sell. Leave it empty if you do not count them."
              {...text('stock')}
            />
            <SelectField
              label="Category"
              name="categoryId"
              value={draft.categoryId}
              options={[['', 'No category'], ...categories, [other, 'New category …']]}
              onChange={(categoryId) => change({ categoryId })}
            />
            {draft.categoryId === other && (
              <TextField label="Name of the new category" required maxLength={200} {...text('newCategory')} />
            )}
          </section>
        </div>
        {problem !== null && <Problem {...problem} />}
        <div class="row form-actions">
          <Button type="submit" isBusy={busy === 'ACTIVE'} onClick={() => wish('ACTIVE')}>
            {busy === 'ACTIVE' ? (uploads.isBusy ? 'Waiting for the pictures' : 'Publishing') : 'Save and publish'}
          </Button>
          <Button type="submit" class="quiet" isBusy={busy === 'DRAFT'} onClick={() => wish('DRAFT')}>
            {busy === 'DRAFT' ? 'Saving' : 'Save as draft'}
          </Button>
        </div>
        <p class="quiet-text">Sizes, colours and everything else can be added afterwards.</p>
      </form>
    </>
  )
}

const leftPictures = 'A picture was not uploaded. Try it again or leave it out, then save.'

const findFault = ({ price, stock }: NewProduct) => {
  const amount = readNumber(price)
  if (amount === null || amount < 0) return `The price “${price}” is not a number.`
  const units = stock.trim() === '' ? 0 : readNumber(stock)
  return units === null || units < 0 || !Number.isInteger(units) ? `The stock “${stock}” is not a whole number.` : null
}

const bodyOf = ({ name, price, stock, categoryId, newCategory, description, pictures }: NewProduct) => ({
  ...{ name: name.trim(), description, price: readNumber(price) ?? 0 },
  stock: stock.trim() === '' ? null : readNumber(stock),
  ...(categoryId === '' ? {} : categoryId === other ? { category: newCategory } : { categoryId }),
  ...(pictures.length === 0 ? {} : picturesBody(pictures)),
})
