import { useState } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog.tsx'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { navigate } from '../../../ui/router.ts'
import { Button, Heading, Show, Skeleton } from '../../../ui/states.tsx'
import type { AdminProduct, WithEtag } from '../api.ts'
import { counted } from '../format.ts'
import { useAction } from '../parts/action.ts'
import { useCategories, useOutlets } from '../parts/catalog-lists.ts'
import { EditForm, type FieldWords, useEdit } from '../parts/edit.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { usePictures } from '../parts/pictures.tsx'
import { bodyOf, type Draft, labels, stockChanges, titleOf, toDraft } from '../parts/product-draft.ts'
import { MainFields, SearchFields, SideFields, VariantFields } from '../parts/product-fields.tsx'
import { ProductView } from '../parts/product-view.tsx'
import { productWords, StatusBadge } from '../parts/status.tsx'
import { admin, may, pathTo, store } from '../session.ts'

type Saved = AdminProduct & WithEtag

const back = { path: 'products', label: 'Products' }

export const ProductPage = ({ id = '' }: { id?: string }) => {
  const { loaded, reload, replace } = useLoad(`${store.value?.id} product ${id}`, () =>
    admin().getProduct({ productId: id }),
  )
  return (
    <Show
      loaded={loaded}
      onRetry={reload}
      skeleton={
        <>
          <Heading title="Product" />
          <Skeleton lines={8} />
        </>
      }
    >
      {(product) =>
        may('catalog:write') ? <Editor product={product} onSaved={replace} /> : <View product={product} />
      }
    </Show>
  )
}

const View = ({ product }: { product: Saved }) => (
  <>
    <PageHead
      title={product.name}
      kind="Product"
      back={back}
      beside={<StatusBadge words={productWords} value={product.status} />}
    />
    <ProductView product={product} outlets={useOutlets()} />
  </>
)

const Editor = ({ product, onSaved }: { product: Saved; onSaved: (product: Saved) => void }) => {
  const productId = product.id
  const outlets = useOutlets()
  const categories = useCategories()
  const edit = useEdit<Saved, Draft>({
    ...{ name: `product ${productId}`, saved: product, toDraft, onSaved },
    save: async (changes, ifMatch) => {
      const body = bodyOf(changes, product)
      const stock = stockChanges(changes.rows ?? [], changes.options ?? product.options)
      // First, because setting the same number again does no harm if the rest must be tried again.
      for (const change of stock) await admin().adjustStock({ ...change, reason: 'Changed with the product' })
      if (Object.keys(body).length === 0) return admin().getProduct({ productId })
      return admin().updateProduct({ productId, ...body }, { ifMatch })
    },
    read: () => admin().getProduct({ productId }),
  })
  const { draft, change } = edit
  const uploads = usePictures(draft.pictures, (pictures) => change({ pictures }))
  const submit = async () => {
    if (uploads.isBusy) return showNotice('Wait until the pictures are uploaded, then save.')
    await edit.submit()
  }
  const words: FieldWords<Draft> = {
    status: (status) => productWords[status]?.[0] ?? status,
    categoryId: (id) => categories.find(([known]) => known === id)?.[1] ?? 'No category',
    pictures: (pictures) => counted(pictures.length, 'picture'),
    options: (options) => options.map(({ name, values }) => `${name}: ${values.join(', ')}`).join('; ') || 'None',
    rows: (rows) =>
      rows
        .map((row) =>
          [titleOf(row, draft.options), row.price, ...Object.values(row.prices), row.sku].filter(Boolean).join(', '),
        )
        .join('; '),
    renames: (renames) => renames.map(({ option, value, to }) => `${value ?? option} → ${to}`).join(', ') || 'None',
  }
  return (
    <>
      <PageHead
        title={product.name}
        kind="Product"
        back={back}
        beside={<StatusBadge words={productWords} value={product.status} />}
      >
        <ShopLink product={product} />
        {!edit.isDirty && <Actions product={product} onSaved={onSaved} />}
      </PageHead>
      <EditForm edit={{ ...edit, submit }} labels={labels} words={words}>
        <div class="columns">
          <MainFields draft={draft} change={change} uploads={uploads} />
          <SideFields draft={draft} change={change} />
        </div>
        <VariantFields draft={draft} change={change} outlets={outlets} product={product} />
        <SearchFields draft={draft} change={change} />
      </EditForm>
    </>
  )
}

/** Where shoppers see it, if the store has an address. */
const ShopLink = ({ product: { slug, status } }: { product: Saved }) => {
  const mayRead = may('settings:read')
  const { loaded } = useLoad(`${store.value?.id} address`, async () =>
    mayRead ? (await admin().getSettings()).domain : '',
  )
  const origin = loaded.status === 'ready' ? loaded.value : ''
  if (origin === '' || status !== 'ACTIVE') return null
  return (
    <a
      class="button quiet small"
      href={`${origin}/product/${encodeURIComponent(slug)}`}
      target="_blank"
      rel="noreferrer"
    >
      View in shop
    </a>
  )
}

const Actions = ({ product, onSaved }: { product: Saved; onSaved: (product: Saved) => void }) => {
  const { id: productId, name, status, stock, stockTracked } = product
  const [isAsked, setAsked] = useState(false)
  const { isBusy, run: attempt } = useAction()
  const setStatus = async (wanted: string) =>
    onSaved(await admin().updateProduct({ productId, status: wanted as 'ACTIVE' }))
  const duplicate = () =>
    attempt(async () => {
      const copy = await admin().duplicateProduct({ productId })
      navigate(pathTo(`products/${copy.id}`))
      showNotice(`This is the copy of ${name}: a draft without stock.`)
    })
  const archive = async () => {
    await setStatus('ARCHIVED')
    showNotice(`${name} is archived.`, { action: { label: 'Undo', run: () => void attempt(() => setStatus(status)) } })
  }
  return (
    <>
      <Button class="quiet small" isBusy={isBusy} onClick={duplicate}>
        Duplicate
      </Button>
      {status === 'ARCHIVED' ? (
        <Button class="quiet small" isBusy={isBusy} onClick={() => void attempt(() => setStatus('ACTIVE'))}>
          Put on sale again
        </Button>
      ) : (
        <Button class="quiet small" onClick={() => setAsked(true)}>
          Archive
        </Button>
      )}
      {isAsked && (
        <FormDialog
          title={`Archive ${name}?`}
          action="Archive it"
          isDangerous
          onSubmit={archive}
          onClose={() => setAsked(false)}
        >
          <p>
            Shoppers no longer see it, and it cannot be bought.
            {stockTracked && stock > 0 && ` Its ${counted(stock, 'unit')} stay in stock.`} Its orders and pictures stay
            too, and you can put it on sale again at any time.
          </p>
        </FormDialog>
      )}
    </>
  )
}
