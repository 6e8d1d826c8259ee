import assert from 'node:assert/strict'
import { isAbsolute } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from './config.ts'
import { OperatorError } from './core/operator-error.ts'
import { Environment } from './environment.ts'

const secret = 'a secret of thirty-two characters or more'

const twilio = {
  VITRINE_SMS_SENDER: 'twilio',
  VITRINE_TWILIO_ACCOUNT_SID: `AC${'0123456789abcdef'.repeat(2)}`,
  VITRINE_TWILIO_AUTH_TOKEN: 'token',
  VITRINE_TWILIO_FROM: '+15005550006',
}
const msg91 = { VITRINE_SMS_SENDER: 'msg91', VITRINE_MSG91_AUTH_KEY: 'key', VITRINE_MSG91_TEMPLATE_ID: 'template' }
const http = { VITRINE_SMS_SENDER: 'http', VITRINE_SMS_URL: 'http://sms:8080/send?to=x', VITRINE_SMS_SECRET: secret }
const smtp = {
  VITRINE_SMTP_URL: 'smtps://me%40blue:p%2Fw@smtp.blue.example:465',
  VITRINE_MAIL_FROM: 'shop@blue.example',
}

/** The message names the variable and never contains a value that may be a secret. */
const assertRefused = (variables: Record<string, string>, pattern: RegExp, hidden?: string) => {
  assert.throws(
    () => loadConfig(variables),
    (error) => {
      assert.ok(error instanceof OperatorError, `${JSON.stringify(variables)}: ${error}`)
      assert.match(error.message, pattern)
      assert.match(error.message, /^[^\n]+\.$/)
      if (hidden !== undefined) assert.ok(!error.message.includes(hidden), error.message)
      return true
    },
    JSON.stringify(variables),
  )
}

test('every setting has a default that suits development', () => {
  const { dataDir, version, ...config } = loadConfig({})
  assert.ok(isAbsolute(dataDir) && dataDir.endsWith('.vitrine'))
  assert.match(version, /^\d+\.\d+\.\d+/)
  assert.deepEqual(config, {
    production: false,
    port: 3000,
    demoPort: 3001,
    host: '127.0.0.1',
    databaseUrl: null,
    databaseDirectUrl: null,
    databaseReadUrl: null,
    databasePrepare: true,
    databasePoolSize: 10,
    workers: 1,
    redisUrl: null,
    redisPrefix: 'vitrine',
    secrets: null,
    internalSecrets: [],
    publicUrl: 'http://localhost:3000',
    trustProxy: false,
    media: { bucket: null, publicUrl: null, storeLimitBytes: 5_000_000_000 },
    maxUploads: 40,
    searchIndexProducts: 20_000,
    stopDelayMs: 0,
    metricsToken: null,
    urls: {
      juspay: 'https://api.juspay.in',
      razorpay: 'https://api.razorpay.com',
      stripe: 'https://api.stripe.com',
      shiprocket: 'https://apiv2.shiprocket.in',
    },
    sms: { sender: 'console' },
    mail: { smtpUrl: null, from: { name: '', address: 'shop@localhost.localdomain' } },
    incomingTrace: 'link',
    logLevel: 'info',
  })
})

const bucket = {
  VITRINE_MEDIA_BUCKET_URL: 'https://s3.example/shop',
  VITRINE_MEDIA_BUCKET_REGION: 'eu-1',
  VITRINE_MEDIA_ACCESS_KEY_ID: 'id',
  VITRINE_MEDIA_SECRET_ACCESS_KEY: 'key',
  VITRINE_MEDIA_PUBLIC_URL: 'https://cdn.example/',
  VITRINE_MEDIA_STORE_MB: '7',
}

