import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build, type Metafile, type Plugin, stop } from 'esbuild'
import { bundlesIn, stampOf } from '../bin/bundle.js'

const root = fileURLToPath(new URL('../', import.meta.url))

/** Services may still run from older bundles and load parts of them later. */
const keptBundles = 5

/**
 * Bundles the program and the dependencies that it always loads into a few files: resolving, reading and linking 2,000
 * modules takes most of the time of a start.
 */
const bundle = async (outdir: string, base: string): Promise<Metafile> => {
  const { metafile, outputFiles } = await build({
    ...{
      absWorkingDir: root,
      entryPoints: ['src/main.ts', 'src/worker.ts', 'src/indexer.ts'],
      outdir,
      logLevel: 'error',
    },
    ...{ metafile: true, write: false },
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'esnext' },
    // Node keeps the text of what it runs in memory. Names stay, and with short lines a stack trace is still useful.
    ...{ minifyWhitespace: true, lineLimit: 160, legalComments: 'none' },
    // For NODE_OPTIONS=--enable-source-maps. Without it, Node does not read them.
    ...{ sourcemap: 'linked', sourcesContent: false },
    // CommonJS packages load the modules of Node with `require`.
    banner: {
      js: "import { createRequire as createRequireOfBundle } from 'node:module';const require = createRequireOfBundle(import.meta.url);",
    },
    plugins: [keepRarePackagesOut, requireHttp, keepPlaces(outdir, base)],
  })
  mkdirSync(outdir, { recursive: true })
  for (const { path, text } of outputFiles) writeFileSync(path, path.endsWith('.js') ? escapeWide(text) : text)
  return metafile
}

/** One character beyond Latin-1, which esbuild leaves in regular expressions, would double the memory of the whole text. */
const escapeWide = (text: string) =>
  text.replaceAll(/[^\0-\xff]/g, (wide) => `\\u${wide.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** What the source loads with `import()` is rarely needed, and some of it reads files of its own folder. */
const keepRarePackagesOut: Plugin = {
  name: 'keep rare packages out',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[@\w]/ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : null)),
}

/** An `import` of node:http makes Node load its whole `fetch`, which it offers there too, and a `require` does not. */
const requireHttp: Plugin = {
  name: 'require http',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:http$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'required' } : null,
    )
    onLoad({ filter: /^/, namespace: 'required' }, ({ path }) => ({ contents: `module.exports = require('${path}')` }))
  },
}

/** Modules find files by their own address, so each keeps the one that it has below `base`. */
const keepPlaces = (outdir: string, base: string): Plugin => ({
  name: 'keep places',
  setup: ({ onLoad }) => {
    const extension = base === join(root, 'src') ? '.ts' : '.js'
    onLoad({ filter: anyOf(listSources().filter((path) => read(path).includes('import.meta.url'))) }, ({ path }) => {
      const place = join(base, relative(join(root, 'src'), path)).replace(/\.ts$/, extension)
      const address = `new URL(${JSON.stringify(relative(outdir, place))}, import.meta.url).href`
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', address), loader: 'ts' }
    })
  },
})

const listSources = () => globSync('src/**/*.ts', { cwd: root, exclude: (path) => path.endsWith('.test.ts') })
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const anyOf = (paths: readonly string[]) => new RegExp(`/(${paths.map((path) => RegExp.escape(path)).join('|')})$`)

/** For `start` in a checkout. Two at once make the same, and one of them keeps its own. */
const bundleCheckout = async () => {
  const folder = bundlesIn(root)
  // Before the files are read, so that a change meanwhile is noticed at the next start.
  const seen = stampAll()
  const draft = join(folder, `draft-${process.pid}`)
  try {
    const { inputs } = await bundle(draft, join(root, 'src'))
    const stamps = Object.fromEntries(
      Object.entries(seen).filter(([path]) => !path.startsWith('src/') || path in inputs),
    )
    const name = `bundle-${createHash('sha256').update(JSON.stringify(stamps)).digest('hex').slice(0, 16)}`
    writeFileSync(join(draft, 'package.json'), '{ "type": "module" }\n')
    keep(draft, join(folder, name))
    const note = join(folder, `bundle.json.${process.pid}`)
    writeFileSync(note, JSON.stringify({ name, stamps }))
    renameSync(note, join(folder, 'bundle.json'))
    removeOldBundles(folder, name)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** A folder of this name has the same content. */
const keep = (draft: string, folder: string) => {
  try {
    renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}

/** npm writes its lock file whenever it changes a dependency. */
const stampAll = () => {
  const others = ['package-lock.json', 'node_modules/.package-lock.json', '.ci/bundle.ts', 'bin/bundle.js'].filter(
    (path) => existsSync(join(root, path)),
  )
  return Object.fromEntries([...listSources(), ...others].map((path) => [path, stampOf(join(root, path))]))
}

const removeOldBundles = (folder: string, current: string) => {
  const madeAt = (name: string) => statSync(join(folder, name)).mtimeMs
  const others = readdirSync(folder).filter((name) => name.startsWith('bundle-') && name !== current)
  const old = others.sort((one, other) => madeAt(other) - madeAt(one)).slice(keptBundles - 1)
  for (const name of old) rmSync(join(folder, name), { recursive: true, force: true })
}

/** For the package: the licences of what is bundled require that their text goes with it. */
const bundlePackage = async (outdir: string) => {
  const { inputs } = await bundle(outdir, outdir)
  const packages = Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  const texts = [...new Set(packages)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(read(`${folder}/package.json`))
    const files = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|notice)/i.test(file))
    return [`${name} ${version}, ${license}`, ...files.map((file) => read(`${folder}/${file}`).trim())].join('\n\n')
  })
  writeFileSync(join(outdir, 'licences-of-dependencies.txt'), `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
}

const { target } = parseArgs({ options: { target: { type: 'string' } } }).values
if (target === undefined) await bundleCheckout()
else await bundlePackage(join(root, target))
await stop()
