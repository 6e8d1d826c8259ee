import { createReadStream } from 'node:fs'
import type { Config } from '../config.ts'
import { systemClock } from '../core/clock.ts'
import { OperatorError } from '../core/operator-error.ts'
import { errorMessage } from '../core/thrown.ts'
import type { Db } from '../db/database.ts'
import { createPayments, type PaymentServices } from '../features/payments/providers.ts'
import { loadSecrets } from './database.ts'
import { printWarning } from './output.ts'

/** What commands about payments need, with the secrets of the service. */
export const paymentServices = (db: Db, config: Config): PaymentServices => ({
  db,
  clock: systemClock,
  publicUrl: config.publicUrl,
  payments: createPayments({ ...config, db, secrets: loadSecrets(config) }),
})

type CredentialOptions = { paymentCredentials?: string; paymentCredential: readonly string[] }

/**
 * What a store proves itself with at its provider. What is on a command line can be read by everybody on the machine and
 * stays in the history of the shell, so a file or the standard input is the way for real secrets.
 */
export const readPaymentCredentials = async (
  { paymentCredentials: file, paymentCredential: named }: CredentialOptions,
  { production }: Config,
): Promise<Record<string, string>> => {
  if (production && named.length > 0) {
    printWarning(
      'Others on this machine can read --payment-credential in the list of processes. Use --payment-credentials FILE, or - for standard input.',
    )
  }
  return { ...(file === undefined ? {} : await readCredentialFile(file)), ...readCredentialOptions(named) }
}

const mostBytes = 100_000

/** Nothing of the content is shown: it may be a secret. */
const readCredentialFile = async (file: string): Promise<Record<string, string>> => {
  const place = file === '-' ? 'The standard input' : file
  const content = parseJson(await readBytes(file, place), place)
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new OperatorError(`${place} must hold a JSON object of credentials, such as {"keyId": "…"}.`)
  }
  const credentials: Record<string, string> = {}
  for (const [name, value] of Object.entries(content)) {
    if (typeof value !== 'string' || value === '') {
      throw new OperatorError(`The credential ${name} in ${place} must be a text that is not empty.`)
    }
    credentials[name] = value
  }
  return credentials
}

const readBytes = async (file: string, place: string) => {
  const parts: Buffer[] = []
  let size = 0
  try {
    const source: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file)
    for await (const part of source) {
      size += part.length
      if (size > mostBytes) break
      parts.push(part)
    }
  } catch (error) {
    throw new OperatorError(`${place} cannot be read: ${errorMessage(error)}.`, { cause: error })
  }
  if (size > mostBytes) throw new OperatorError(`${place} is longer than ${mostBytes} bytes.`)
  return Buffer.concat(parts)
}

const parseJson = (bytes: Buffer, place: string): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    // The parser's own message quotes the text.
    throw new OperatorError(`${place} must hold a JSON object of credentials, and is not valid JSON.`)
  }
}

/** `--payment-credential keyId=…`, as often as there are credentials. */
const readCredentialOptions = (texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=')
      if (at < 1 || at === text.length - 1) {
        // Not shown: it may be a secret.
        throw new OperatorError('--payment-credential must be a name and a value, such as keyId=abc.')
      }
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
