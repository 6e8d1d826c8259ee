import { chmodSync, lchownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { access, constants, mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { OperatorError } from '../../core/operator-error.ts'
import { explainFileError } from './file-errors.ts'

/** The paths of the embedded server's files. */
export type DataPaths = { dataDir: string; cluster: string; passwordFile: string; logFile: string }

/** The user that the server runs as, if not the user of this process. */
export type Account = { uid: number; gid: number }

export const resolveDataPaths = (dataDir: string): DataPaths => {
  const folder = resolve(dataDir)
  return {
    dataDir: folder,
    cluster: join(folder, 'postgres'),
    passwordFile: join(folder, 'postgres.password'),
    logFile: join(folder, 'postgres.log'),
  }
}

export const prepareDataDir = async ({ dataDir }: DataPaths): Promise<void> => {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    if (!(await stat(dataDir)).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' })
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw explainFileError(error, dataDir)
  }
}

/**
 * PostgreSQL refuses to run as root, so on Linux an unprivileged user is chosen: the owner of an existing cluster first,
 * because the files belong to that user. Other systems lack the /proc that this needs.
 */
export const chooseAccount = ({ cluster }: DataPaths): Account | undefined => {
  if (process.geteuid?.() !== 0) return undefined
  if (process.platform !== 'linux')
    throw new OperatorError('PostgreSQL refuses to run as root: start Vitrine as an ordinary user.')
  const users = readUsers()
  const owner = statSync(cluster, { throwIfNoEntry: false })
  if (owner && owner.uid !== 0)
    return { uid: owner.uid, gid: users.find((user) => user.uid === owner.uid)?.gid ?? owner.gid }
  // initdb looks up its user by number, so the user must exist.
  const chosen = users.find((user) => user.name === 'postgres') ?? users.find((user) => user.name === 'nobody')
  if (!chosen || chosen.uid === 0)
    throw new OperatorError(
      'PostgreSQL refuses to run as root and this system has neither a user postgres nor a user nobody: add ' +
        'one, or start Vitrine as an ordinary user.',
    )
  return { uid: chosen.uid, gid: chosen.gid }
}

/** A backup restored by root belongs to root and often has mode 0755. PostgreSQL accepts neither. */
export const repairOwnership = (cluster: string, account: Account | undefined): void => {
  const { uid, mode } = statSync(cluster)
  if (account && uid === 0) {
    for (const name of readdirSync(cluster, { recursive: true, encoding: 'utf8' }))
      lchownSync(join(cluster, name), account.uid, account.gid)
    // The folder itself comes last, so that an interrupted pass is repeated.
    lchownSync(cluster, account.uid, account.gid)
  }
  if ((mode & 0o027) !== 0) chmodSync(cluster, 0o700)
}

export const makePrivateDir = (path: string, account: Account | undefined): void => {
  mkdirSync(path, { mode: 0o700 })
  if (account) lchownSync(path, account.uid, account.gid)
}

/** Whether this user has the permission `wanted` (4: read, 1: execute or enter) on a file. */
export const permits = (
  stats: { uid: number; gid: number; mode: number },
  account: Account,
  wanted: number,
): boolean => {
  const shift = stats.uid === account.uid ? 6 : stats.gid === account.gid ? 3 : 0
  return ((stats.mode >> shift) & wanted) === wanted
}

const readUsers = (): { name: string; uid: number; gid: number }[] => {
  try {
    return readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .filter((fields) => fields.length >= 4)
      .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
  } catch {
    return []
  }
}
