import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { TestService, TestStore } from '../../../../test/harness.ts'
import { importCatalog } from './import.ts'
import type { ImportRequest } from './import-run.ts'

/** A file that is deleted after the test. */
export const fileOf = (t: TestContext, content: string | Uint8Array) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-import-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'products')
  writeFileSync(path, content)
  return path
}

export const jsonLines = (...products: object[]) => products.map((product) => `${JSON.stringify(product)}\n`).join('')

/** Imports into a store, from a text or from a file. */
export const importerFor = (t: TestContext, { db }: TestService, shop: Pick<TestStore, 'load'>) => {
  const fromFile = async (path: string, request: Partial<ImportRequest> = {}) =>
    importCatalog(db, await shop.load(), { ...request, path })
  return {
    fromFile,
    from: (content: string | Uint8Array, request?: Partial<ImportRequest>) => fromFile(fileOf(t, content), request),
  }
}

/** Every row of a store's catalog with the transaction that wrote it. Equal if nothing was written in between. */
export const rowVersions = async ({ db }: TestService, shop: Pick<TestStore, 'load'>) => {
  const { id } = await shop.load()
  return db.many<{ row: string; version: string }>`
    select 'product ' || id as row, xmin::text || ' ' || updated_at as version from product where store_id = ${id}
    union all select 'variant ' || id, xmin::text from variant where store_id = ${id}
    union all select 'category ' || id, xmin::text from category where store_id = ${id}
    union all select 'price ' || variant_id || outlet_id, xmin::text from price_override where store_id = ${id}
    union all select 'stock ' || variant_id || outlet_id, xmin::text || xmax::text from stock where store_id = ${id}
    union all select 'listing ' || product_id || outlet_id, xmin::text || xmax::text from listing where store_id = ${id}
    order by 1`
}
