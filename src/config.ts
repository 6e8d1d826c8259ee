import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import type { Static } from 'typebox'
import { Value } from 'typebox/value'
import { seconds } from './core/clock.ts'
import { isDatabaseUrl } from './core/database-url.ts'
import { toFields } from './core/fields.ts'
import { isMailAddress } from './core/mail-address.ts'
import { mustExist } from './core/must-exist.ts'
import { OperatorError } from './core/operator-error.ts'
import { isDecodable } from './core/text.ts'
import { parseTrustProxy } from './core/trust-proxy.ts'
import { packageVersion } from './core/version.ts'
import { Environment } from './environment.ts'

export type Config = Readonly<{
  production: boolean
  port: number
  demoPort: number
  host: string
  databaseUrl: string | null
  databaseDirectUrl: string | null
  databaseReadUrl: string | null
  databasePrepare: boolean
  databasePoolSize: number
  workers: number
  redisUrl: string | null
  redisPrefix: string
  dataDir: string
  secrets: readonly string[] | null
  internalSecrets: readonly string[]
  publicUrl: string
  trustProxy: boolean | string[]
  metricsToken: string | null
  /** The origins of the APIs of payment providers and carriers. */
  urls: Readonly<{ juspay: string; razorpay: string; stripe: string; shiprocket: string }>
  sms: Readonly<ReturnType<typeof readSms>>
  mail: Readonly<ReturnType<typeof readMail>>
  media: Readonly<ReturnType<typeof readMedia>>
  maxUploads: number
  searchIndexProducts: number
  stopDelayMs: number
  incomingTrace: Static<typeof Environment>['VITRINE_INCOMING_TRACE']
  logLevel: Static<typeof Environment>['LOG_LEVEL']
  version: string
}>

export const loadConfig = (variables: NodeJS.ProcessEnv): Config => {
  const env = parseEnvironment(variables)
  const production = env.NODE_ENV === 'production'
  if (production && env.VITRINE_PUBLIC_URL === undefined) {
    throw new OperatorError('VITRINE_PUBLIC_URL is required in production: it is the URL of this service in links.')
  }
  if (production && env.DATABASE_URL !== undefined && env.VITRINE_SECRET === undefined) {
    throw new OperatorError(
      'VITRINE_SECRET is required in production with DATABASE_URL: set at least 32 random characters.',
    )
  }
  if (env.DATABASE_READ_URL !== undefined && env.DATABASE_URL === undefined) {
    throw new OperatorError('DATABASE_URL is required with DATABASE_READ_URL: a replica has a primary.')
  }
  return Object.freeze({
    production,
    port: env.PORT,
    demoPort: env.VITRINE_DEMO_PORT ?? (env.PORT === 0 || env.PORT === 65535 ? 0 : env.PORT + 1),
    host: env.HOST ?? (production ? '0.0.0.0' : '127.0.0.1'),
    databaseUrl: env.DATABASE_URL ?? null,
    databaseDirectUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL ?? null,
    databaseReadUrl: env.DATABASE_READ_URL ?? null,
    databasePrepare: env.DATABASE_PREPARE === 'on',
    databasePoolSize: env.DATABASE_POOL_SIZE,
    workers: env.VITRINE_WORKERS === 'auto' ? availableParallelism() : Number(env.VITRINE_WORKERS),
    redisUrl: env.REDIS_URL ?? null,
    redisPrefix: env.VITRINE_REDIS_PREFIX,
    dataDir: resolve(env.VITRINE_DATA_DIR),
    secrets: env.VITRINE_SECRET === undefined ? null : splitSecrets('VITRINE_SECRET', env.VITRINE_SECRET),
    internalSecrets: splitSecrets('VITRINE_INTERNAL_SECRET', env.VITRINE_INTERNAL_SECRET ?? ''),
    publicUrl: (env.VITRINE_PUBLIC_URL ?? `http://localhost:${env.PORT}`).replace(/\/$/, ''),
    trustProxy: parseTrustProxy(env.VITRINE_TRUST_PROXY),
    metricsToken: env.VITRINE_METRICS_TOKEN ?? null,
    urls: {
      juspay: env.VITRINE_JUSPAY_URL,
      razorpay: env.VITRINE_RAZORPAY_URL,
      stripe: env.VITRINE_STRIPE_URL,
      shiprocket: env.VITRINE_SHIPROCKET_URL,
    },
    sms: readSms(env),
    mail: readMail(env),
    media: readMedia(env),
    maxUploads: env.VITRINE_MAX_UPLOADS,
    searchIndexProducts: env.VITRINE_SEARCH_INDEX_PRODUCTS,
    stopDelayMs: seconds(env.VITRINE_STOP_DELAY_SECONDS),
    incomingTrace: env.VITRINE_INCOMING_TRACE,
    logLevel: env.LOG_LEVEL,
    version: packageVersion,
  })
}

const parseEnvironment = (variables: NodeJS.ProcessEnv): Static<typeof Environment> => {
  const given: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries<object>(Environment.properties)) {
    const text = variables[name]
    const isInteger = 'type' in schema && schema.type === 'integer'
    // Many deployment tools set an unset variable to an empty string.
    if (text) given[name] = isInteger && /^\d+$/.test(text) ? Number(text) : text
  }
  const env = Value.Default(Environment, given)
  if (!Value.Check(Environment, env)) {
    const error = mustExist(Value.Errors(Environment, env)[0], 'the error of an invalid setting')
    throw refusal(error.instancePath.slice(1), describeProblem(error))
  }
  for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_READ_URL'] as const) {
    if (env[name] !== undefined && !isDatabaseUrl(env[name])) {
      throw refusal(name, 'must be a valid URL, with a comma between the servers if there are several')
    }
  }
  for (const name of [
    'REDIS_URL',
    'VITRINE_PUBLIC_URL',
    'VITRINE_SMS_URL',
    'VITRINE_SMTP_URL',
    'VITRINE_MEDIA_BUCKET_URL',
    'VITRINE_MEDIA_PUBLIC_URL',
  ] as const) {
    // For example, a password with a character that must be percent-encoded in a URL.
    if (env[name] !== undefined && !URL.canParse(env[name])) throw refusal(name, 'must be a valid URL')
  }
  return env
}

