import { useEffect, useRef, useState } from 'preact/hooks'
import { CloseIcon } from '../../../ui/icons.tsx'
import { useLoad } from '../../../ui/load.ts'
import { Problem } from '../../../ui/states.tsx'
import { admin, store } from '../session.ts'

type Named = { slug: string; name: string }
type Scope = { categories: string[]; products: string[] }

/** Names that were read already, by store and slug. */
const known = new Map<string, string>()
const keyOf = (kind: keyof Scope, slug: string) => `${store.value?.id} ${kind} ${slug}`
const remember = (kind: keyof Scope, items: readonly Named[]) => {
  for (const { slug, name } of items) known.set(keyOf(kind, slug), name)
}

const findCategories = async (q: string) => {
  const { items } = await admin().listCategories({ ...(q && { q }), limit: 6 })
  remember('categories', items)
  return items.map(({ slug, name }) => ({ slug, name }))
}
const findProducts = async (q: string) => {
  const { items } = await admin().listProducts({ ...(q && { q }), limit: 6 })
  remember('products', items)
  return items.map(({ slug, name }) => ({ slug, name }))
}

const readNames = async ({ categories, products }: Scope) => {
  const isUnknown = (kind: keyof Scope) => (slug: string) => !known.has(keyOf(kind, slug))
  if (categories.some(isUnknown('categories'))) remember('categories', await allCategories())
  await Promise.all(
    products.filter(isUnknown('products')).map(async (productId) => {
      // A product that was deleted keeps its slug here.
      const name = await admin()
        .getProduct({ productId })
        .then((product) => product.name)
        .catch(() => productId)
      known.set(keyOf('products', productId), name)
    }),
  )
  return true
}

const allCategories = async () => {
  const found: Named[] = []
  for await (const category of admin().listCategories({ limit: 100 })) found.push(category)
  return found
}

/** The names of what a coupon is for, which the service knows by slug. */
export const useScopeNames = (scope: Scope) => {
  // Shows the slugs until the names are read.
  useLoad(`${store.value?.id} names ${[...scope.categories, ...scope.products].join()}`, () => readNames(scope))
  return (slug: string) => known.get(keyOf('categories', slug)) ?? known.get(keyOf('products', slug)) ?? slug
}

/** What a coupon is for: everything, or some categories and products. */
export const ScopeFields = ({ scope, onChange }: { scope: Scope; onChange: (scope: Partial<Scope>) => void }) => {
  const nameOf = useScopeNames(scope)
  const isLimited = scope.categories.length + scope.products.length > 0
  const [isOpen, setOpen] = useState(isLimited)
  return (
    <fieldset class="form">
      <legend class="legend">What it is for</legend>
      <div class="radios">
        <label class="check">
          <input
            type="radio"
            name="scope"
            checked={!isOpen}
            onChange={() => {
              setOpen(false)
              onChange({ categories: [], products: [] })
            }}
          />
          <span>The whole order</span>
        </label>
        <label class="check">
          <input type="radio" name="scope" checked={isOpen} onChange={() => setOpen(true)} />
          <span>Some categories or products</span>
        </label>
      </div>
      {isOpen && (
        <>
          <Picker
            label="Add a category"
            kind="categories"
            {...{ find: findCategories, chosen: scope.categories, nameOf }}
            onChange={(categories) => onChange({ categories })}
          />
          <Picker
            label="Add a product"
            kind="products"
            {...{ find: findProducts, chosen: scope.products, nameOf }}
            problem={isLimited ? '' : 'Choose a category or a product, or “The whole order”.'}
            onChange={(products) => onChange({ products })}
          />
        </>
      )}
    </fieldset>
  )
}

const Picker = ({
  label,
  kind,
  find,
  chosen,
  nameOf,
  problem = '',
  onChange,
}: {
  label: string
  kind: keyof Scope
  find: (q: string) => Promise<Named[]>
  chosen: string[]
  nameOf: (slug: string) => string
  /** Why the form cannot be sent yet. Without items a coupon would be for everything. */
  problem?: string
  onChange: (chosen: string[]) => void
}) => {
  const [typed, setQ] = useState('')
  const q = typed.trim()
  const [hits, setHits] = useState<Named[]>([])
  const [error, setError] = useState<unknown>(null)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    setError(null)
    if (q === '') return setHits([])
    let isCurrent = true
    const timer = setTimeout(() => {
      find(q).then(
        (found) => isCurrent && setHits(found),
        (thrown) => isCurrent && setError(thrown),
      )
    }, 250)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [q])
  useEffect(() => input.current?.setCustomValidity(problem), [problem])
  const open = hits.filter(({ slug }) => !chosen.includes(slug))
  const add = ({ slug }: Named) => {
    onChange([...chosen, slug])
    setQ('')
    input.current?.focus()
  }
  return (
    <div class="picker">
      {chosen.length > 0 && (
        <ul class="chips" aria-label={kind === 'categories' ? 'Chosen categories' : 'Chosen products'}>
          {chosen.map((slug) => (
            <li class="chip" key={slug}>
              {nameOf(slug)}
              <button
                type="button"
                class="icon-button"
                aria-label={`Remove ${nameOf(slug)}`}
                onClick={() => onChange(chosen.filter((one) => one !== slug))}
              >
                <CloseIcon />
              </button>
            </li>
          ))}
        </ul>
      )}
      <label class="field">
        <span>{label}</span>
        <input
          {...{ ref: input, type: 'search', placeholder: 'Search', maxLength: 100, autocomplete: 'off', value: typed }}
          onInput={(event) => setQ(event.currentTarget.value)}
          onKeyDown={(event) => {
            // Not the form around it.
            if (event.key !== 'Enter') return
            event.preventDefault()
            if (open[0]) add(open[0])
          }}
        />
      </label>
      {error !== null && <Problem error={error} />}
      <p class="hidden" role="status">
        {q === '' ? '' : open.length === 0 ? 'Nothing found' : `${open.length} found`}
      </p>
      {q !== '' && (
        <ul class="chips" aria-label="Found">
          {open.map(({ slug, name }) => (
            <li key={slug}>
              <button type="button" class="tab" onClick={() => add({ slug, name })}>
                Add {name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