test('every variable is read', () => {
  const config = loadConfig({
    NODE_ENV: 'production',
    PORT: '8080',
    VITRINE_DEMO_PORT: '8090',
    HOST: '::',
    DATABASE_URL: 'postgres://me:pw@pooler:6432/shop',
    DATABASE_DIRECT_URL: 'postgresql://me:pw@db/shop',
    DATABASE_READ_URL: 'postgres://me:pw@replica/shop',
    DATABASE_PREPARE: 'off',
    DATABASE_POOL_SIZE: '25',
    VITRINE_WORKERS: '3',
    REDIS_URL: 'rediss://cache:6380',
    VITRINE_REDIS_PREFIX: 'blue',
    VITRINE_DATA_DIR: '/var/lib/vitrine',
    VITRINE_SECRET: `${secret},${secret} the second`,
    VITRINE_INTERNAL_SECRET: secret,
    VITRINE_PUBLIC_URL: 'https://api.shop.example/',
    VITRINE_TRUST_PROXY: '10.0.0.0/8, ::1',
    VITRINE_METRICS_TOKEN: 'sixteen-characters',
    ...twilio,
    ...smtp,
    ...bucket,
    VITRINE_MAX_UPLOADS: '9',
    VITRINE_SEARCH_INDEX_PRODUCTS: '500',
    VITRINE_STOP_DELAY_SECONDS: '8',
    VITRINE_INCOMING_TRACE: 'parent',
    LOG_LEVEL: 'warn',
  })
  assert.deepEqual(config, {
    production: true,
    port: 8080,
    demoPort: 8090,
    host: '::',
    databaseUrl: 'postgres://me:pw@pooler:6432/shop',
    databaseDirectUrl: 'postgresql://me:pw@db/shop',
    databaseReadUrl: 'postgres://me:pw@replica/shop',
    databasePrepare: false,
    databasePoolSize: 25,
    workers: 3,
    redisUrl: 'rediss://cache:6380',
    redisPrefix: 'blue',
    dataDir: '/var/lib/vitrine',
    secrets: [secret, `${secret} the second`],
    internalSecrets: [secret],
    publicUrl: 'https://api.shop.example',
    trustProxy: ['10.0.0.0/8', '::1'],
    metricsToken: 'sixteen-characters',
    media: {
      bucket: { url: 'https://s3.example/shop', region: 'eu-1', accessKeyId: 'id', secretAccessKey: 'key' },
      publicUrl: 'https://cdn.example',
      storeLimitBytes: 7_000_000,
    },
    maxUploads: 9,
    searchIndexProducts: 500,
    stopDelayMs: 8_000,
    urls: {
      juspay: 'https://api.juspay.in',
      razorpay: 'https://api.razorpay.com',
      stripe: 'https://api.stripe.com',
      shiprocket: 'https://apiv2.shiprocket.in',
    },
    sms: { sender: 'twilio', accountSid: twilio.VITRINE_TWILIO_ACCOUNT_SID, authToken: 'token', from: '+15005550006' },
    mail: { smtpUrl: smtp.VITRINE_SMTP_URL, from: { name: '', address: 'shop@blue.example' } },
    incomingTrace: 'parent',
    logLevel: 'warn',
    version: config.version,
  })
  assert.ok(Object.isFrozen(config))
})

test('an empty variable counts as unset', () => {
  const empty = Object.fromEntries(Object.keys(Environment.properties).map((name) => [name, '']))
  assert.deepEqual(loadConfig(empty), loadConfig({}))
})

test('the direct URL of the database defaults to DATABASE_URL', () => {
  const { databaseDirectUrl } = loadConfig({ DATABASE_URL: 'postgres://me@db/shop' })
  assert.equal(databaseDirectUrl, 'postgres://me@db/shop')
})

test('a setting that must be an integer says so', () => {
  assertRefused({ PORT: 'abc' }, /^The environment variable PORT must be an integer\.$/)
})

