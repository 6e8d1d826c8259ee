import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { mustExist } from './core/must-exist.ts'
import { OperatorError } from './core/operator-error.ts'

/** Every setting there is. The table in docs/settings.md is held against this by a test. */
export const Environment = Type.Object({
  NODE_ENV: Type.Enum(['development', 'production', 'test'], {
    default: 'development',
    description: '`production` refuses whatever is only fit for trying out',
  }),
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3000, description: 'Where the service listens' }),
  VITRINE_DEMO_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65535,
      description: 'Where the demo shop listens, beside an embedded database: the port after `PORT` unless set',
    }),
  ),
  HOST: Type.Optional(
    Type.String({
      description: 'The address to listen on: `127.0.0.1`, in production `0.0.0.0`, unless set',
    }),
  ),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      description: 'A PostgreSQL 15 or newer (`postgres://…`). Absent: the embedded one',
    }),
  ),
  DATABASE_DIRECT_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      description: 'The same database without the pooler, when `DATABASE_URL` is a transaction pooler',
    }),
  ),
  DATABASE_POOL_SIZE: Type.Integer({
    minimum: 1,
    maximum: 500,
    default: 10,
    description: 'Database connections of this instance',
  }),
  REDIS_URL: Type.Optional(
    Type.String({
      pattern: '^rediss?://',
      description: 'A Redis or Valkey that counts requests for all instances. Absent: each counts its own',
    }),
  ),
  VITRINE_DATA_DIR: Type.String({
    default: '.vitrine',
    description: 'The folder of the embedded database and of the generated secret',
  }),
  VITRINE_SECRET: Type.Optional(
    Type.String({
      minLength: 32,
      description:
        'Signs cursors and tokens; 32 characters or more. Several, comma-separated, to rotate. Required in production with `DATABASE_URL`; made and kept in the data folder otherwise',
    }),
  ),
  VITRINE_INTERNAL_SECRET: Type.Optional(
    Type.String({
      minLength: 32,
      description: 'Verifies `X-Internal-Storefront-Token`; several, comma-separated, to rotate. Absent: refused',
    }),
  ),
  VITRINE_PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#@]+/?$',
      description: 'The address of this service as shoppers reach it, for links. Required in production',
    }),
  ),
  VITRINE_TRUST_PROXY: Type.Optional(
    Type.String({
      description:
        '`true`, or the comma-separated addresses of the proxies whose `X-Forwarded-*` count. `true` trusts every caller: only where a proxy replaces the header',
    }),
  ),
  VITRINE_METRICS_TOKEN: Type.Optional(
    Type.String({
      minLength: 16,
      description: 'Bearer token for reading `/metrics`. Without it only this machine may, and in production nobody',
    }),
  ),
  VITRINE_SMS_SENDER: Type.Enum(['console', 'twilio', 'msg91', 'http'], {
    default: 'console',
    description: 'What sends one-time passwords. `console` shows them on the output instead; production refuses it',
  }),
  VITRINE_TWILIO_ACCOUNT_SID: Type.Optional(
    Type.String({ pattern: '^AC[0-9a-fA-F]{32}$', description: 'For `twilio`: the account, `AC…`' }),
  ),
  VITRINE_TWILIO_AUTH_TOKEN: Type.Optional(Type.String({ description: "For `twilio`: the account's auth token" })),
  VITRINE_TWILIO_FROM: Type.Optional(
    Type.String({ description: 'For `twilio`: the number to send from, or a messaging service, `MG…`' }),
  ),
  VITRINE_MSG91_AUTH_KEY: Type.Optional(Type.String({ pattern: '^[!-~]+$', description: 'For `msg91`: the auth key' })),
  VITRINE_MSG91_TEMPLATE_ID: Type.Optional(
    Type.String({ description: 'For `msg91`: the template, with a variable `otp`' }),
  ),
  VITRINE_SMS_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#@\\s]+([/?]\\S*)?$',
      description: 'For `http`: the address that is called for each password',
    }),
  ),
  VITRINE_SMS_SECRET: Type.Optional(
    Type.String({ minLength: 32, description: 'For `http`: signs the calls; 32 characters or more' }),
  ),
  LOG_LEVEL: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    default: 'info',
    description: '`debug` also logs each request that went well',
  }),
})

export type Config = Readonly<{
  production: boolean
  port: number
  demoPort: number
  host: string
  databaseUrl: string | null
  databaseDirectUrl: string | null
  databasePoolSize: number
  redisUrl: string | null
  dataDir: string
  secrets: readonly string[] | null
  internalSecrets: readonly string[]
  publicUrl: string
  trustProxy: boolean | string[]
  metricsToken: string | null
  sms: Readonly<ReturnType<typeof readSms>>
  logLevel: Static<typeof Environment>['LOG_LEVEL']
  version: string
}>

