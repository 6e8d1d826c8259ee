import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isPrivate } from './compile-cache.ts'
import { newFolder, root } from './fixture.ts'

const printVersion = (variables: Record<string, string>) => {
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env
  return execFileSync(process.execPath, [join(root, 'src/main.ts'), '--version'], {
    env: { ...inherited, ...variables },
    encoding: 'utf8',
  })
}

test('compiled modules are never read from, nor written to, the shared temporary folder', (t) => {
  const temporary = newFolder(t)
  chmodSync(temporary, 0o777)
  assert.match(printVersion({ TMPDIR: temporary, VITRINE_DATA_DIR: newFolder(t) }), /^\d/)
  assert.deepEqual(readdirSync(temporary), [])
  const used = lstatSync(join(root, 'node_modules/.vitrine-compiled'))
  assert.equal(used.mode & 0o777, 0o700)
})

test('a folder for compiled modules must belong to this user alone', (t) => {
  const folder = newFolder(t)
  const open = join(folder, 'open')
  mkdirSync(open)
  chmodSync(open, 0o777)
  assert.equal(isPrivate(open), false)
  const link = join(folder, 'link')
  symlinkSync(newFolder(t), link)
  assert.equal(isPrivate(link), false)
  assert.equal(isPrivate(join(folder, 'absent/below')), false)
  const own = join(folder, 'own')
  assert.equal(isPrivate(own), true)
  assert.equal(isPrivate(own), true, 'and again')
  rmSync(own, { recursive: true })
})