test('every invalid value is refused with a message that names its variable', () => {
  const badOrigins = ['stripe.example', 'http://stripe.example', 'https://a/b', 'https://a/', 'http://127.0.0.1:1/x']
  const bad: Record<keyof typeof Environment.properties, string[]> = {
    NODE_ENV: ['prod', 'Production'],
    PORT: ['abc', '-1', '65536', '3000.5', 'true', '0x50', '1e3', ' 80', '80 '],
    VITRINE_DEMO_PORT: ['abc', '65536'],
    HOST: [],
    DATABASE_URL: [
      'mysql://me@db/shop',
      'db:5432',
      'postgres://me:p#ss@db/shop',
      'postgres://me:pw@db:port/shop',
      'postgres://me:pw@a:5432,/shop',
      'postgres://me:pw@a,b:port/shop',
    ],
    DATABASE_DIRECT_URL: ['http://db', 'postgres://me:p/w@db/shop'],
    DATABASE_READ_URL: ['http://db', 'postgres://me@a,b/shop', 'postgres://me@db/shop'],
    DATABASE_PREPARE: ['no', 'Off', '0'],
    DATABASE_POOL_SIZE: ['0', '501', 'many', '2.5'],
    VITRINE_WORKERS: ['0', '100', 'many', '1.5', '-1'],
    REDIS_URL: ['http://cache', 'cache:6379', 'redis://cache:port'],
    VITRINE_REDIS_PREFIX: ['a b', 'a:b', 'x'.repeat(51)],
    VITRINE_DATA_DIR: [],
    VITRINE_SECRET: ['short', `${secret},short`, ','.repeat(40)],
    VITRINE_INTERNAL_SECRET: ['short', `short,${secret}`, ','.repeat(40)],
    VITRINE_PUBLIC_URL: [
      'shop.example',
      'ftp://shop.example',
      'https://a/b',
      'https://a?b',
      'https://a:b@c',
      'https://[',
    ],
    VITRINE_TRUST_PROXY: ['yes', '1', '10.0.0.0/33', '10.0.0.1,proxy.example', '10.0.0.0/8/8', '300.1.1.1'],
    VITRINE_METRICS_TOKEN: ['short'],
    VITRINE_JUSPAY_URL: badOrigins,
    VITRINE_RAZORPAY_URL: badOrigins,
    VITRINE_STRIPE_URL: badOrigins,
    VITRINE_SHIPROCKET_URL: badOrigins,
    VITRINE_SMS_SENDER: ['sms', 'Twilio'],
    VITRINE_TWILIO_ACCOUNT_SID: ['AC123', 'SK0123456789abcdef0123456789abcdef', '../../elsewhere'],
    VITRINE_TWILIO_AUTH_TOKEN: [],
    VITRINE_TWILIO_FROM: [],
    VITRINE_MSG91_AUTH_KEY: ['key with spaces', 'key\r\nx: y', 'schlüssel'],
    VITRINE_MSG91_TEMPLATE_ID: [],
    VITRINE_SMS_URL: ['sms.example', 'ftp://sms.example', 'https://me:pw@sms.example', 'https://[', 'http://sms:port/'],
    VITRINE_SMS_SECRET: ['short'],
    VITRINE_SMTP_URL: [
      ...[
        'smtp.example',
        'http://smtp.example',
        'smtp://smtp.example/path',
        'smtp://smtp.example?a=b',
        'smtp://a:port',
      ],
      ...['smtp://me:%zz@smtp.example', 'smtp://me:p w@smtp.example'],
    ],
    VITRINE_MEDIA_BUCKET_URL: ['bucket', 'http://s3.example/a', 'https://s3.example/a/b', 'https://me:pw@s3.example/a'],
    VITRINE_MEDIA_BUCKET_REGION: ['eu central', 'eu/1'],
    VITRINE_MEDIA_ACCESS_KEY_ID: ['key with spaces', 'key\r\nx: y'],
    VITRINE_MEDIA_SECRET_ACCESS_KEY: ['a b'],
    VITRINE_MEDIA_PUBLIC_URL: ['cdn.example', 'ftp://cdn.example', 'https://cdn.example/?a', 'https://a:b@cdn.example'],
    VITRINE_MEDIA_STORE_MB: ['0', 'many', '1.5'],
    VITRINE_MAX_UPLOADS: ['0', 'many', '1.5'],
    VITRINE_SEARCH_INDEX_PRODUCTS: ['-1', 'many', '1.5'],
    VITRINE_STOP_DELAY_SECONDS: ['-1', 'soon', '301'],
    VITRINE_MAIL_FROM: [
      ...[
        'shop',
        'shop@',
        '@a.example',
        'a b@c.example',
        'a@b.example, c@d.example',
        'a@b.example\r\nBcc: c@d.example',
      ],
      ...['A\nB <a@b.example>', 'A <a@b.example', '<>', 'a,b@c.example', `${'a'.repeat(250)}@b.example`],
    ],
    VITRINE_INCOMING_TRACE: ['trust', 'PARENT'],
    LOG_LEVEL: ['loud', 'INFO'],
  }
  for (const [name, values] of Object.entries(bad)) {
    // Where a setting needs another, both are there.
    const besides = name === 'VITRINE_SMTP_URL' ? { VITRINE_MAIL_FROM: 'shop@blue.example' } : {}
    for (const value of values) assertRefused({ ...besides, [name]: value }, new RegExp(`\\b${name}\\b`))
  }
})

