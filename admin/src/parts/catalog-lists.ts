import { useLoad } from '../../../ui/load.ts'
import type { AdminCategory, Outlet, Paged } from '../api.ts'
import { admin, store } from '../session.ts'

const readAll = async <Item>(list: Paged<Item>) => {
  const items: Item[] = []
  for await (const item of list) items.push(item)
  return items
}

/** Every category with its path, such as "Home › Kitchen", in the order of the paths. */
export const useCategories = (): (readonly [id: string, path: string])[] => {
  const { loaded } = useLoad(`${store.value?.id} all categories`, async () =>
    withPaths(await readAll<AdminCategory>(admin().listCategories({ limit: 100 }))),
  )
  return loaded.status === 'ready' ? loaded.value : []
}

const withPaths = (categories: readonly AdminCategory[]) => {
  const known = new Map(categories.map((category) => [category.id, category]))
  const pathOf = ({ name, parentId }: AdminCategory): string => {
    const parent = parentId === null ? undefined : known.get(parentId)
    return parent ? `${pathOf(parent)} › ${name}` : name
  }
  return categories
    .map((category) => [category.id, pathOf(category)] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other))
}

/** The outlets of the store, the default one first. Empty until they are known. */
export const useOutlets = (): Outlet[] => {
  const { loaded } = useLoad(`${store.value?.id} all outlets`, async () =>
    (await readAll<Outlet>(admin().listOutlets({ limit: 100 }))).toSorted(
      (one, other) => Number(other.isDefault) - Number(one.isDefault),
    ),
  )
  return loaded.status === 'ready' ? loaded.value : []
}
