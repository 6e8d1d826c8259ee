import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newFolder, seededInstallation, startService, undo, until } from '../../src/cli/fixture.ts'
import { commandsIn } from '../every-command.ts'
import { checkLedger } from '../traffic/check.ts'
import { openMarket } from '../traffic/market.ts'
import { startTraffic } from '../traffic/start.ts'
import { isHealthy } from './health.ts'

/** A file system of this size, or undefined where this user may not mount one. */
const mountSmall = (t: TestContext, megabytes: number) => {
  const folder = newFolder(t)
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  if (status !== 0) return undefined
  undo(t, () => spawnSync('umount', ['-l', folder]))
  return folder
}

/** Writes until nothing more fits, and again what PostgreSQL frees in the meantime. */
const fill = async (file: string, lastsMs: number) => {
  const block = Buffer.alloc(64 * 1024)
  const descriptor = openSync(file, 'w')
  for (const deadline = performance.now() + lastsMs; performance.now() < deadline; await sleep(50)) {
    try {
      while (writeSync(descriptor, block) === block.length);
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
    }
  }
  closeSync(descriptor)
}

/** The disk of the embedded database is full, `rounds` times for `lastsMs`, while buyers buy. */
export const fillDisk = async (
  t: TestContext,
  { rounds, clients, lastsMs }: { rounds: number; clients: number; lastsMs: number },
) => {
  const folder = mountSmall(t, 400)
  if (folder === undefined) return t.skip('mounting a file system needs root')
  const installation = await seededInstallation(t)
  const settings = { ...installation, VITRINE_DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'warn' }
  execFileSync('cp', ['-Rp', installation.VITRINE_DATA_DIR, settings.VITRINE_DATA_DIR])
  mkdirSync(join(folder, 'other'))
  const service = await startService(t, settings)
  const { url } = service
  const vitrine = commandsIn(settings)
  const market = await openMarket(t, vitrine)
  const traffic = await startTraffic(t, market, { clients, choose: () => url, repeats: true })
  const check = () => checkLedger(market, traffic.ledger, { url, vitrine })
  for (let round = 1; round <= rounds; round++) {
    await traffic.awaitOrders()
    const filler = join(folder, 'other/filler')
    await fill(filler, lastsMs)
    assert.equal(statfsSync(folder).bavail, 0)
    rmSync(filler)
    const freedAt = performance.now()
    await until(() => isHealthy(url))
    await traffic.awaitOrders()
    t.diagnostic(`round ${round}: orders again ${Math.round(performance.now() - freedAt)} ms after there was space`)
    await traffic.pause(check)
  }
  await traffic.stop()
  t.diagnostic(traffic.tell())
  assert.ok((traffic.answers[503] ?? 0) > 0, 'every call succeeded while the disk was full')
  await check()
}
