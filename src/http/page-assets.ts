import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions } from 'esbuild'
import { type CachedAnswer, makeCachedAnswer } from './cached-answers.ts'

/**
 * A page with its scripts and styles: the folder of its source, the path from which it loads its files, and the files
 * that its document names. With `isCachedForGood` these have names that change with their content too.
 */
export type WebPage = {
  folder: 'demo' | 'admin'
  publicPath: string
  entries: readonly string[]
  isCachedForGood: boolean
}

const entries = ['main.tsx', 'style.css']
export const demoShop: WebPage = { folder: 'demo', publicPath: '/assets', entries, isCachedForGood: false }
export const adminPage: WebPage = {
  ...{ folder: 'admin', publicPath: '/admin/assets', entries: ['ahead.ts', ...entries], isCachedForGood: true },
}

/** The page, and its scripts and styles by name. */
type PageAssets = { page: string; assets: ReadonlyMap<string, { answer: CachedAnswer; type: string }> }

const root = fileURLToPath(new URL('../../', import.meta.url))
/** Where the build of a package puts the files. A checkout does not have this folder and bundles them itself. */
const builtFolderOf = ({ folder }: WebPage) => fileURLToPath(new URL(`../built/${folder}/`, import.meta.url))

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Loads the files of a page. In a checkout they are bundled at the first request and again after a change, so that a
 * developer can edit and reload. In a package they are prebuilt. `has` tells whether the files that were loaded last are
 * enough, because looking for changes takes longer than sending a file.
 */
export const createAssetLoader = (source: WebPage) => {
  const { folder } = source
  return async (has: (known: PageAssets) => boolean = () => false): Promise<PageAssets> => {
    const known = await loaded.get(folder)?.assets
    if (known !== undefined && has(known)) return known
    const stamp = existsSync(builtFolderOf(source)) ? 0 : newestChange(source)
    const last = loaded.get(folder)
    if (last?.stamp === stamp) return last.assets
    const assets = stamp === 0 ? Promise.resolve(readBuilt(source)) : bundlePage(source).then(toAssets)
    loaded.set(folder, { assets, stamp })
    // A failed bundle is tried again at the next request, which may come after the error was fixed.
    assets.catch(() => {
      if (loaded.get(folder)?.assets === assets) loaded.delete(folder)
    })
    return assets
  }
}

/** What was loaded last, for all servers of this process: tests start many, and a bundle takes a third of a second. */
const loaded = new Map<WebPage['folder'], { assets: Promise<PageAssets>; stamp: number }>()

/** False for a package without the built page, and for a checkout without esbuild. */
export const hasPage = (source: WebPage) =>
  existsSync(builtFolderOf(source)) ||
  (existsSync(join(root, source.folder, 'index.html')) && existsSync(join(root, 'node_modules/esbuild')))

const newestChange = ({ folder }: WebPage) =>
  Math.max(
    ...globSync([`${folder}/index.html`, `${folder}/src/**`, 'ui/**', 'sdk/src/**'], { cwd: root }).map(
      (file) => statSync(join(root, file)).mtimeMs,
    ),
  )

/**
 * Elements become calls of `h`, which are shorter than those of the automatic runtime that the type check knows. Each file
 * imports it itself, so that files without elements need no Preact.
 */
const elements = {
  tsconfigRaw: {},
  jsx: 'transform',
  jsxFactory: 'jsxElement',
  jsxFragment: 'JsxFragment',
  plugins: [
    {
      name: 'elements',
      setup: ({ onLoad }) =>
        onLoad({ filter: /\.tsx$/ }, ({ path }) => ({
          contents: `import { Fragment as JsxFragment, h as jsxElement } from 'preact'; ${readFileSync(path, 'utf8')}`,
          loader: 'tsx',
        })),
    },
  ],
} satisfies BuildOptions

type PageFiles = { page: string; files: Map<string, string> }

/** Bundles a page, its styles and the client that it uses. What it imports on demand becomes a file of its own. */
export const bundlePage = async ({ folder, publicPath, entries, isCachedForGood }: WebPage): Promise<PageFiles> => {
  const esbuild = await import('esbuild')
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: entries.map((name) => join(root, folder, 'src', name)),
    entryNames: isCachedForGood ? '[name]-[hash]' : '[name]',
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    ...elements,
    absWorkingDir: root,
    outdir: join(root, 'built'),
    chunkNames: '[name]-[hash]',
    publicPath,
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  return {
    page: nameFiles(readFileSync(join(root, folder, 'index.html'), 'utf8'), publicPath, metafile.outputs),
    files: new Map(outputFiles.map(({ path, text }) => [path.slice(join(root, 'built/').length), text])),
  }
}

type Outputs = Record<string, { entryPoint?: string; imports: readonly { path: string; kind: string }[] }>

/**
 * Writes the names of the files into the document, with the files that a script imports: the browser then asks for all of
 * them at once and not for one after the other.
 */
const nameFiles = (page: string, publicPath: string, outputs: Outputs) => {
  const nameOf = (path: string) => path.slice('built/'.length)
  const importedBy = (path: string): string[] =>
    (outputs[path]?.imports ?? [])
      .filter(({ kind }) => kind === 'import-statement')
      .flatMap((imported) => [imported.path, ...importedBy(imported.path)])
  return page.replaceAll(/^.*"__FILE__\/([\w.]+)".*$/gm, (line, entry: string) => {
    const path = Object.keys(outputs).find((output) => outputs[output]?.entryPoint?.endsWith(`/src/${entry}`))
    if (path === undefined) throw new Error(`the document names ${entry}, which is not bundled`)
    const links = [...new Set(importedBy(path))].map(
      (imported) => `<link rel="modulepreload" href="${publicPath}/${nameOf(imported)}">\n`,
    )
    return links.join('') + line.replace(`__FILE__/${entry}`, () => `${publicPath}/${nameOf(path)}`)
  })
}

const readBuilt = (source: WebPage): PageAssets => {
  const folder = join(builtFolderOf(source), 'assets')
  return toAssets({
    page: readFileSync(join(builtFolderOf(source), 'index.html'), 'utf8'),
    files: new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])),
  })
}

const toAssets = ({ page, files }: PageFiles): PageAssets => ({
  page,
  assets: new Map(
    [...files].map(([name, text]) => [
      name,
      { answer: makeCachedAnswer(text), type: types[extname(name)] ?? 'application/octet-stream' },
    ]),
  ),
})
