import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CachedAnswer, makeCachedAnswer } from '../http/cached-answers.ts'

/** The page, and by name the scripts and styles that it loads from /assets/. */
type ShopAssets = { page: string; assets: ReadonlyMap<string, { answer: CachedAnswer; type: string }> }

const root = fileURLToPath(new URL('../../', import.meta.url))
/** Where the build of a package puts the assets. A checkout does not have this folder and bundles them itself. */
const builtFolder = fileURLToPath(new URL('./built/', import.meta.url))

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Loads the files of the demo shop. In a checkout they are bundled at the first request and again after a change, so
 * that a developer can edit and reload. In a package they are prebuilt.
 */
export const createAssetLoader = () => {
  let made: { assets: Promise<ShopAssets>; stamp: number } | undefined
  return (): Promise<ShopAssets> => {
    const stamp = existsSync(builtFolder) ? 0 : newestChange()
    if (made === undefined || made.stamp !== stamp) {
      made = { assets: stamp === 0 ? Promise.resolve(readBuilt()) : bundleShop().then(toAssets), stamp }
      // A failed bundle is tried again at the next request, which may come after the error was fixed.
      made.assets.catch(() => {
        made = undefined
      })
    }
    return made.assets
  }
}

/** False for a package without the built shop, and for a checkout without esbuild. */
export const hasShop = () =>
  existsSync(builtFolder) ||
  (existsSync(join(root, 'demo/index.html')) && existsSync(join(root, 'node_modules/esbuild')))

const newestChange = () =>
  Math.max(
    ...globSync(['demo/index.html', 'demo/src/**', 'ui/**', 'sdk/src/**'], { cwd: root }).map(
      (file) => statSync(join(root, file)).mtimeMs,
    ),
  )

type ShopFiles = { page: string; files: Map<string, string> }

/** Bundles the shop, its styles and the client that it uses. */
export const bundleShop = async (): Promise<ShopFiles> => {
  const esbuild = await import('esbuild')
  const { outputFiles } = await esbuild.build({
    entryPoints: { main: join(root, 'demo/src/main.tsx'), style: join(root, 'demo/src/style.css') },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    absWorkingDir: root,
    outdir: join(root, 'built'),
    write: false,
    logLevel: 'silent',
  })
  return {
    page: readFileSync(join(root, 'demo/index.html'), 'utf8'),
    files: new Map(outputFiles.map(({ path, text }) => [path.slice(join(root, 'built/').length), text])),
  }
}

const readBuilt = (): ShopAssets => {
  const folder = join(builtFolder, 'assets')
  return toAssets({
    page: readFileSync(join(builtFolder, 'index.html'), 'utf8'),
    files: new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])),
  })
}

const toAssets = ({ page, files }: ShopFiles): ShopAssets => ({
  page,
  assets: new Map(
    [...files].map(([name, text]) => [
      name,
      { answer: makeCachedAnswer(text), type: types[extname(name)] ?? 'application/octet-stream' },
    ]),
  ),
})
