import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { refuse } from '../core/domain-errors.ts'
import { OperatorError } from '../core/operator-error.ts'
import { errorMessage } from '../core/thrown.ts'
import type { Db } from '../db/database.ts'
import { commandLine } from '../features/audit/record.ts'
import { findProductId } from '../features/catalog/find-named.sql.ts'
import { listMedia } from '../features/media/media.sql.ts'
import { createImageQueue, deletePicture, finishUpload, storePicture } from '../features/media/media.ts'
import { showMedium } from '../features/media/show-medium.ts'
import { chooseStorage } from '../providers/storage/choose.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import { type OutputOptions, printResult, table } from './output.ts'
import { whichStore } from './which-store.ts'

type StoreOptions = OutputOptions & { store?: string }
type UploadOptions = StoreOptions & { product?: string; alt?: string }
type ListOptions = StoreOptions & { search?: string; limit: string }

const storeOption = ['--store <id>', 'store id; default: the only store, or the demo store'] as const

export const addMedia = (program: Command) => {
  const media = program.command('media').description('Upload, list and delete pictures')

  media
    .command('upload <files...>')
    .description('Store pictures with their sizes: JPEG, PNG, WebP, AVIF or GIF')
    .option('--product <id>', 'id or slug of a product that shows them after the pictures it has')
    .option('--alt <text>', 'describes the pictures to people who do not see them')
    .option(...storeOption)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine media upload teapot.jpg --product green-teapot --alt "A green teapot"')
    .action((files: string[], options: UploadOptions) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const media = { ...config.media, storage: chooseStorage(config), runInTurn: createImageQueue() }
        const ctx = { db, store, media, by: commandLine }
        const { product, alt } = options
        const productId = product === undefined ? undefined : await productIdOf(db, store, product)
        const uploaded: ReturnType<typeof showMedium>[] = []
        for (const path of files) {
          const { id } = await storePicture(ctx, { path, bytes: await sizeOf(path), name: basename(path) })
          const { medium } = await db.tx((tx) => finishUpload(tx, ctx, id, { alt, productId }))
          uploaded.push(showMedium(urlsOf(config), medium))
        }
        printResult(options, uploaded, () =>
          table(
            ['id', 'url'],
            uploaded.map(({ id, url }) => [id, url]),
          ),
        )
      }),
    )

  media
    .command('list')
    .description('List the pictures of a store, newest first')
    .option('--search <text>', 'part of the name or the text')
    .option('--limit <number>', 'how many', '50')
    .option(...storeOption)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine media list --search teapot')
    .action((options: ListOptions) =>
      withReadableDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        if (!/^[1-9]\d{0,5}$/.test(options.limit)) throw new OperatorError('--limit must be a whole number above 0.')
        const page = { before: null, limit: Number(options.limit) }
        const rows = await listMedia(db, store.id, { q: options.search ?? null }, page)
        const shown = rows.map((row) => showMedium(urlsOf(config), row))
        printResult(options, shown, () =>
          shown.length === 0
            ? 'There are no pictures.'
            : table(
                ['id', 'name', 'size', 'url'],
                shown.map(({ id, name, width, height, url }) => [id, name, `${width} × ${height}`, url]),
              ),
        )
      }),
    )

  media
    .command('delete <id>')
    .description('Delete a picture that nothing uses; orders keep showing it')
    .option(...storeOption)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine media delete med_01k8x0v3m7q2w9c4t6y8za')
    .action((id: string, options: StoreOptions) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        await db.tx((tx) => deletePicture(tx, { store, by: commandLine }, id))
        printResult(options, { id }, () => `${id} is deleted.`)
      }),
    )
}

const productIdOf = async (db: Db, store: { id: number }, product: string) => {
  const productId = await db.tx((tx) => findProductId(tx, store.id, product))
  if (productId === undefined) throw refuse('PRODUCT_NOT_FOUND', { product })
  return productId
}

const urlsOf = ({ publicUrl, media }: Config) => ({ publicUrl, mediaUrl: media.publicUrl ?? publicUrl })

const sizeOf = async (path: string) => {
  try {
    return (await stat(path)).size
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${errorMessage(error)}.`, { cause: error })
  }
}
