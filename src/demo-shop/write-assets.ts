import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stop } from 'esbuild'
import { bundleShop } from './assets.ts'

/** A step of the package build: writes the bundled shop to a folder. */
const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Usage: node write-assets.ts FOLDER')
const { page, files } = await bundleShop()
mkdirSync(join(folder, 'assets'), { recursive: true })
writeFileSync(join(folder, 'index.html'), page)
for (const [name, text] of files) writeFileSync(join(folder, 'assets', name), text)
await stop()
