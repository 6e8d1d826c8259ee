import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path/posix'
import { test } from 'node:test'
import { listCasts } from './casts.ts'
import { featureRanks, partsBelow } from './layers.ts'

/**
 * The rules of structure that a program can check. Each rule checks one file and names its errors with a fix;
 * ARCHITECTURE.md gives the reasons. The last test gives every rule a violation.
 */
type File = { path: string; text: string }
type Rule = (file: File) => string[]

const root = new URL('../', import.meta.url)
const read = (path: string): File => ({ path, text: readFileSync(new URL(path, root), 'utf8') })
const find = (pattern: string) => globSync(pattern, { cwd: root }).sort().map(read)

const isTest = (path: string) => /\.test\.ts$|[/-]fixture\.ts$|^test\//.test(path)

// Import directions

/** `src/features/cart/cart.ts` belongs to `features/cart`, `src/http/cors.ts` to `http`, `src/app.ts` to `app.ts`. */
const partOf = (path: string) => {
  const [, first = '', second = ''] = path.split('/')
  return first === 'features' ? `features/${second}` : first
}

const belowFeature = (name: string): readonly string[] | undefined => {
  const shared = [
    ...['features/context.ts', 'features/paging.ts', 'features/admin-etag.ts', 'features/admin-list.ts'],
    'features/searched-list.ts',
  ]
  const tools = ['core', 'db', 'http', 'jobs', 'providers', ...shared]
  if (name === 'health') return tools
  const rank = featureRanks.findIndex((names) => names.includes(name))
  if (rank < 0) return undefined
  return [
    ...tools,
    ...featureRanks
      .slice(0, rank)
      .flat()
      .map((lower) => `features/${lower}`),
  ]
}

const importsOf = ({ text }: File) => [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name)

/** The files of ours that a file imports, by path. */
const ownImportsOf = (file: File) =>
  importsOf(file)
    .filter((name) => name?.startsWith('.'))
    .map((name) => join(dirname(file.path), name as string))

const importsPointDown: Rule = (file) => {
  const part = partOf(file.path)
  const feature = /^features\/([^.]+)$/.exec(part)?.[1]
  const below = feature === undefined ? partsBelow[part] : belowFeature(feature)
  if (below === undefined) {
    return [`${file.path}: the part "${part}" has no place yet. Give it one in test/layers.ts.`]
  }
  const mayImport = (path: string) =>
    partOf(path) === part || below.some((allowed) => path === `src/${allowed}` || path.startsWith(`src/${allowed}/`))
  return ownImportsOf(file)
    .filter((path) => path.startsWith('src/') && !mayImport(path))
    .map((path) => `${file.path} imports ${path}, which is not below it. Pass in what it needs, or move it up.`)
}

/** Each import cycle once, with the files in the order in which they import each other. Imports of types count too. */
const findImportCycles = (files: readonly File[]): string[] => {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string, above: readonly string[]) => {
    const start = above.indexOf(path)
    if (start >= 0) cycles.push([...above.slice(start), path].join(' imports '))
    const file = byPath.get(path)
    if (start >= 0 || file === undefined || done.has(path)) return
    for (const next of ownImportsOf(file)) visit(next, [...above, path])
    done.add(path)
  }
  for (const { path } of files) visit(path, [])
  return cycles.map((cycle) => `${cycle}. Move what both need to a file of its own.`)
}

const contractsStandAlone: Rule = (file) => {
  if (!file.path.endsWith('.contract.ts')) return []
  const mayImport = (path: string) =>
    path.startsWith('src/core/') ||
    path === 'src/http/endpoint.ts' ||
    path === 'src/http/schema.ts' ||
    path.endsWith('.contract.ts')
  return ownImportsOf(file)
    .filter((path) => !mayImport(path))
    .map((path) => `${file.path} imports ${path}. A contract only declares shapes: keep what decides in the use case.`)
}

const onlyRoutesSeeFastify: Rule = (file) => {
  const maySee = file.path.startsWith('src/http/') || file.path === 'src/app.ts' || file.path.endsWith('.routes.ts')
  if (maySee || !importsOf(file).includes('fastify')) return []
  return [`${file.path} imports fastify. Keep HTTP in the *.routes.ts file, and pass on plain values.`]
}

const operatorErrorsStayOutside: Rule = (file) => {
  const isForOperators = /^src\/(cli|service|db|core)\/|^src\/config\.ts$/.test(file.path)
  if (isForOperators || !ownImportsOf(file).includes('src/core/operator-error.ts')) return []
  return [`${file.path} imports OperatorError. Refuse with an error of src/core/domain-errors.ts.`]
}

// Where things stand

