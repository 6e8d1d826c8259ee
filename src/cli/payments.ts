import { createReadStream } from 'node:fs'
import type { Config } from '../config.ts'
import { systemClock } from '../core/clock.ts'
import { OperatorError } from '../core/operator-error.ts'
import { errorMessage } from '../core/thrown.ts'
import type { Db } from '../db/database.ts'
import { createPayments, type PaymentServices } from '../features/payments/providers.ts'
import { loadSecrets } from './database.ts'
import { printWarning } from './output.ts'

/** The services of payment commands, with the secrets of the running service. */
export const paymentServices = (db: Db, config: Config): PaymentServices => ({
  db,
  clock: systemClock,
  publicUrl: config.publicUrl,
  payments: createPayments({ ...config, db, secrets: loadSecrets(config) }),
})

type CredentialOptions = { paymentCredentials?: string; paymentCredential: readonly string[] }

/**
 * The credentials of a store at its payment provider. Every user of the machine can read a command line, and the shell
 * keeps it in its history, so real secrets come from a file or standard input.
 */
export const readPaymentCredentials = async (
  { paymentCredentials: file, paymentCredential: named }: CredentialOptions,
  { production }: Config,
): Promise<Record<string, string>> => {
  if (production && named.length > 0) {
    printWarning(
      'Other users of this machine can see --payment-credential in the process list. Use --payment-credentials FILE, or - for standard input.',
    )
  }
  return { ...(file === undefined ? {} : await readCredentialFile(file)), ...readCredentialOptions(named) }
}

const maxBytes = 100_000

/** Error messages never quote the content: it may be a secret. */
export const readCredentialFile = async (file: string): Promise<Record<string, string>> => {
  const source = file === '-' ? 'Standard input' : file
  const content = parseJson(await readBytes(file, source), source)
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new OperatorError(`${source} must contain a JSON object of credentials, such as {"keyId": "…"}.`)
  }
  const credentials: Record<string, string> = {}
  for (const [name, value] of Object.entries(content)) {
    if (typeof value !== 'string' || value === '') {
      throw new OperatorError(`The credential ${name} in ${source} must be a non-empty string.`)
    }
    credentials[name] = value
  }
  return credentials
}

const readBytes = async (file: string, source: string) => {
  const parts: Buffer[] = []
  let size = 0
  try {
    const stream: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file)
    for await (const part of stream) {
      size += part.length
      if (size > maxBytes) break
      parts.push(part)
    }
  } catch (error) {
    throw new OperatorError(`${source} cannot be read: ${errorMessage(error)}.`, { cause: error })
  }
  if (size > maxBytes) throw new OperatorError(`${source} is longer than ${maxBytes} bytes.`)
  return Buffer.concat(parts)
}

const parseJson = (bytes: Buffer, source: string): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    // The parser's message quotes the text, which may be a secret.
    throw new OperatorError(`${source} is not valid JSON. It must contain a JSON object of credentials.`)
  }
}

/** `--payment-credential keyId=…`, once for each credential. */
const readCredentialOptions = (texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=')
      if (at < 1 || at === text.length - 1) {
        // The message does not quote the text, which may be a secret.
        throw new OperatorError('--payment-credential must be a name and a value, such as keyId=abc.')
      }
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