export const loadConfig = (variables: NodeJS.ProcessEnv): Config => {
  const env = parseEnvironment(variables)
  const production = env.NODE_ENV === 'production'
  if (production && env.VITRINE_PUBLIC_URL === undefined) {
    throw new OperatorError('VITRINE_PUBLIC_URL is required in production: the address of this service in links.')
  }
  if (production && env.DATABASE_URL !== undefined && env.VITRINE_SECRET === undefined) {
    throw new OperatorError('VITRINE_SECRET is required in production with DATABASE_URL: 32 random characters or more.')
  }
  return Object.freeze({
    production,
    port: env.PORT,
    demoPort: env.VITRINE_DEMO_PORT ?? (env.PORT === 0 || env.PORT === 65535 ? 0 : env.PORT + 1),
    host: env.HOST ?? (production ? '0.0.0.0' : '127.0.0.1'),
    databaseUrl: env.DATABASE_URL ?? null,
    databaseDirectUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL ?? null,
    databasePoolSize: env.DATABASE_POOL_SIZE,
    redisUrl: env.REDIS_URL ?? null,
    dataDir: resolve(env.VITRINE_DATA_DIR),
    secrets: env.VITRINE_SECRET === undefined ? null : splitSecrets('VITRINE_SECRET', env.VITRINE_SECRET),
    internalSecrets: splitSecrets('VITRINE_INTERNAL_SECRET', env.VITRINE_INTERNAL_SECRET ?? ''),
    publicUrl: (env.VITRINE_PUBLIC_URL ?? `http://localhost:${env.PORT}`).replace(/\/$/, ''),
    trustProxy: parseTrustProxy(env.VITRINE_TRUST_PROXY),
    metricsToken: env.VITRINE_METRICS_TOKEN ?? null,
    sms: readSms(env),
    logLevel: env.LOG_LEVEL,
    version: packageVersion(),
  })
}

const parseEnvironment = (variables: NodeJS.ProcessEnv): Static<typeof Environment> => {
  const given: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries<object>(Environment.properties)) {
    const text = variables[name]
    const isInteger = 'type' in schema && schema.type === 'integer'
    // An empty variable is how many deployment tools write an absent one.
    if (text) given[name] = isInteger && /^\d+$/.test(text) ? Number(text) : text
  }
  const env = Value.Default(Environment, given)
  if (!Value.Check(Environment, env)) {
    const fault = mustExist(Value.Errors(Environment, env)[0], 'the fault of a setting')
    throw refusal(fault.instancePath.slice(1), describeFault(fault))
  }
  for (const name of [
    'DATABASE_URL',
    'DATABASE_DIRECT_URL',
    'REDIS_URL',
    'VITRINE_PUBLIC_URL',
    'VITRINE_SMS_URL',
  ] as const) {
    // Such as a password with a character that an address may only hold encoded.
    if (env[name] !== undefined && !URL.canParse(env[name])) throw refusal(name, 'must be a valid URL')
  }
  return env
}

const refusal = (name: string, fault: string) => new OperatorError(`The environment variable ${name} ${fault}.`)

const describeFault = (fault: { message: string; params: object }) =>
  'allowedValues' in fault.params ? `must be one of ${[fault.params.allowedValues].flat().join(', ')}` : fault.message

/** What the chosen sender needs. What belongs to another one may be there and is left alone. */
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
      throw new OperatorError(
        'VITRINE_SMS_SENDER must be twilio, msg91 or http in production: the console shows passwords and sends nothing.',
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

const splitSecrets = (name: string, text: string) => {
  const secrets = text.split(',').filter((secret) => secret !== '')
  if (secrets.some((secret) => secret.length < 32) || (text !== '' && secrets.length === 0)) {
    throw new OperatorError(`Each secret in ${name} must have 32 characters or more.`)
  }
  return secrets
}

const parseTrustProxy = (text: string | undefined) => {
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  const proxies = text.split(',').map((address) => address.trim())
  const unknown = proxies.find((proxy) => !isProxyAddress(proxy))
  if (unknown === undefined) return proxies
  throw refusal('VITRINE_TRUST_PROXY', `must be "true" or addresses such as 10.0.0.0/8, and "${unknown}" is none`)
}

/** An address, a network of addresses, or a name that Fastify knows for one. */
const isProxyAddress = (text: string) => {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', bits, ...rest] = text.split('/')
  const widest = isIP(address) === 6 ? 128 : 32
  return isIP(address) > 0 && rest.length === 0 && (bits === undefined || (/^\d+$/.test(bits) && +bits <= widest))
}

const packageVersion = (): string =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
