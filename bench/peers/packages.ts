import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { beginProgress } from './progress.ts'

/** What npm installs, in the versions that are compared. */
const peerPackages = {
  vendure: { '@vendure/core': '3.7.3', pg: '8.16.3' },
  medusa: { '@medusajs/medusa': '2.21.2', '@medusajs/framework': '2.21.2', '@medusajs/cli': '2.21.2' },
} as const

/** Packages that those depend on are as they were then: the same for everyone who runs the bench. */
const asOf = '2026-10-20'

export type InstalledPeer = keyof typeof peerPackages

export const versionOf = (peer: InstalledPeer) => Object.values(peerPackages[peer])[0]

/** Installs a product outside of this project, once, and returns its folder. */
export const installPeer = async (peer: InstalledPeer, say: (text: string) => void): Promise<string> => {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const folder = join(cache, 'vitrine-bench-peers', `${peer}-${versionOf(peer)}`)
  const done = join(folder, 'installed')
  if (existsSync(done)) return folder
  mkdirSync(folder, { recursive: true })
  // With exact versions here, npm need not be told them.
  const manifest = { private: true, dependencies: peerPackages[peer] }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2))
  const end = beginProgress(say, `npm installs ${peer} ${versionOf(peer)} into ${folder}`)
  try {
    const args = ['install', '--no-audit', '--no-fund', '--loglevel', 'error', '--before', asOf]
    const child = spawn('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
    const [status] = await once(child, 'exit')
    if (status !== 0) throw new Error(`npm install of ${peer} ended with ${status}`)
  } finally {
    end()
  }
  writeFileSync(done, '')
  return folder
}
