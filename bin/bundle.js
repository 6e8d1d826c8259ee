import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Which file to run. The published package is compiled, because Node strips no types below node_modules. A checkout runs
 * a bundle of its source, which loads in a third of the time (decision 0054), or else the source itself. Only `start`
 * makes a bundle, since that takes longer than most commands.
 *
 * @param {string} root
 * @param {string | undefined} command
 */
export const chooseProgram = (root, command) => {
  const source = join(root, 'src', 'main.ts')
  if (!existsSync(source)) return join(root, 'dist', 'main.js')
  return findBundle(root) ?? (command === 'start' ? makeBundle(root) : undefined) ?? source
}

/** @param {string} root */
export const bundlesIn = (root) => join(root, 'node_modules', '.vitrine-compiled')

/**
 * The program of the last bundle, unless a file that went into it has changed. Anyone who can write to its folder can run
 * code as this user, so the folder must be ours alone.
 *
 * @param {string} root
 */
export const findBundle = (root) => {
  const folder = bundlesIn(root)
  try {
    if (!isOurs(folder)) return undefined
    const { name, stamps } = JSON.parse(readFileSync(join(folder, 'bundle.json'), 'utf8'))
    const program = join(folder, name, 'main.js')
    return Object.keys(stamps).every((path) => stampOf(join(root, path)) === stamps[path]) && existsSync(program)
      ? program
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Changes whenever the file does: no program can set the time of the last change, and copies made with the old
 * modification time get a new one.
 *
 * @param {string} file
 */
export const stampOf = (file) => {
  const { size, ctimeMs } = statSync(file)
  return `${size} ${ctimeMs}`
}

/** Without esbuild, a development dependency, or without a folder to write to, the source runs. @param {string} root */
const makeBundle = (root) => {
  const folder = bundlesIn(root)
  try {
    if (!existsSync(join(root, 'node_modules', 'esbuild'))) return undefined
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
    if (!isOurs(folder)) return undefined
  } catch {
    return undefined
  }
  // In its own process, because its memory would stay with the service.
  const { status, stderr } = spawnSync(process.execPath, [join(root, '.ci', 'bundle.ts')], {
    ...{ cwd: root, env: { ...process.env, NODE_OPTIONS: '' }, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' },
  })
  if (status !== 0) process.stderr.write(`Running from the source, which starts slower. ${stderr}\n`)
  return findBundle(root)
}

/** @param {string} folder */
const isOurs = (folder) => {
  const found = lstatSync(folder)
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
}
