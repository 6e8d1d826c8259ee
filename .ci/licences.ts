import { globSync, readFileSync } from 'node:fs'

/** Permissive licences: they only require that the licence text is kept. */
const allowed = new Set([
  ...['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'PostgreSQL', 'BlueOak-1.0.0'],
  ...['CC0-1.0', 'Unlicense', 'Zlib', 'Python-2.0', 'Unicode-3.0', 'MIT-0'],
])

/** Packages that may be used although a licence of theirs is not on the list. */
const exceptions: readonly { packages: RegExp; license: string; reason: string }[] = [
  {
    packages: /^@img\/sharp-/,
    license: 'LGPL-3.0-or-later',
    reason: 'libvips, which sharp loads as a shared library: it can be replaced, and we neither change nor bundle it',
  },
]

export type Package = { name: string; version: string; license: string }

/** An SPDX expression: one licence of an `OR` must be allowed, and all licences of an `AND`. */
export const isAllowed = (license: string, also: readonly string[] = []): boolean => {
  const text = license.trim()
  const inner = /^\((.*)\)$/.exec(text)?.[1]
  if (inner !== undefined && !/[()]/.test(inner)) return isAllowed(inner, also)
  if (/[()]/.test(text)) return false
  const isOne = (name: string) => allowed.has(name) || also.includes(name)
  return text.split(/ OR /i).some((choice) => choice.split(/ AND /i).every((part) => isOne(part.trim())))
}

export const findRefused = (packages: readonly Package[]) =>
  packages.filter(({ name, license }) => {
    const excepted = exceptions.filter((exception) => exception.packages.test(name))
    return !isAllowed(
      license,
      excepted.map((exception) => exception.license),
    )
  })

type Locked = {
  version?: string
  license?: string
  dev?: boolean
  link?: boolean
  dependencies?: Record<string, string>
}
type Lock = { packages: Record<string, Locked> }

/** What an installation for production brings, and what is bundled into what we ship. */
export const shippedPackages = (lock: Lock, imported: ReadonlySet<string>): Package[] => {
  const bundled = withDependencies(lock, imported)
  return namedEntries(lock)
    .filter(({ dev, link, name }) => !link && (!dev || bundled.has(name)))
    .map(({ name, version = '', license = 'none' }) => ({ name, version, license }))
}

const namedEntries = (lock: Lock) =>
  Object.entries(lock.packages)
    .filter(([path]) => path.includes('node_modules/'))
    .map(([path, entry]) => ({
      ...entry,
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    }))

/** A bundler follows imports into packages, so the dependencies of a bundled package are bundled too. */
const withDependencies = (lock: Lock, imported: ReadonlySet<string>): ReadonlySet<string> => {
  const entries = namedEntries(lock)
  const bundled = new Set(imported)
  // A set also visits the names that are added on the way.
  for (const name of bundled) {
    for (const entry of entries.filter((each) => each.name === name)) {
      for (const dependency of Object.keys(entry.dependencies ?? {})) bundled.add(dependency)
    }
  }
  return bundled
}

const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** The packages that the demo shop and the client import. */
export const findImported = () => {
  const names = globSync('{demo,sdk}/src/**/*.{ts,tsx}', { cwd: root }).flatMap((path) =>
    [...read(path).matchAll(/\b(?:from|import) ?\(?'((?:@[\w.-]+\/)?[\w-][\w.-]*)[/']/g)].map(([, name = '']) => name),
  )
  return new Set(names)
}

/** The licence in the lock file comes from the registry; the installed package must name the same one. */
const findDifferences = (packages: readonly Package[]) =>
  packages.filter(({ name, version, license }) => {
    try {
      const installed = JSON.parse(read(`node_modules/${name}/package.json`))
      return installed.version === version && installed.license !== license
    } catch {
      // Not for this system, or inside another package.
      return false
    }
  })

const main = () => {
  const packages = shippedPackages(JSON.parse(read('package-lock.json')), findImported())
  const refused = findRefused(packages)
  for (const { name, version, license } of refused) {
    process.stderr.write(`${name} ${version} is under ${license}, which is not allowed (.ci/licences.ts).\n`)
  }
  const different = findDifferences(packages)
  for (const { name, license } of different) {
    process.stderr.write(`${name} is under ${license} in package-lock.json, and under another licence as installed.\n`)
  }
  const counts = Object.entries(Object.groupBy(packages, ({ license }) => license))
  process.stdout.write(
    `${packages.length} packages: ${counts.map(([name, of]) => `${of?.length} ${name}`).join(', ')}\n`,
  )
  if (refused.length + different.length > 0) process.exitCode = 1
}

if (import.meta.main) main()
