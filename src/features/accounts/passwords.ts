import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { createFairQueue } from '../../core/fair-queue.ts'
import { equalBytes } from '../../core/secrets.ts'
import type { PasswordHasher } from '../context.ts'

/** argon2id parameters. `memory` in KiB. */
export type Cost = { memory: number; passes: number; parallelism: number }

/** Derives the raw hash of a password. */
export type Derive = (password: string, salt: Buffer, cost: Cost) => Promise<Buffer>

export type HasherOptions = {
  cost?: Cost
  derive?: Derive
  maxRunning?: number
  maxWaiting?: number
  maxWaitMs?: number
}

/** The OWASP recommendation for argon2id: about 30 ms and 19 MiB per hash. */
export const currentCost: Cost = { memory: 19_456, passes: 2, parallelism: 1 }

/**
 * argon2id runs in Node's pool of four threads, which also serves files and DNS lookups. Two hashes at once leave threads
 * and CPU free for the rest; further requests wait in fair queues (hashing-queue.ts).
 */
export const createPasswordHasher = ({
  cost = currentCost,
  derive = deriveArgon2id,
  maxRunning = 2,
  maxWaiting = 100,
  maxWaitMs = 10_000,
}: HasherOptions = {}): PasswordHasher => {
  const hash = async (password: string) => {
    const salt = randomBytes(16)
    return writeHash(cost, salt, await derive(password, salt, cost))
  }
  // For unknown accounts: no password matches it, and checking takes as long as for existing accounts.
  const dummyHash = writeHash(cost, randomBytes(16), randomBytes(hashBytes))
  const check = async (password: string, stored: string | undefined) => {
    const { cost: storedCost, salt, derived } = readHash(stored ?? dummyHash)
    return equalBytes(await derive(password, salt, storedCost), derived) && stored !== undefined
  }
  const isOutdated = (stored: string) => !stored.startsWith(writePrefix(cost))

  const enqueue = createFairQueue({ maxRunning, maxWaiting, maxWaitMs })
  return { runQueued: (client, work) => enqueue(client, () => work({ hash, check, isOutdated })) }
}

const hashBytes = 32

/** NFKC, because keyboards compose the same characters differently. */
const deriveArgon2id: Derive = (password, salt, cost) =>
  promisify(argon2)('argon2id', { message: password.normalize('NFKC'), nonce: salt, tagLength: hashBytes, ...cost })

/** The PHC string format. It contains the cost, so old hashes can be checked after the cost changes. */
const writeHash = (cost: Cost, salt: Buffer, derived: Buffer) =>
  `${writePrefix(cost)}${encode(salt)}$${encode(derived)}`

const writePrefix = ({ memory, passes, parallelism }: Cost) =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`

const readHash = (text: string) => {
  const [, memory, passes, parallelism, salt, derived] = hashShape.exec(text) ?? []
  if (salt === undefined || derived === undefined) throw new Error('a stored password hash has an unknown format')
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    derived: Buffer.from(derived, 'base64'),
  }
}

const hashShape = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

const encode = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
