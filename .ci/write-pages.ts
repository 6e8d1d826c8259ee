import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stop } from 'esbuild'
import { adminPage, bundlePage, demoShop } from '../src/http/page-assets.ts'

/** A step of the package build: writes the bundled pages to a folder. */
const [target] = process.argv.slice(2)
if (target === undefined) throw new Error('Usage: node write-pages.ts FOLDER')
for (const source of [demoShop, adminPage]) {
  const folder = join(target, source.folder)
  const { page, files } = await bundlePage(source)
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), page)
  for (const [name, text] of files) writeFileSync(join(folder, 'assets', name), text)
}
await stop()