const refusal = (name: string, problem: string) => new OperatorError(`The environment variable ${name} ${problem}.`)

type Problem = { instancePath: string; message: string; params: object }

const describeProblem = ({ instancePath, message, params }: Problem) => {
  if ('allowedValues' in params) return `must be one of ${[params.allowedValues].flat().join(', ')}`
  if ('pattern' in params) return describeForm(instancePath.slice(1))
  return message.replace(/ integer$/, ' an integer').replace('must not have fewer than', 'must have at least')
}

/** With an example, because few people read patterns. */
const describeForm = (name: string) => {
  const { examples } = toFields(toFields(Environment.properties)[name])
  return Array.isArray(examples) ? `must have a form such as ${examples[0]}` : 'has the wrong form'
}

/** The settings of the chosen sender. Those of other senders are ignored. */
const readSms = (env: Static<typeof Environment>) => {
  const sender = env.VITRINE_SMS_SENDER
  const required = (name: keyof typeof env): string => {
    const value = env[name]
    if (typeof value === 'string') return value
    throw new OperatorError(`${name} is required when VITRINE_SMS_SENDER is ${sender}.`)
  }
  switch (sender) {
    case 'console':
      if (env.NODE_ENV !== 'production') return { sender }
      // Shoppers can sign in by mail.
      if (env.VITRINE_SMTP_URL !== undefined) return { sender: 'none' as const }
      throw new OperatorError(
        'VITRINE_SMS_SENDER must be twilio, msg91 or http in production, unless VITRINE_SMTP_URL is set: shoppers need a one-time password by phone or mail.',
      )
    case 'twilio':
      return {
        sender,
        accountSid: required('VITRINE_TWILIO_ACCOUNT_SID'),
        authToken: required('VITRINE_TWILIO_AUTH_TOKEN'),
        from: required('VITRINE_TWILIO_FROM'),
      }
    case 'msg91':
      return {
        sender,
        authKey: required('VITRINE_MSG91_AUTH_KEY'),
        templateId: required('VITRINE_MSG91_TEMPLATE_ID'),
      }
    case 'http':
      return { sender, url: required('VITRINE_SMS_URL'), secret: required('VITRINE_SMS_SECRET') }
  }
}

/** Without SMTP, mail is written to a folder during development, and not sent in production. */
const readMail = (env: Static<typeof Environment>) => {
  const { VITRINE_SMTP_URL: smtpUrl, VITRINE_MAIL_FROM: text } = env
  if (smtpUrl !== undefined && text === undefined) {
    throw new OperatorError('VITRINE_MAIL_FROM is required with VITRINE_SMTP_URL: it is the sender of all mail.')
  }
  const { username, password } = new URL(smtpUrl ?? 'smtp://localhost')
  if (![username, password].every(isDecodable)) {
    throw refusal('VITRINE_SMTP_URL', 'must have its user and password percent-encoded')
  }
  return { smtpUrl: smtpUrl ?? null, from: readSender(text?.trim() ?? 'shop@localhost.localdomain') }
}

/** `shop@shop.example`, or with a name: `Blue Door <shop@shop.example>`. */
const readSender = (text: string) => {
  const [name = '', rest] = text.endsWith('>') ? text.slice(0, -1).split('<') : ['', text]
  const address = rest?.trim() ?? ''
  if (isMailAddress(address) && !/[\r\n<>]/.test(name)) return { name: name.trim().replace(/^"(.*)"$/, '$1'), address }
  throw refusal(
    'VITRINE_MAIL_FROM',
    'must be an address such as shop@shop.example, or a name and an address: Blue Door <shop@shop.example>',
  )
}

const readMedia = (env: Static<typeof Environment>) => {
  const [url, accessKeyId] = [env.VITRINE_MEDIA_BUCKET_URL, env.VITRINE_MEDIA_ACCESS_KEY_ID]
  const secretAccessKey = env.VITRINE_MEDIA_SECRET_ACCESS_KEY
  const publicUrl = env.VITRINE_MEDIA_PUBLIC_URL?.replace(/\/$/, '') ?? null
  const shared = { publicUrl, storeLimitBytes: env.VITRINE_MEDIA_STORE_MB * 1_000_000 }
  if (url === undefined) return { ...shared, bucket: null }
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new OperatorError(
      'VITRINE_MEDIA_ACCESS_KEY_ID and VITRINE_MEDIA_SECRET_ACCESS_KEY are required with VITRINE_MEDIA_BUCKET_URL.',
    )
  }
  return { ...shared, bucket: { url, region: env.VITRINE_MEDIA_BUCKET_REGION, accessKeyId, secretAccessKey } }
}

const splitSecrets = (name: string, text: string) => {
  const secrets = text.split(',').filter((secret) => secret !== '')
  if (secrets.some((secret) => secret.length < 32) || (text !== '' && secrets.length === 0)) {
    throw new OperatorError(`Each secret in ${name} must have at least 32 characters.`)
  }
  return secrets
}