test('an error message never contains a secret', () => {
  assertRefused({ VITRINE_SECRET: 'hunter2' }, /VITRINE_SECRET/, 'hunter2')
  assertRefused({ VITRINE_INTERNAL_SECRET: `${secret},hunter2` }, /VITRINE_INTERNAL_SECRET/, 'hunter2')
  assertRefused({ VITRINE_METRICS_TOKEN: 'hunter2' }, /VITRINE_METRICS_TOKEN/, 'hunter2')
  assertRefused({ DATABASE_URL: 'postgres://me:hunter2#@db/shop' }, /DATABASE_URL/, 'hunter2')
  assertRefused({ REDIS_URL: 'redis://:hunter2@cache:port' }, /REDIS_URL/, 'hunter2')
  assertRefused({ VITRINE_SMS_SECRET: 'hunter2' }, /VITRINE_SMS_SECRET/, 'hunter2')
  assertRefused({ VITRINE_SMS_URL: 'https://me:hunter2@sms.example' }, /VITRINE_SMS_URL/, 'hunter2')
  assertRefused({ VITRINE_MSG91_AUTH_KEY: 'hunter2 ' }, /VITRINE_MSG91_AUTH_KEY/, 'hunter2')
  assertRefused(
    { VITRINE_SMTP_URL: 'mail.example' },
    /must have a form such as smtps:\/\/user:password@smtp\.shop\.example/,
  )
  assertRefused({ VITRINE_SECRET: 'short' }, /VITRINE_SECRET must have at least 32 characters\.$/)
  assertRefused({ VITRINE_SMTP_URL: 'smtp://me:hunter2@a:port' }, /VITRINE_SMTP_URL/, 'hunter2')
  assertRefused({ ...smtp, VITRINE_SMTP_URL: 'smtp://me:hunter2%@a' }, /VITRINE_SMTP_URL/, 'hunter2')
  assertRefused({ ...twilio, VITRINE_TWILIO_AUTH_TOKEN: 'hunter2', VITRINE_TWILIO_FROM: '' }, /FROM/, 'hunter2')
})

test('proxies can be trusted by address, network or name, or all at once', () => {
  const trusted = (text: string) => loadConfig({ VITRINE_TRUST_PROXY: text }).trustProxy
  assert.equal(trusted('true'), true)
  assert.equal(trusted('false'), false)
  assert.deepEqual(trusted('loopback, 10.1.2.3 ,fd00::/8'), ['loopback', '10.1.2.3', 'fd00::/8'])
})