const taggedSql = /\.(?:many|one|maybeOne|run)\s*(?:<[^`]*>)?\s*`|\bsql`|\.query\(/

const sqlHasItsPlace: Rule = ({ path, text }) => {
  if (path.startsWith('src/db/') || path.endsWith('.sql.ts')) return []
  const found = taggedSql.exec(text)
  if (found === null) return []
  return [`${path}:${lineOf(text, found.index)} holds SQL. Make it a function in the *.sql.ts file beside it.`]
}

const lineOf = (text: string, index: number) => text.slice(0, index).split('\n').length

const longestFile = 400

const filesAreShort: Rule = ({ path, text }) => {
  const lines = text.trimEnd().split('\n').length
  if (lines <= longestFile) return []
  return [`${path} has ${lines} lines, more than ${longestFile}. Ask which second idea moved in, and split there.`]
}

const exported = /^export (?:async )?(?:type|interface|const|function|class) (\w+)/gm

/**
 * Exported names that are defined in several files. A use case and the statement behind it may share a name: the first
 * is in `orders.ts`, the second in a *.sql.ts beside it and is called as `sql.listOrders`.
 */
const findSharedNames = (files: readonly File[]): string[] => {
  const pathsOf = new Map<string, Set<string>>()
  for (const { path, text } of files) {
    for (const [, name = ''] of text.matchAll(exported)) {
      pathsOf.set(name, (pathsOf.get(name) ?? new Set()).add(path))
    }
  }
  const isPair = (paths: readonly string[]) =>
    paths.length === 2 &&
    paths.filter((path) => path.endsWith('.sql.ts')).length === 1 &&
    new Set(paths.map((path) => dirname(path))).size === 1
  return [...pathsOf]
    .map(([name, paths]) => [name, [...paths]] as const)
    .filter(([, paths]) => paths.length > 1 && !isPair(paths))
    .map(([name, paths]) => `${name} is defined in ${paths.join(' and ')}. One name has one meaning: rename one.`)
}

type Unwanted = { pattern: RegExp; where: (path: string) => boolean; alsoInComments: boolean; advice: string }

const anywhere = () => true
const inTypeScript = (path: string) => path.endsWith('.ts')
const inProduct = (path: string) => path.startsWith('src/') && !isTest(path)

const inDomain = (path: string) =>
  (path.startsWith('src/features/') && !isTest(path)) || path === 'src/core/domain-errors.ts'

/** Written so that the patterns do not find themselves. */
const unwanted: Unwanted[] = [
  {
    pattern: /\b(T[O]DO|F[I]XME|X[X]X)\b/,
    where: anywhere,
    alsoInComments: true,
    advice: 'Do it now, or describe it in an issue.',
  },
  {
    // What follows tells the type from the word in a sentence.
    pattern: /\bas an[y](?=\s*($|[)\]};,.|&>]))|<an[y]>/,
    where: inTypeScript,
    alsoInComments: false,
    advice: 'Say the type, or `unknown` and check it.',
  },
  {
    pattern: /@ts-(ignor[e]|nochec[k]|expect-erro[r])/,
    where: inTypeScript,
    alsoInComments: true,
    advice: 'Make the compiler agree.',
  },
  {
    pattern: /\bconsol[e]\./,
    where: inProduct,
    alsoInComments: false,
    advice: 'Log through the logger, or print through cli/output.ts.',
  },
  {
    pattern: /\b(test|it|describe)\.(onl[y]|ski[p]|tod[o])\b/,
    where: inTypeScript,
    alsoInComments: true,
    advice: 'Every test runs, always; t.skip(reason) is for what the machine lacks.',
  },
  {
    // Custom properties of CSS look like flags, but for the colon or the bracket beside them.
    pattern: /(?<![(\w-])--[a-z][\w-]*(?![\w-]|\s*:)|\bvitrine [a-z]/,
    // Mail to a store names the command that helps: it is read away from the command line.
    where: (path) => inDomain(path) && path !== 'src/features/mail/messages/merchant-messages.ts',
    alsoInComments: false,
    advice: 'Refuse with a code and data; src/cli/domain-errors.ts names the flag or the command.',
  },
  {
    pattern: /(?:\b(?:fail|refuse|Error)\(.*|\b(?:HTTP|status) )\b[45]\d\d\b/,
    where: (path) => inDomain(path) && !path.endsWith('.contract.ts'),
    alsoInComments: false,
    advice: 'Refuse with a code; src/http chooses the status.',
  },
]

const nothingUnwanted: Rule = ({ path, text }) =>
  text.split('\n').flatMap((line, i) =>
    unwanted
      .filter(({ where, pattern }) => where(path) && pattern.test(line))
      .filter(({ alsoInComments }) => alsoInComments || !/^\s*(\/\/|\/?\*)/.test(line))
      .map(({ advice }) => `${path}:${i + 1} has "${line.trim()}". ${advice}`),
  )

const migrationsAreNumbered = (paths: readonly string[]) =>
  paths
    .map((path) => basename(path))
    .sort()
    .flatMap((name, i) => {
      const wanted = String(i + 1).padStart(4, '0')
      if (new RegExp(`^${wanted}_[a-z0-9_]+\\.sql$`).test(name)) return []
      return [`The migration ${name} should be called ${wanted}_what_it_does.sql: no gap, no number twice.`]
    })

type Manifest = Record<string, Record<string, string> | undefined>

const versionsAreExact = (manifest: Manifest) =>
  ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {})
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `package.json asks for ${name} "${version}". Install it with npm install -E.`),
  )

/** Casts in the product. Lower the number when one is removed; a type guard or `mustExist` is nearly always better. */
const maxCasts = 48

const castsAreFew = (casts: readonly string[]) =>
  casts.length <= maxCasts
    ? []
    : [`There are ${casts.length} casts, more than ${maxCasts}. Let the compiler know the type:\n${casts.join('\n')}`]

// The tests

const assertTidy = (faults: readonly string[]) => assert.ok(faults.length === 0, `\n${faults.join('\n')}`)
const check = (files: readonly File[], rule: Rule) => {
  assert.ok(files.length > 0, 'no file was looked at')
  assertTidy(files.flatMap(rule))
}

const source = find('src/**/*.ts').filter(({ path }) => !isTest(path))
const everything = find('{src,test,bench,bin,docs}/**/*.{ts,js,sql,md}').concat(
  find('{admin,demo,ui}/**/*.{ts,tsx}'),
  find('*.md'),
)

test('imports point down', () => check(source, importsPointDown))

test('no file imports itself through others', () => {
  const files = find('{src,sdk/src,demo/src,admin/src,ui}/**/*.{ts,tsx}')
  assert.ok(
    ['src', 'sdk', 'demo', 'admin', 'ui'].every((part) => files.some(({ path }) => path.startsWith(`${part}/`))),
  )
  assertTidy(findImportCycles(files))
})

test('pages import from each other only what is in ui, and nothing from the service', () => {
  for (const file of find('{admin/src,demo/src,ui}/**/*.{ts,tsx}')) {
    for (const [, from = ''] of file.text.matchAll(/from '(\.[^']+)'/g)) {
      const target = join(dirname(file.path), from)
      const [part = ''] = file.path.split('/')
      const allowed = part === 'ui' ? ['ui'] : [part, 'ui', 'sdk']
      assert.ok(allowed.includes(target.split('/')[0] ?? ''), `${file.path} imports ${target}`)
    }
  }
})

test('a contract needs nothing but core, endpoint, schema and other contracts', () =>
  check(source, contractsStandAlone))

test('Fastify is seen only by src/http, app.ts and routes', () => check(source, onlyRoutesSeeFastify))

test('only code for operators throws an OperatorError', () => check(source, operatorErrorsStayOutside))

test('an exported name is defined in one file', () => assertTidy(findSharedNames(source)))

test('SQL stands only in *.sql.ts and src/db', () => check(source, sqlHasItsPlace))

test(`no source file is longer than ${longestFile} lines`, () =>
  check(
    everything.filter(({ path }) => !path.endsWith('.md')),
    filesAreShort,
  ))

test('no unfinished code, no suppressed compiler error, no stray print, no skipped test', () =>
  check(everything, nothingUnwanted))

test('migrations are numbered without gaps', () => {
  const paths = globSync('src/**/*.sql', { cwd: root })
  assert.ok(paths.length > 0)
  assert.deepEqual([...new Set(paths.map((path) => dirname(path)))], ['src/db/migrations'])
  assertTidy(migrationsAreNumbered(paths))
})

test('dependencies have exact versions', () => assertTidy(versionsAreExact(JSON.parse(read('package.json').text))))

test(`no more than ${maxCasts} casts outside of tests`, () => {
  const casts = listCasts('{src,sdk/src}/**/*.ts').filter((cast) => !isTest(cast.split(':', 1).join()))
  assert.ok(casts.length > 0)
  assertTidy(castsAreFew(casts))
})

test('each rule refuses its violation', () => {
  const refused: [Rule, path: string, text: string][] = [
    [importsPointDown, 'src/core/money.ts', "import { listen } from '../db/listen.ts'"],
    [importsPointDown, 'src/db/listen.ts', "import { cors } from '../http/cors.ts'"],
    [importsPointDown, 'src/http/cors.ts', "import type { Store } from '../features/context.ts'"],
    [importsPointDown, 'src/features/catalog/catalog.ts', "const { x } = await import('../stores/stores.ts')"],
    [
      importsPointDown,
      'src/features/access/storefront-door.ts',
      "import { listProducts } from '../catalog/catalog.ts'",
    ],
    [importsPointDown, 'src/features/health/health.ts', "import { showStore } from '../catalog/store.ts'"],
    [importsPointDown, 'src/features/catalog/catalog.ts', "import { loadConfig } from '../../config.ts'"],
    [importsPointDown, 'src/features/surprise/surprise.ts', ''],
    [contractsStandAlone, 'src/features/cart/cart.contract.ts', "import { routes } from '../context.ts'"],
    [contractsStandAlone, 'src/features/cart/cart.contract.ts', "import { cors } from '../../http/cors.ts'"],
    [onlyRoutesSeeFastify, 'src/features/cart/cart.ts', "import type { FastifyRequest } from 'fastify'"],
    [operatorErrorsStayOutside, 'src/features/a/b.ts', "import { OperatorError } from '../../core/operator-error.ts'"],
    [operatorErrorsStayOutside, 'src/http/cors.ts', "import { OperatorError } from '../core/operator-error.ts'"],
    [sqlHasItsPlace, 'src/features/cart/cart.ts', 'tx.many<{\n  id: string\n}>`\n  select 1`'],
    [sqlHasItsPlace, 'src/features/cart/cart.ts', 'const all = sql`true`'],
    [sqlHasItsPlace, 'src/cli/cart.ts', "await client.query('select 1')"],
    [filesAreShort, 'src/core/long.ts', 'x\n'.repeat(longestFile + 1)],
    [nothingUnwanted, 'src/core/money.ts', `// ${['TO', 'DO'].join('')}: round`],
    [nothingUnwanted, 'src/core/money.ts', `const x = y as ${['an', 'y'].join('')}`],
    [nothingUnwanted, 'src/core/money.ts', `// @ts-${'ignore'}`],
    [nothingUnwanted, 'src/core/money.ts', `${'console'}.log(1)`],
    [nothingUnwanted, 'test/a.test.ts', `test.${'only'}('x')`],
    [nothingUnwanted, 'src/features/cart/cart.ts', "throw fail('CONFLICT', 'Name one with --store.')"],
    [nothingUnwanted, 'src/features/cart/cart.ts', "message: '--replace helps'"],
    [nothingUnwanted, 'src/core/domain-errors.ts', '`Make one with "vitrine store create".`'],
    [nothingUnwanted, 'src/features/cart/cart.ts', "throw fail('NOT_FOUND', 'The provider answered 404.')"],
    [nothingUnwanted, 'src/features/cart/cart.ts', "const text = 'It ended with HTTP 503.'"],
  ]
  for (const [rule, path, text] of refused) {
    assert.equal(rule({ path, text }).length, 1, `${rule.name} should refuse ${path}: ${text.slice(0, 80)}`)
  }
  const cyclic = findImportCycles([
    { path: 'demo/src/a.tsx', text: "import { B } from './parts/b.ts'" },
    { path: 'demo/src/parts/b.ts', text: "import type { C } from './c.ts'" },
    { path: 'demo/src/parts/c.ts', text: "import { b } from './b.ts'" },
  ])
  assert.deepEqual(
    cyclic.map((fault) => fault.split('. ')[0]),
    ['demo/src/parts/b.ts imports demo/src/parts/c.ts imports demo/src/parts/b.ts'],
  )
  const shared = findSharedNames([
    { path: 'src/features/cart/cart.ts', text: 'export type Place = string\nexport const listLines = () => []' },
    { path: 'src/features/cart/cart.sql.ts', text: 'export const listLines = () => []' },
    { path: 'src/db/place.ts', text: 'export type Place = number' },
  ])
  assert.deepEqual(
    shared.map((fault) => fault.split('. ')[0]),
    ['Place is defined in src/features/cart/cart.ts and src/db/place.ts'],
  )
  assert.equal(migrationsAreNumbered(['a/0001_one.sql', 'a/0003_three.sql']).length, 1)
  assert.equal(migrationsAreNumbered(['a/0001_one.sql', 'a/0001_two.sql']).length, 1)
  const casts = listCasts('test/faulty/casts.ts')
  assert.deepEqual(casts, ['test/faulty/casts.ts:6 as string', 'test/faulty/casts.ts:7 as number'])
  assert.equal(castsAreFew(Array(maxCasts + 1).fill('a cast')).length, 1)
  assert.equal(versionsAreExact({ dependencies: { a: '^1.0.0', b: '1.2.3-beta.17', c: 'latest' } }).length, 2)
})
