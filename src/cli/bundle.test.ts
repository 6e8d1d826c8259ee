import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bundlesIn, chooseProgram, findBundle, stampOf } from '../../bin/bundle.js'
import { newFolder } from './fixture.ts'

/** A checkout with one source file and a bundle that was made from it. */
const bundledCheckout = (t: TestContext) => {
  const checkout = newFolder(t)
  const source = join(checkout, 'src/main.ts')
  const program = join(bundlesIn(checkout), 'bundle-1/main.js')
  mkdirSync(join(checkout, 'src'))
  mkdirSync(join(checkout, 'node_modules'))
  mkdirSync(bundlesIn(checkout), { mode: 0o700 })
  mkdirSync(join(bundlesIn(checkout), 'bundle-1'))
  writeFileSync(source, 'one')
  writeFileSync(program, '')
  const noted = { name: 'bundle-1', stamps: { 'src/main.ts': stampOf(source) } }
  writeFileSync(join(bundlesIn(checkout), 'bundle.json'), JSON.stringify(noted))
  assert.equal(findBundle(checkout), program)
  return { checkout, source, program }
}

test('a bundle is used until a file that went into it changes, whatever its time of modification says', async (t) => {
  const { checkout, source, program } = bundledCheckout(t)
  assert.equal(chooseProgram(checkout, 'order'), program)
  const { atime, mtime } = statSync(source)
  writeFileSync(source, 'two')
  utimesSync(source, atime, mtime)
  assert.equal(findBundle(checkout), undefined)
  assert.equal(chooseProgram(checkout, 'order'), source, 'the source runs')
  assert.equal(chooseProgram(checkout, 'start'), source, 'and also when no bundle can be made')
})

test('a bundle is not used if its folder belongs to others, is a link, or lacks something', (t) => {
  const others: ((checkout: string) => void)[] = [
    (checkout) => chmodSync(bundlesIn(checkout), 0o777),
    (checkout) => rmSync(join(bundlesIn(checkout), 'bundle-1/main.js')),
    (checkout) => rmSync(join(checkout, 'src/main.ts')),
    (checkout) => writeFileSync(join(bundlesIn(checkout), 'bundle.json'), '{"name":'),
    (checkout) => {
      rmSync(bundlesIn(checkout), { recursive: true })
      symlinkSync(bundlesIn(bundledCheckout(t).checkout), bundlesIn(checkout))
    },
  ]
  for (const spoil of others) {
    const { checkout } = bundledCheckout(t)
    spoil(checkout)
    assert.equal(findBundle(checkout), undefined, String(spoil))
  }
})
