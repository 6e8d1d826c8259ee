import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/** Classes with a rule of their own, such as `.panel {`, and the style files that have it. */
const ownersOf = (files: readonly { name: string; text: string }[]) => {
  const owners = new Map<string, Set<string>>()
  for (const { name, text } of files) {
    const rules = text.replaceAll(/\/\*[^*]*\*\//g, '')
    for (const [, selector = ''] of rules.matchAll(/^ *(\.[\w-]+)(?=,| \{)/gm)) {
      owners.set(selector, (owners.get(selector) ?? new Set()).add(name))
    }
  }
  return owners
}

const shared = (files: readonly { name: string; text: string }[]) =>
  [...ownersOf(files)].filter(([, names]) => names.size > 1).map(([selector, names]) => [selector, ...names].join(' '))

for (const page of ['demo', 'admin']) {
  test(`a class of the ${page} page is styled in one file, so that no two screens mean different things by it`, () => {
    const files = globSync(['ui/styles/*.css', `${page}/src/styles/*.css`])
    assert.ok(files.length > 5)
    assert.deepEqual(shared(files.map((name) => ({ name, text: readFileSync(name, 'utf8') }))), [])
  })
}

test('a class in two files is found', () => {
  const one = { name: 'one.css', text: '/* .b { */\n.a,\n.b {\n}\n.a .c {\n}\n' }
  const other = { name: 'other.css', text: '@media print {\n  .b {\n  }\n}\n.c {\n}\n' }
  assert.deepEqual(shared([one, other]), ['.b one.css other.css'])
})
