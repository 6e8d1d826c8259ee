import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/**
 * Dependencies that consist of many small modules. Resolving their 800 files takes 0.3 s of processor time in each of
 * the 200 processes that `npm test` starts, so the run bundles them once.
 */
const bundled = ['typebox', 'typebox/compile', 'typebox/value', 'libphonenumber-js/min']

/** Returns the module to pass to `node --import`, which makes imports of this project use the bundles. */
export const bundleDependencies = async (folder: string): Promise<string> => {
  const root = fileURLToPath(new URL('../', import.meta.url))
  const fileOf = (name: string) => name.replaceAll('/', '-')
  await build({
    ...{ absWorkingDir: root, outdir: join(folder, 'bundled'), outExtension: { '.js': '.mjs' } },
    // With splitting, the entry points of one package share their state as its files do.
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', logLevel: 'error' },
    entryPoints: Object.fromEntries(bundled.map((name) => [fileOf(name), name])),
  })
  const urls = bundled.map((name) => [name, pathToFileURL(join(folder, 'bundled', `${fileOf(name)}.mjs`)).href])
  const hook = join(folder, 'use-bundles.mjs')
  writeFileSync(hook, hookSource(Object.fromEntries(urls), pathToFileURL(root).href))
  return pathToFileURL(hook).href
}

/** Packages that tests install elsewhere, and an older Node without hooks, load the dependencies as published. */
const hookSource = (urls: Record<string, string>, root: string) => `
import * as module from 'node:module'
const urls = new Map(Object.entries(${JSON.stringify(urls)}))
const isOurs = (parent = '') => parent.startsWith(${JSON.stringify(root)}) && !parent.includes('/node_modules/')
module.registerHooks?.({
  resolve: (name, context, next) =>
    urls.has(name) && isOurs(context.parentURL)
      ? { url: urls.get(name), format: 'module', shortCircuit: true }
      : next(name, context),
})
`
