import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { equalBytes } from '../../core/secrets.ts'
import type { PasswordHasher } from '../context.ts'
import { takeTurns } from './hashing-turns.ts'

/** What a hash costs: KiB of memory, passes over it, lanes. */
export type Cost = { memory: number; passes: number; parallelism: number }

/** Takes the bytes of a password to those of its hash. */
export type Derive = (password: string, salt: Buffer, cost: Cost) => Promise<Buffer>

export type HasherOptions = {
  cost?: Cost
  derive?: Derive
  atOnce?: number
  mostWaiting?: number
  longestWaitMs?: number
}

/** What OWASP asks of argon2id: some 30 ms and 19 MiB for each guess. */
export const currentCost: Cost = { memory: 19_456, passes: 2, parallelism: 1 }

/**
 * argon2id runs in the four threads that Node shares among files, names and hashes. Two at once keep the machine usable
 * and the other threads free; the rest wait, with turns that are fair to stores and callers (turns.ts).
 */
export const createPasswordHasher = ({
  cost = currentCost,
  derive = deriveArgon2id,
  atOnce = 2,
  mostWaiting = 100,
  longestWaitMs = 10_000,
}: HasherOptions = {}): PasswordHasher => {
  const hash = async (password: string) => {
    const salt = randomBytes(16)
    return writeHash(cost, salt, await derive(password, salt, cost))
  }
  // For accounts that do not exist: no password leads to it, and trying takes as long as for those that do.
  const nobodysHash = writeHash(cost, randomBytes(16), randomBytes(hashBytes))
  const check = async (password: string, stored: string | undefined) => {
    const { cost: storedCost, salt, derived } = readHash(stored ?? nobodysHash)
    return equalBytes(await derive(password, salt, storedCost), derived) && stored !== undefined
  }
  const isOutdated = (stored: string) => !stored.startsWith(writePrefix(cost))

  const inTurn = takeTurns({ atOnce, mostWaiting, longestWaitMs })
  return { inTurn: (who, work) => inTurn(who, () => work({ hash, check, isOutdated })) }
}

const hashBytes = 32

/** One password, however a keyboard composes its characters. */
const deriveArgon2id: Derive = (password, salt, cost) =>
  promisify(argon2)('argon2id', { message: password.normalize('NFKC'), nonce: salt, tagLength: hashBytes, ...cost })

/** The usual text of such hashes. It names its own cost, so that the cost can change and old hashes still be checked. */
const writeHash = (cost: Cost, salt: Buffer, derived: Buffer) =>
  `${writePrefix(cost)}${encode(salt)}$${encode(derived)}`

const writePrefix = ({ memory, passes, parallelism }: Cost) =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`

const readHash = (text: string) => {
  const [, memory, passes, parallelism, salt, derived] = hashShape.exec(text) ?? []
  if (salt === undefined || derived === undefined) throw new Error('a stored password hash has an unknown form')
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    derived: Buffer.from(derived, 'base64'),
  }
}

const hashShape = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

const encode = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