test('production listens on all addresses, and requires the settings that have no safe default', () => {
  const production = { NODE_ENV: 'production', VITRINE_PUBLIC_URL: 'https://api.example', ...msg91 }
  assert.equal(loadConfig(production).host, '0.0.0.0')
  assertRefused({ NODE_ENV: 'production' }, /VITRINE_PUBLIC_URL is required in production/)
  const withDatabase = { ...production, DATABASE_URL: 'postgres://me@db/shop' }
  assertRefused(withDatabase, /VITRINE_SECRET is required in production/)
  assert.deepEqual(loadConfig({ ...withDatabase, VITRINE_SECRET: secret }).secrets, [secret])
})

test('each sender of one-time passwords gets its settings', () => {
  assert.deepEqual(loadConfig(msg91).sms, { sender: 'msg91', authKey: 'key', templateId: 'template' })
  assert.deepEqual(loadConfig(http).sms, { sender: 'http', url: 'http://sms:8080/send?to=x', secret })
  assert.deepEqual(loadConfig({ ...twilio, ...msg91, ...http, VITRINE_SMS_SENDER: 'console' }).sms, {
    sender: 'console',
  })
})

test('a missing setting of a sender is refused with a message that names it', () => {
  for (const settings of [twilio, msg91, http]) {
    const { VITRINE_SMS_SENDER: sender, ...needed } = settings
    assert.ok(Object.keys(needed).length > 1)
    for (const name of Object.keys(needed)) {
      assertRefused(
        { ...settings, [name]: '' },
        new RegExp(`^${name} is required when VITRINE_SMS_SENDER is ${sender}`),
      )
    }
  }
})

test('production refuses the console sender, whether chosen or by default', () => {
  const production = { NODE_ENV: 'production', VITRINE_PUBLIC_URL: 'https://api.example' }
  const refusal = /^VITRINE_SMS_SENDER must be twilio, msg91 or http in production/
  assertRefused(production, refusal)
  assertRefused({ ...production, VITRINE_SMS_SENDER: '' }, refusal)
  assertRefused({ ...production, VITRINE_SMS_SENDER: 'console' }, refusal)
  for (const sender of [twilio, msg91, http]) {
    assert.equal(loadConfig({ ...production, ...sender }).sms.sender, sender.VITRINE_SMS_SENDER)
  }
})

test('production starts without an SMS sender if it can send mail', () => {
  const production = { NODE_ENV: 'production', VITRINE_PUBLIC_URL: 'https://api.example', ...smtp }
  assert.deepEqual(loadConfig(production).sms, { sender: 'none' })
  assert.equal(loadConfig({ ...production, ...twilio }).sms.sender, 'twilio')
})

test('mail needs a sender: an address, with or without a name', () => {
  const from = (text: string) => loadConfig({ ...smtp, VITRINE_MAIL_FROM: text }).mail.from
  assertRefused({ VITRINE_SMTP_URL: smtp.VITRINE_SMTP_URL }, /^VITRINE_MAIL_FROM is required with VITRINE_SMTP_URL/)
  assert.deepEqual(from('shop@blue.example'), { name: '', address: 'shop@blue.example' })
  assert.deepEqual(from(' shop@काव्या.example '), { name: '', address: 'shop@काव्या.example' })
  for (const text of ['Blue Door <shop@blue.example>', '"Blue Door" <shop@blue.example>']) {
    assert.deepEqual(from(text), { name: 'Blue Door', address: 'shop@blue.example' })
  }
  assertRefused({ ...smtp, VITRINE_MAIL_FROM: 'Blue Door' }, /^The environment variable VITRINE_MAIL_FROM must be/)
})

test('every variable has a description', () => {
  for (const [name, { description }] of Object.entries(
    Environment.properties as Record<string, { description?: string }>,
  )) {
    assert.ok(description, name)
  }
})

test('a bucket for pictures needs its key', () => {
  const message = /VITRINE_MEDIA_ACCESS_KEY_ID and VITRINE_MEDIA_SECRET_ACCESS_KEY are required/
  assertRefused({ VITRINE_MEDIA_BUCKET_URL: 'https://s3.example/shop' }, message)
  assertRefused({ ...bucket, VITRINE_MEDIA_SECRET_ACCESS_KEY: '' }, message)
})
