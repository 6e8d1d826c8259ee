import { refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import { mustExist } from '../../core/must-exist.ts'
import { announceCatalog } from '../../db/announce.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { requireMatch } from '../admin-etag.ts'
import { compareFields, recordChange } from '../audit/record.ts'
import type { AdminCtx } from '../context.ts'
import type { CategoryRow } from './catalog.sql.ts'
import type { CategoryBody, CategoryChange } from './categories.admin.contract.ts'
import * as sql from './categories.sql.ts'
import { slugify } from './product-input.ts'
import { chooseImage, findMediaIds, usePictures } from './product-media.ts'
import { type CategoryNode, insertCategory, listCategoryNodes, lockCatalog } from './products.sql.ts'
import { categoryPaths, freeSlug } from './products.ts'
import { wordsToIndex } from './search-words.ts'
import { showImage } from './show-image.ts'

type CategoryCtx = Pick<AdminCtx, 'store' | 'publicUrl' | 'mediaUrl' | 'by' | 'ifMatch'>

/** `mediaId` is the uploaded picture; null if the image is elsewhere. */
export type ReadCategory = CategoryRow & { mediaId: string | null }

const maxLevels = 10

export const withMediaIds = async (
  db: Queries,
  store: CategoryCtx['store'],
  rows: readonly CategoryRow[],
): Promise<ReadCategory[]> => {
  const images = rows.map(({ image }) => image)
  const ids = await findMediaIds(db, store, images)
  return rows.map((row) => ({ ...row, mediaId: ids.get(row.image) ?? null }))
}

export const readCategoryRow = async (db: Queries, { store }: Pick<CategoryCtx, 'store'>, idOrSlug: string) => {
  const category = await sql.findCategory(db, store.id, idOrSlug)
  if (category === undefined) throw refuse('CATEGORY_NOT_FOUND', { category: idOrSlug })
  return mustExist((await withMediaIds(db, store, [category]))[0], 'a category')
}

export const showCategory = (ctx: Pick<CategoryCtx, 'publicUrl' | 'mediaUrl'>, row: ReadCategory) => ({
  ...row,
  image: showImage(ctx, row.image),
})

/** Without the count, which other changes move. */
export const editableCategory = ({ productCount: _, ...category }: ReadCategory) => category

export const createCategory = async (tx: Tx, ctx: CategoryCtx, body: CategoryBody): Promise<ReadCategory> => {
  const { store, by } = ctx
  await lockCatalog(tx, store.id)
  const nodes = await listCategoryNodes(tx, store.id)
  const name = readName(body.name)
  const id = newId('cat')
  const parentId = readParent(nodes, id, body.parentId ?? null)
  const path = [...categoryPaths(nodes)(parentId), name]
  const slug = body.slug ?? freeSlug(path, new Set(nodes.map((node) => node.slug)))
  const last = Math.max(-1, ...nodes.map((node) => node.position))
  const category = {
    name,
    slug,
    parentId,
    image: (await readImage(tx, ctx, body)) ?? '',
    position: body.position ?? last + 1,
  }
  checkUnique(nodes, id, category)
  await insertCategory(tx, store.id, { id, ...category, words: wordsToIndex(name) })
  await announceCatalog(tx, store.id)
  recordChange(tx, store, by, { action: 'category.created', id, changes: compareFields({}, category) })
  return readCategoryRow(tx, ctx, id)
}

export const changeCategory = async (
  tx: Tx,
  ctx: CategoryCtx,
  idOrSlug: string,
  body: CategoryChange,
): Promise<ReadCategory> => {
  const { store, by } = ctx
  await lockCatalog(tx, store.id)
  const before = await readCategoryRow(tx, ctx, idOrSlug)
  requireMatch(ctx, editableCategory(showCategory(ctx, before)))
  const nodes = await listCategoryNodes(tx, store.id)
  const { id, productCount: _, mediaId: __, ...known } = before
  const after = {
    name: body.name === undefined ? known.name : readName(body.name),
    slug: body.slug ?? known.slug,
    parentId: body.parentId === undefined ? known.parentId : readParent(nodes, id, body.parentId),
    image: (await readImage(tx, ctx, body)) ?? known.image,
    position: body.position ?? known.position,
  }
  checkUnique(nodes, id, after)
  const changes = compareFields(known, after)
  if (Object.keys(changes).length === 0) return before
  await sql.updateCategory(tx, store.id, id, after, wordsToIndex(after.name))
  // The names of a category and its parents are search words of its products.
  if (changes.name !== undefined || changes.parentId !== undefined) {
    await sql.requestNewWords(tx, store.id, id)
    tx.signal('category-words', store.id)
  }
  await announceCatalog(tx, store.id)
  recordChange(tx, store, by, { action: 'category.updated', id, changes })
  return readCategoryRow(tx, ctx, id)
}

export const deleteCategory = async (tx: Tx, ctx: CategoryCtx, idOrSlug: string): Promise<void> => {
  const { store, by } = ctx
  await lockCatalog(tx, store.id)
  const before = await readCategoryRow(tx, ctx, idOrSlug)
  requireMatch(ctx, editableCategory(showCategory(ctx, before)))
  if (!(await sql.deleteEmptyCategory(tx, store.id, before.id)))
    throw refuse('CATEGORY_NOT_EMPTY', { categoryId: before.id })
  await announceCatalog(tx, store.id)
  const { id, productCount: _, mediaId: __, ...fields } = before
  recordChange(tx, store, by, { action: 'category.deleted', id, changes: compareFields(fields, {}) })
}

/** A path of categories is written as `Home > Kitchen`. */
const readName = (text: string) => {
  const name = text.trim()
  if (name === '' || /[>\p{Cc}]/u.test(name)) throw refuse('CATEGORY_NAME_INVALID', {})
  return name
}

/** Undefined: not given. */
const readImage = async (tx: Tx, ctx: CategoryCtx, { image: address, mediaId }: CategoryChange) => {
  const pictures = await usePictures(tx, ctx.store, mediaId == null ? [] : [mediaId])
  const chosen = chooseImage(ctx, pictures, { image: address, mediaId })
  if (chosen === undefined) return undefined
  const image = chosen ?? ''
  const isOwn = image === '' || /^\/(?![/\\])/.test(image)
  if (!isOwn && !(/^https?:\/\/\S/i.test(image) && URL.canParse(image))) throw refuse('CATEGORY_IMAGE_INVALID', {})
  return image
}

/** A parent that exists, is not inside the category itself, and leaves the tree within its depth. */
const readParent = (nodes: readonly CategoryNode[], id: string, parentId: string | null) => {
  if (parentId !== null && !nodes.some((node) => node.id === parentId))
    throw refuse('CATEGORY_UNKNOWN', { category: parentId })
  const byId = new Map(nodes.map((node) => [node.id, node]))
  let levels = 1
  for (let at = parentId; at !== null; at = byId.get(at)?.parentId ?? null) {
    if (at === id) throw refuse('CATEGORY_INSIDE_ITSELF', {})
    levels++
  }
  if (levels + heightBelow(nodes, id) > maxLevels) throw refuse('CATEGORY_TOO_DEEP', { maxLevels })
  return parentId
}

const heightBelow = (nodes: readonly CategoryNode[], id: string): number =>
  Math.max(0, ...nodes.filter(({ parentId }) => parentId === id).map((child) => 1 + heightBelow(nodes, child.id)))

/** Siblings have different names: files name a category by its path. */
const checkUnique = (nodes: readonly CategoryNode[], id: string, { name, slug, parentId }: sql.CategoryFields) => {
  const others = nodes.filter((node) => node.id !== id)
  if (others.some((node) => node.parentId === parentId && node.name === name))
    throw refuse('CATEGORY_NAME_TAKEN', { name })
  if (others.some((node) => node.slug === slug)) throw refuse('CATEGORY_SLUG_TAKEN', { slug })
  const isKnown = nodes.some((node) => node.id === id && node.slug === slug)
  if (!isKnown && slugify(slug) !== slug) throw refuse('CATEGORY_SLUG_INVALID', { slug })
}
