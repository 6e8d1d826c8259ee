import Type from 'typebox'

const postgresExample = 'postgres://user:password@db.example:5432/shop'

/** Plain HTTP only on this machine, for a test double. */
const providerUrl = (origin: string, provider: string) =>
  Type.String({
    pattern: '^(https://[^/?#@\\s]+|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d+)?)$',
    default: origin,
    examples: [origin],
    description: `The origin of the API of ${provider}. Plain HTTP is accepted for this machine only`,
  })

/** Every setting. A test compares the table in docs/settings.md with this. */
export const Environment = Type.Object({
  NODE_ENV: Type.Enum(['development', 'production', 'test'], {
    default: 'development',
    description: '`production` refuses everything that is only meant for development',
  }),
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3000, description: 'Port of the service' }),
  VITRINE_DEMO_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65535,
      description: 'Port of the demo shop, which runs with the embedded database. Default: the port after `PORT`',
    }),
  ),
  HOST: Type.Optional(
    Type.String({
      description: 'Address to listen on. Default: `127.0.0.1`, in production `0.0.0.0`',
    }),
  ),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      examples: [postgresExample],
      description:
        'PostgreSQL 15 or newer (`postgres://…`). Several servers, such as `postgres://me@a:5432,b:5432/shop`: the one that accepts writes is used. Default: the embedded one',
    }),
  ),
  DATABASE_DIRECT_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      examples: [postgresExample],
      description: 'The same database without the pooler, if `DATABASE_URL` is a transaction pooler',
    }),
  ),
  DATABASE_READ_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://[^,]*$',
      examples: [postgresExample],
      description: 'One replica of the database, for reads of the catalog while it is up to date',
    }),
  ),
  DATABASE_PREPARE: Type.Enum(['on', 'off'], {
    default: 'on',
    description: '`off` for a transaction pooler without named prepared statements, such as PgBouncer before 1.21',
  }),
  DATABASE_POOL_SIZE: Type.Integer({
    minimum: 1,
    maximum: 500,
    default: 10,
    description: 'Maximum number of database connections of this instance',
  }),
  VITRINE_WORKERS: Type.String({
    pattern: '^(auto|[1-9]\\d?)$',
    default: '1',
    examples: ['4 or auto'],
    description:
      'Processes that answer requests, 1 to 99; `auto`: one for each core. With more than one, another process does the background work. They share `DATABASE_POOL_SIZE` (at least 4 connections each) and `VITRINE_MAX_UPLOADS`',
  }),
  REDIS_URL: Type.Optional(
    Type.String({
      pattern: '^rediss?://',
      examples: ['redis://redis.example:6379'],
      description:
        'Redis or Valkey that counts rate limits across all instances. Default: each instance counts its own',
    }),
  ),
  VITRINE_REDIS_PREFIX: Type.String({
    pattern: '^[\\w.-]{1,50}$',
    default: 'vitrine',
    examples: ['vitrine-staging'],
    description: 'Begins the names of keys in Redis. Installations that share a Redis need different ones',
  }),
  VITRINE_DATA_DIR: Type.String({
    default: '.vitrine',
    description: 'Folder of pictures, sold files, search indexes, the generated secret, and the embedded database',
  }),
  VITRINE_SECRET: Type.Optional(
    Type.String({
      minLength: 32,
      description:
        'Signs cursors and tokens; at least 32 characters. Separate several by commas to rotate. Required in production with `DATABASE_URL`; otherwise generated and stored in the data folder',
    }),
  ),
  VITRINE_INTERNAL_SECRET: Type.Optional(
    Type.String({
      minLength: 32,
      description:
        'Verifies `X-Internal-Storefront-Token`. Separate several by commas to rotate. Without it, such tokens are refused',
    }),
  ),
  VITRINE_PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#@]+/?$',
      examples: ['https://api.shop.example'],
      description: 'Public URL of this service, used in links. Required in production',
    }),
  ),
  VITRINE_TRUST_PROXY: Type.Optional(
    Type.String({
      description:
        'Comma-separated addresses of the proxies whose `X-Forwarded-*` headers are trusted, or `true` for every caller. Use `true` only behind a proxy that replaces these headers',
    }),
  ),
  VITRINE_METRICS_TOKEN: Type.Optional(
    Type.String({
      minLength: 16,
      description:
        'Bearer token for `/metrics`. Without it, `/metrics` is readable from this machine only, and in production not at all',
    }),
  ),
  VITRINE_JUSPAY_URL: providerUrl('https://api.juspay.in', 'Juspay'),
  VITRINE_RAZORPAY_URL: providerUrl('https://api.razorpay.com', 'Razorpay'),
  VITRINE_STRIPE_URL: providerUrl('https://api.stripe.com', 'Stripe'),
  VITRINE_SHIPROCKET_URL: providerUrl('https://apiv2.shiprocket.in', 'Shiprocket'),
  VITRINE_SMS_SENDER: Type.Enum(['console', 'twilio', 'msg91', 'http'], {
    default: 'console',
    description:
      'Sender of one-time passwords. `console` prints them instead of sending them. In production it means none, and is refused without `VITRINE_SMTP_URL`',
  }),
  VITRINE_TWILIO_ACCOUNT_SID: Type.Optional(
    Type.String({
      pattern: '^AC[0-9a-fA-F]{32}$',
      examples: ['AC and 32 hexadecimal digits'],
      description: 'For `twilio`: the account SID, `AC…`',
    }),
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
      examples: ['https://sms.shop.example/send'],
      description: 'For `http`: the URL that is called for each password',
    }),
  ),
  VITRINE_SMS_SECRET: Type.Optional(
    Type.String({ minLength: 32, description: 'For `http`: signs the calls; at least 32 characters' }),
  ),
  VITRINE_SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://[^/?#\\s]+/?$',
      examples: ['smtps://user:password@smtp.shop.example:465'],
      description:
        'Server that sends mail, such as `smtps://user:password@smtp.example:465`. Default: mail goes to the folder `mail` of the data folder, in production nowhere',
    }),
  ),
  VITRINE_MAIL_FROM: Type.Optional(
    Type.String({
      description:
        'Address that all mail is sent from, with or without a name: `Blue Door <shop@bluedoor.example>`. Required with `VITRINE_SMTP_URL`',
    }),
  ),
  VITRINE_MEDIA_BUCKET_URL: Type.Optional(
    Type.String({
      pattern: '^(https://[^/?#@\\s]+|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d+)?)(/[\\w.-]+)?$',
      examples: ['https://s3.eu-central-1.amazonaws.com/shop-media'],
      description:
        'Bucket with the API of S3 that keeps uploaded pictures, such as `https://s3.eu-central-1.amazonaws.com/shop-media`. Several instances need one. Default: the folder `media` of the data folder',
    }),
  ),
  VITRINE_MEDIA_BUCKET_REGION: Type.String({
    pattern: '^[\\w-]+$',
    default: 'us-east-1',
    examples: ['eu-central-1'],
    description: 'Region of the bucket. Some providers call it `auto`',
  }),
  VITRINE_MEDIA_ACCESS_KEY_ID: Type.Optional(
    Type.String({ pattern: '^[!-~]+$', description: 'Key of the bucket. Required with `VITRINE_MEDIA_BUCKET_URL`' }),
  ),
  VITRINE_MEDIA_SECRET_ACCESS_KEY: Type.Optional(
    Type.String({
      pattern: '^[!-~]+$',
      description: 'Secret of that key. Required with `VITRINE_MEDIA_BUCKET_URL`',
    }),
  ),
  VITRINE_MEDIA_PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#@\\s]+(/[\\w./-]*)?$',
      examples: ['https://cdn.shop.example'],
      description:
        'URL at which a CDN or the bucket itself serves the pictures. Default: the service reads them from the bucket and serves them',
    }),
  ),
  VITRINE_MEDIA_STORE_MB: Type.Integer({
    minimum: 1,
    maximum: 100_000_000,
    default: 5_000,
    description: 'Megabytes that the pictures of one store may take, with all their sizes',
  }),
  VITRINE_SEARCH_INDEX_PRODUCTS: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 20_000,
    description:
      'Stores with so many products are searched in an index file, which this instance keeps in `VITRINE_DATA_DIR`; 0: all stores are searched in the database',
  }),
  VITRINE_MAX_UPLOADS: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 40,
    description: 'Files that this instance receives at the same time, at most half for one store. Further ones get 503',
  }),
  VITRINE_STOP_DELAY_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 300,
    default: 0,
    description:
      'Seconds after SIGTERM in which this instance still answers, while `/health` returns 503. Behind a load balancer: longer than it needs to notice',
  }),
  VITRINE_INCOMING_TRACE: Type.Enum(['link', 'parent'], {
    default: 'link',
    description:
      'With [tracing](observability.md): what to do with `traceparent` of a caller. `link` begins a trace of its own, `parent` continues that of the caller. Use `parent` only if all callers are yours',
  }),
  LOG_LEVEL: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    default: 'info',
    description: '`debug` also logs each successful request',
  }),
})
