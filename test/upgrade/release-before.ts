import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { newFolder, root } from '../../src/cli/fixture.ts'

/**
 * The release before this one, as a commit of this repository.
 *
 * At each release, after its commit is tagged, this becomes that commit: the next version is then tested against it. Until
 * 0.2.0 is released, a commit stands for it that has all migrations that need all instances to be stopped.
 */
const releaseBefore = { commit: '8865f6e', version: '0.2.0' }

/** HISTORY=required fails where the commit is missing, as in a shallow clone or a package. */
const hasHistory = (() => {
  try {
    execFileSync('git', ['cat-file', '-e', `${releaseBefore.commit}^{commit}`], { cwd: root, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()
const missing = `the commit ${releaseBefore.commit} of test/upgrade/release-before.ts is not in this repository`

/** Why tests with the release before are skipped, or false. */
export const lacksReleaseBefore = !hasHistory && process.env.HISTORY !== 'required' && missing

/** Returns the folder. */
export const checkOutReleaseBefore = (t: TestContext) => {
  assert.ok(hasHistory, missing)
  const folder = join(newFolder(t, 0o755), 'old')
  mkdirSync(folder)
  const paths = ['src', 'admin', 'ui', 'sdk', 'package.json']
  const files = execFileSync('git', ['archive', releaseBefore.commit, ...paths], { cwd: root, maxBuffer: 1e9 })
  execFileSync('tar', ['-x', '-C', folder], { input: files })
  const about = join(folder, 'package.json')
  writeFileSync(about, JSON.stringify({ ...JSON.parse(readFileSync(about, 'utf8')), version: releaseBefore.version }))
  equip(folder)
  return folder
}

/**
 * Versions of dependencies may differ; the release runs with those of this checkout. What only the release needs is a
 * development dependency: @fastify/under-pressure.
 */
export const equip = (folder: string) => {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  cpSync(join(root, 'test/command-worker.ts'), join(folder, 'test/command-worker.ts'))
}

/** The program of a checkout, for `startService` and `runProcess`. */
export const programIn = (folder: string, ...args: string[]) => ({
  program: [process.execPath, join(folder, 'src/main.ts'), ...args],
})
