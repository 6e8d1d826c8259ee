import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

test('the packed package, installed in an empty project, runs its command line', (t) => {
  const project = mkdtempSync(join(tmpdir(), 'vitrine-package-'))
  t.after(() => {
    rmSync(project, { recursive: true, force: true })
    rmSync('dist', { recursive: true, force: true })
  })
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  execFileSync('npm', ['pack', '--pack-destination', project], { stdio: 'ignore' })
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  run('npm', 'install', `./vitrine-${version}.tgz`)
  assert.equal(run('npx', 'vitrine', '--version').trim(), version)
  const made = run('npx', 'vitrine', 'seed', 'demo', '--json')
  assert.match(JSON.parse(made).storeId, /^store_/)
})
