import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const timeoutMs = 120_000

/** A folder that the first test file to need it fills; all other files of the run use it as it is. */
export const makeOnce = async (name: string, fill: (folder: string) => Promise<void>): Promise<string> => {
  const folder = join(process.env.TEST_SHARED_DIR ?? ownFolder(), name)
  const ready = `${folder}.ready`
  for (const deadline = Date.now() + timeoutMs; !existsSync(ready); await sleep(50)) {
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

let own: string | undefined

/** A file that runs without test/run.ts shares nothing, and removes its folder itself. */
const ownFolder = () => {
  if (own !== undefined) return own
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-shared-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  own = folder
  return folder
}

/** True for one caller only. */
const claim = (folder: string) => {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
