import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { type Node, parse } from 'acorn'

// Its other backends are a binary and a Java program, which a machine may lack.
process.env.RECHECK_BACKEND = 'pure'

const root = new URL('../', import.meta.url)
const list = new URL('checked-regexps.json', import.meta.url)

/**
 * Files that match text from outside. Excluded are those that only read flags of operators or the output of local
 * programs.
 */
const files = globSync('{src,sdk/src}/**/*.ts', {
  cwd: root,
  exclude: ['**/*.test.ts', '**/*fixture.ts', 'src/cli/**', 'src/db/embedded/**'],
}).sort()

export type Literal = { pattern: string; flags: string }
export type Found = Literal & { path: string; text: string }

/** Every regular expression of the source. */
export const findLiterals = (): Found[] =>
  files.flatMap((path) => literalsOf(path).map((literal) => ({ ...literal, path, text: textOf(literal) })))

const textOf = ({ pattern, flags }: Literal) => `/${pattern}/${flags}`

const literalsOf = (path: string) => {
  const found: Literal[] = []
  const visit = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return
    if ('regex' in node) found.push((node as { regex: Literal }).regex)
    else for (const child of Object.values(node)) visit(child)
  }
  const code = stripTypeScriptTypes(readFileSync(new URL(path, root), 'utf8'))
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true }) satisfies Node)
  return found
}

export const faultOf = async ({ pattern, flags }: Literal) => {
  const { check } = await import('recheck')
  const result = await check(pattern, flags, { timeout: 600_000 })
  if (result.status === 'safe') return null
  return result.status === 'vulnerable' ? result.complexity.summary : 'not decided'
}

type Checked = { recheck: string; safe: string[] }

const checkerVersion = (): string => createRequire(import.meta.url)('recheck/package.json').version

/** Expressions that this version of the checker has found safe. Checking all of them takes most of a minute. */
export const readChecked = (): ReadonlySet<string> => {
  const { recheck, safe } = JSON.parse(readFileSync(list, 'utf8')) as Checked
  return new Set(recheck === checkerVersion() ? safe : [])
}

/** Checks all expressions, and returns the safe ones and the errors of the others. */
export const checkAll = async () => {
  const faults: string[] = []
  const safe = new Set<string>()
  for (const { text, path, ...literal } of findLiterals()) {
    if (safe.has(text)) continue
    const fault = await faultOf(literal)
    if (fault === null) safe.add(text)
    else faults.push(`${path} ${text}: ${fault}`)
  }
  return { faults, safe: [...safe].sort() }
}

if (import.meta.main) {
  const { safe } = await checkAll()
  writeFileSync(list, `${JSON.stringify({ recheck: checkerVersion(), safe } satisfies Checked, null, 2)}\n`)
}
