import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { test } from 'node:test'
import { type Node, parse } from 'acorn'

// Its other backends are a binary and a Java program, which a machine may lack.
process.env.RECHECK_BACKEND = 'pure'
const { check } = await import('recheck')

const root = new URL('../', import.meta.url)

/**
 * Text from outside reaches these. Left out is what reads the output of programs on the same machine or an operator's
 * own flags.
 */
const files = globSync('{src,sdk/src}/**/*.ts', {
  cwd: root,
  exclude: ['**/*.test.ts', '**/fixture.ts', 'src/cli/**', 'src/db/embedded/**'],
}).sort()

type RegExpLiteral = { regex: { pattern: string; flags: string } }

const literalsOf = (path: string) => {
  const found: RegExpLiteral['regex'][] = []
  const visit = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return
    if ('regex' in node) found.push((node as RegExpLiteral).regex)
    else for (const child of Object.values(node)) visit(child)
  }
  const code = stripTypeScriptTypes(readFileSync(new URL(path, root), 'utf8'))
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true }) satisfies Node)
  return found
}

const faultOf = async ({ pattern, flags }: RegExpLiteral['regex']) => {
  const result = await check(pattern, flags, { timeout: 60_000 })
  if (result.status === 'safe') return null
  return result.status === 'vulnerable' ? result.complexity.summary : 'not decided'
}

test('no text can make a regular expression take more than time in proportion to its length', async () => {
  const faults: string[] = []
  const known = new Map<string, string | null>()
  for (const path of files) {
    for (const literal of literalsOf(path)) {
      const text = `/${literal.pattern}/${literal.flags}`
      if (!known.has(text)) known.set(text, await faultOf(literal))
      const fault = known.get(text)
      if (fault) faults.push(`${path} ${text}: ${fault}`)
    }
  }
  assert.ok(known.size > 50, 'the literals were found')
  assert.deepEqual(faults, [])
})

test('the checker finds the patterns that once blocked the service', async () => {
  for (const pattern of ['eyJ[\\w-]{8,}\\.[\\w.-]{8,}', '(?<=:\\/\\/[^/\\s:@"]*:)[^@\\s"]+(?=@)']) {
    assert.notEqual(await faultOf({ pattern, flags: 'gi' }), null, pattern)
  }
})
