import { useState } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { Button, Empty, Show } from '../../../ui/states.tsx'
import type { AdminCategory } from '../api.ts'
import { counted } from '../format.ts'
import { useAction } from '../parts/action.ts'
import { PageHead } from '../parts/page-head.tsx'
import { type Picture, PictureField, pictureOf } from '../parts/pictures.tsx'
import { Thumb } from '../parts/thumb.tsx'
import { useUploads } from '../parts/uploads.tsx'
import { admin, may, pathTo, store } from '../session.ts'

const mostShown = 1_000

const readAll = async () => {
  const all: AdminCategory[] = []
  for await (const category of admin().listCategories({ limit: 100 })) {
    all.push(category)
    if (all.length === mostShown) break
  }
  return all
}

const childrenOf = (all: readonly AdminCategory[], parentId: string | null) =>
  all.filter((category) => category.parentId === parentId).sort((one, other) => one.position - other.position)

/** Categories in the order of the tree, with their depth. */
const inOrder = (all: readonly AdminCategory[], parentId: string | null = null, depth = 0): [AdminCategory, number][] =>
  childrenOf(all, parentId).flatMap((category) => [[category, depth], ...inOrder(all, category.id, depth + 1)])

/** The categories as a tree, whose order the shop follows. */
export const CategoriesPage = () => {
  const { loaded, reload } = useLoad(`${store.value?.id} categories`, readAll)
  const [edited, setEdited] = useState<AdminCategory | 'new' | null>(null)
  const [deleted, setDeleted] = useState<AdminCategory | null>(null)
  const all = loaded.status === 'ready' ? loaded.value : []
  return (
    <>
      <PageHead title="Categories">
        {may('catalog:write') && <Button onClick={() => setEdited('new')}>Add category</Button>}
      </PageHead>
      <Show loaded={loaded} onRetry={reload}>
        {(categories) =>
          categories.length === 0 ? (
            <Empty title="No categories yet">
              <p>Categories help shoppers find their way. Products can do without.</p>
            </Empty>
          ) : (
            <div class="panel">
              <Branch {...{ all: categories, parentId: null, reload }} onEdit={setEdited} onDelete={setDeleted} />
            </div>
          )
        }
      </Show>
      {edited !== null && (
        <CategoryDialog
          category={edited === 'new' ? null : edited}
          {...{ all, onDone: reload, onClose: () => setEdited(null) }}
        />
      )}
      {deleted && (
        <FormDialog
          {...{ title: `Delete ${deleted.name}?`, action: 'Delete', isDangerous: true }}
          onClose={() => setDeleted(null)}
          onSubmit={async () => {
            await admin().deleteCategory({ categoryId: deleted.id })
            reload()
            showNotice(`${deleted.name} is deleted.`)
          }}
        >
          <p>Only a category without products and without other categories in it can be deleted.</p>
        </FormDialog>
      )}
    </>
  )
}

type BranchProps = {
  all: readonly AdminCategory[]
  parentId: string | null
  reload: () => void
  onEdit: (category: AdminCategory) => void
  onDelete: (category: AdminCategory) => void
}

const Branch = (props: BranchProps) => {
  const { all, parentId, reload, onEdit, onDelete } = props
  const siblings = childrenOf(all, parentId)
  const { run } = useAction()
  const move = async (from: number, to: number) => {
    const moved = siblings.toSpliced(from, 1).toSpliced(to, 0, siblings[from] as AdminCategory)
    await run(async () => {
      for (const [position, category] of moved.entries()) {
        if (category.position !== position) await admin().updateCategory({ categoryId: category.id, position })
      }
    })
    reload()
  }
  return (
    <ul class="tree">
      {siblings.map((category, index) => (
        <li key={category.id}>
          <div class="tree-row">
            <span>
              <strong>{category.name}</strong>{' '}
              <a class="quiet-text" href={pathTo(`products?category=${encodeURIComponent(category.id)}`)}>
                {counted(category.productCount, 'product')}
              </a>
            </span>
            {category.image && <Thumb of={{ url: category.image, sizes: category.imageSizes }} size={40} />}
            {may('catalog:write') && (
              <div class="row">
                {(['up', 'down'] as const).map((way) => {
                  const to = way === 'up' ? index - 1 : index + 1
                  return (
                    <button
                      type="button"
                      class="icon-button"
                      aria-label={`Move ${category.name} ${way}`}
                      disabled={siblings[to] === undefined}
                      onClick={() => void move(index, to)}
                      key={way}
                    >
                      {way === 'up' ? '↑' : '↓'}
                    </button>
                  )
                })}
                <button type="button" class="text-button" onClick={() => onEdit(category)}>
                  Edit<span class="hidden"> {category.name}</span>
                </button>
                <button type="button" class="text-button" onClick={() => onDelete(category)}>
                  Delete<span class="hidden"> {category.name}</span>
                </button>
              </div>
            )}
          </div>
          {all.some(({ parentId: parent }) => parent === category.id) && <Branch {...props} parentId={category.id} />}
        </li>
      ))}
    </ul>
  )
}

const CategoryDialog = ({
  category,
  all,
  onDone,
  onClose,
}: {
  category: AdminCategory | null
  all: readonly AdminCategory[]
  onDone: () => void
  onClose: () => void
}) => {
  const [name, setName] = useState(category?.name ?? '')
  const [slug, setSlug] = useState(category?.slug ?? '')
  const [parentId, setParentId] = useState(category?.parentId ?? '')
  const [picture, setPicture] = useState<Pick<Picture, 'id' | 'url' | 'sizes'> | null>(
    category?.image ? { id: category.mediaId, url: category.image, sizes: category.imageSizes } : null,
  )
  const uploads = useUploads((medium) => setPicture(pictureOf(medium)))
  // Nothing can be within itself.
  const within = new Set(category ? [category.id, ...inOrder(all, category.id).map(([{ id }]) => id)] : [])
  const parents = inOrder(all)
    .filter(([{ id }]) => !within.has(id))
    .map(([{ id, name: text }, depth]) => [id, `${'– '.repeat(depth)}${text}`] as const)
  const submit = async () => {
    const fields = {
      ...{ name: name.trim(), parentId: parentId || null },
      ...(slug.trim() === '' ? {} : { slug: slug.trim() }),
      // A picture that is elsewhere stays.
      ...(picture && picture.id === null ? {} : { mediaId: picture?.id ?? null }),
    }
    if (category === null) await admin().createCategory(fields)
    else await admin().updateCategory({ categoryId: category.id, ...fields })
    onDone()
    showNotice(`${name.trim()} is saved.`)
  }
  return (
    <FormDialog
      title={category ? `Edit ${category.name}` : 'Add category'}
      action="Save"
      isReady={!uploads.isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField {...{ label: 'Name', name: 'name', required: true, maxLength: 120, value: name, onInput: setName }} />
      <SelectField
        {...{ label: 'In', name: 'parent', value: parentId, onChange: setParentId }}
        options={[['', 'At the top'], ...parents]}
      />
      <TextField
        {...{ label: 'Address', remark: '(optional)', name: 'slug', maxLength: 120, value: slug, onInput: setSlug }}
        help="The last part of its address in the shop. Made from the name if empty."
      />
      <PictureField label="Picture" {...{ picture, uploads, onChange: setPicture }} />
    </FormDialog>
  )
}
