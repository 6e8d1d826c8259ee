import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const longestMs = 120_000

/** A folder that the first test file to ask for it fills, and that all others of this run find filled. */
export const makeOnce = async (name: string, fill: (folder: string) => Promise<void>): Promise<string> => {
  const folder = join(process.env.TEST_SHARED_DIR ?? mkdtempSync(join(tmpdir(), 'vitrine-shared-')), name)
  const ready = `${folder}.ready`
  for (const deadline = Date.now() + longestMs; !existsSync(ready); await sleep(50)) {
    assert.ok(Date.now() < deadline, `another test file did not finish ${folder}`)
    if (!claim(folder)) continue
    try {
      await fill(folder)
      writeFileSync(ready, '')
    } catch (error) {
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
  }
  return folder
}

/** True for one of all that ask at once. */
const claim = (folder: string) => {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
