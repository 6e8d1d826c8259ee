import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import { basename, dirname, join, matchesGlob } from 'node:path/posix'
import { test } from 'node:test'
import { days, hours, minutes, seconds } from '../src/core/clock.ts'
import { Environment } from '../src/environment.ts'
import { blocksOf, documents, read, root } from './documents.ts'
import { figure, figureIn } from './figures.ts'

/** The documents, and the comments of the source where they name something. */
const pages = [...documents, 'sdk/README.md', 'demo/README.md']
const files = globSync(['*', '.ci/*', '{src,test,bench,bin,docs,sdk,demo}/**/*'], { cwd: root })
const sources = files.filter((path) => /\.(ts|tsx|sql|lua)$/.test(path) || path === '.ci/run')

const proseOf = (page: string) => read(page).replaceAll(/^```[\s\S]*?^```$/gm, '')
const codeOf = (page: string) =>
  [...proseOf(page).matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' '))

// Files

const endings = 'ts|tsx|js|md|sql|json|lua|css|yml|svg|log|dump'
const isFileName = (code: string) =>
  /^[\w.*@-][\w.*@/-]*$/.test(code) &&
  !/^\.\w+$/.test(code) &&
  (new RegExp(`\\.(${endings})$`).test(code) || /^[\w.-]+(\/[\w.-]+)*\/$/.test(code) || /^(src|test|docs)\//.test(code))

/** Names in the data folder, which are there only when a service runs: the source holds them as text. */
const isInDataFolder = (name: string) =>
  sources.some((path) => path.startsWith('src/') && read(path).includes(`'${basename(name)}'`))

const exists = (page: string, name: string) => {
  const plain = name.replace(/\/$/, '')
  return (
    files.some((path) => path === plain || path.endsWith(`/${plain}`) || matchesGlob(basename(path), plain)) ||
    existsSync(join(root, dirname(page), plain)) ||
    // What a command of the page itself makes.
    blocksOf(page).some(({ text }) => text.includes(plain)) ||
    isInDataFolder(plain)
  )
}

test('every file and folder that a document names exists', () => {
  let names = 0
  for (const page of pages) {
    for (const name of codeOf(page).filter(isFileName)) {
      assert.ok(exists(page, name), `${page} names ${name}, which does not exist`)
      names++
    }
  }
  assert.ok(names > 100, 'the names were not found')
})

test('every page that the source or another page names by its path exists', () => {
  let names = 0
  for (const path of [...sources, ...pages]) {
    for (const [name] of read(path).matchAll(/\bdocs\/[\w/-]+\.md\b/g)) {
      assert.ok(existsSync(join(root, name)), `${path} names ${name}, which does not exist`)
      names++
    }
  }
  assert.ok(names > 20, 'the names were not found')
})

test('every decision that is named by its number exists', () => {
  const numbers = new Set(documents.map((path) => /^docs\/decisions\/(\d{4})-/.exec(path)?.[1]))
  for (const path of [...sources, ...pages]) {
    for (const [, number] of read(path).matchAll(/\b[Dd]ecisions? (\d{4})\b|\[(\d{4})\]\(/g)) {
      if (number !== undefined) assert.ok(numbers.has(number), `${path} names decision ${number}, which does not exist`)
    }
  }
})

// Extensions of PostgreSQL

/** Those that come with PostgreSQL and that a document could mean. */
const knownExtensions = [
  ...['amcheck', 'bloom', 'btree_gin', 'btree_gist', 'citext', 'cube', 'dblink', 'earthdistance', 'fuzzystrmatch'],
  ...['hstore', 'intarray', 'isn', 'lo', 'ltree', 'pageinspect', 'pg_buffercache', 'pg_stat_statements', 'pg_trgm'],
  ...['pg_visibility', 'pg_walinspect', 'pgcrypto', 'pgrowlocks', 'pgstattuple', 'postgres_fdw', 'seg', 'tablefunc'],
  ...['tsm_system_rows', 'unaccent', 'uuid-ossp', 'xml2'],
]

test('the extensions of PostgreSQL that the documents name are those that the migrations create', () => {
  const migrations = globSync('src/db/migrations/*.sql', { cwd: root }).map(read).join('\n')
  const created = [...migrations.matchAll(/create extension (?:if not exists )?"?([\w-]+)"?/g)].map(([, name]) => name)
  const namedIn = (page: string) => codeOf(page).filter((code) => knownExtensions.includes(code))
  assert.deepEqual([...new Set(namedIn('docs/production.md'))].sort(), [...new Set(created)].sort())
  for (const page of pages.filter((path) => !path.startsWith('docs/decisions/'))) {
    for (const name of namedIn(page)) assert.ok(created.includes(name), `${page} names the extension ${name}`)
  }
})

// Settings

const settings = Object.keys(Environment.properties)
/** What the samples of the client read, in a program that is not ours. */
const settingsOfSamples = ['VITRINE_URL', 'VITRINE_KEY']

test('every setting that a document or a message names exists', () => {
  const messages = sources.filter((path) => path.startsWith('src/') && !path.endsWith('.test.ts'))
  for (const path of [...pages, ...messages]) {
    for (const [name] of read(path).matchAll(/\b(VITRINE|DATABASE|REDIS)_[A-Z0-9_]*[A-Z0-9]\b/g)) {
      const isOfClient = path.endsWith('sdk.md') && settingsOfSamples.includes(name)
      assert.ok(isOfClient || settings.includes(name), `${path} names the setting ${name}, which does not exist`)
    }
  }
})

test('every setting that is declared is read', () => {
  const [, reading = ''] = read('src/config.ts').split('export const loadConfig')
  for (const name of settings) {
    assert.match(reading, new RegExp(`\\benv\\.${name}\\b|'${name}'`), `nothing reads ${name}`)
  }
})

// Scripts of npm

test('every script of npm that a document or the checks call exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  let calls = 0
  for (const page of [...pages, '.ci/run', 'package.json']) {
    const called = /\bnpm (?:run (?:-s |--silent )?([a-z][\w:-]*)|(start|test)\b)/g
    for (const [, script, short] of read(page).matchAll(called)) {
      const name = script ?? (short as string)
      assert.ok(name in scripts, `${page} calls npm run ${name}, which package.json does not have`)
      calls++
    }
    for (const code of codeOf(page)) {
      if (/^(bench|test):\w+$/.test(code)) assert.ok(code in scripts, `${page} names the script ${code}`)
    }
  }
  assert.ok(calls > 50, 'the calls were not found')
})

// Times

const numbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const units: [name: string, ms: number][] = [
  ['day', days(1)],
  ['hour', hours(1)],
  ['minute', minutes(1)],
  ['second', seconds(1)],
]

/** A length of time as the documents write it: with words up to ten, with digits beyond, and parts of a second. */
const inWords = (ms: number): string => {
  if (ms === 250) return 'a quarter of a second'
  if (ms === 500) return 'half a second'
  const [name, length] = units.find(([, unit]) => ms % unit === 0) ?? []
  assert.ok(name && length, `${ms} ms is no whole number of seconds`)
  const count = ms / length
  return `${numbers[count] ?? count} ${name}${count === 1 ? '' : 's'}`
}

const inSeconds = (file: string, name: string) => figure(file, name) / seconds(1)
const inMinutes = (provider: string, name: string) => figure(`providers/payment/${provider}.ts`, name) / minutes(1)

const lifeOfEventsDays = figureIn('features/payments/payment-jobs.sql.ts', /interval '(\d+) days'/)

/** What documents say about time, made from the source. */
const said: Record<string, string[]> = {
  'docs/decisions/0008-rate-limit-windows.md': [
    `does not answer within ${inWords(figure('features/access/redis-counter.ts', 'timeoutMs'))}`,
    `tries Redis again ${inWords(figure('features/access/redis-counter.ts', 'pauseAfterErrorMs')).replace('one', 'a')} later`,
  ],
  'docs/decisions/0010-bearer-tokens-on-catalog-reads.md': [
    `A session ends after ${inWords(figure('features/accounts/sessions.ts', 'sessionTtlMs'))}`,
  ],
  'docs/decisions/0012-catalog-cache.md': [`at most ${inWords(figure('caches.ts', 'catalogMaxAgeMs'))}`],
  'docs/decisions/0015-one-time-passwords-and-sign-in.md': [
    `${inWords(figure('features/accounts/otp.ts', 'codeTtlMs'))}`,
    `${numbers[figure('features/accounts/otp.ts', 'attemptsPerCode')]} attempts`,
    `${numbers[figure('features/accounts/otp.ts', 'maxPerHour')]} codes an hour`,
  ],
  'docs/decisions/0017-payments-and-settlement.md': [
    `keeps an expired order for ${inWords(hours(figureIn('features/orders/expiry.sql.ts', /expires_at <= vitrine_now\(\) - interval '(\d+) hour'/)))}`,
    `Sessions last ${inWords(figure('providers/payment/provider.ts', 'sessionMs'))} of the order's ${figure('providers/payment/provider.ts', 'holdMs') / minutes(1)}`,
    `at most every ${inWords(figure('features/payments/callback.ts', 'checkAgainMs'))}`,
    `forgotten after ${lifeOfEventsDays} days`,
  ],
  'docs/decisions/0018-delivery-and-downloads.md': [
    `within its ${inWords(figure('features/downloads/links.ts', 'linkTtlMs'))}`,
    `${numbers[1000 / figure('features/orders/waiting.ts', 'pollEveryMs')]} times a second`,
    `up to ${figure('features/orders/waiting.ts', 'pollEveryMs')} ms late`,
    `${numbers[figure('features/downloads/grant.ts', 'usesPerCopy')]} uses for each copy`,
  ],
  'docs/production.md': [
    `may wait ${figure('features/orders/orders.contract.ts', 'maxWaitSeconds')} seconds for an order`,
    `up to ${inWords(figure('app.ts', 'drainMs'))}`,
    `cached for ${inWords(figure('caches.ts', 'catalogMaxAgeMs'))} at most`,
    `${figure('db/database.ts', 'maxWaiting')} requests may wait`,
    `no answer within ${inWords(figure('providers/sms/vendor.ts', 'defaultTimeoutMs'))}`,
    `more than ${inWords(figure('http/shed-load.ts', 'maxLoopDelayMs'))} behind`,
  ],
  'docs/payments.md': [
    `ends after ${inSeconds('features/payments/call-provider.ts', 'requestLimitMs')} seconds in a request and ${inSeconds('features/payments/call-provider.ts', 'jobCallLimitMs')} seconds in a job`,
    `After ${numbers[figure('core/circuit.ts', 'maxFailures')]} failures in a row`,
    `one call every ${inWords(figure('core/circuit.ts', 'openMs'))}`,
    `waits ${inWords(figure('features/payments/call-provider.ts', 'requestLimitMs'))} for the provider`,
  ],
  'docs/stripe.md': [
    `makes it for ${inMinutes('stripe', 'sessionMs')} and reserves the units for ${inMinutes('stripe', 'holdMs')}`,
    `extended, up to ${inWords(figure('features/payments/sessions.ts', 'maxHoldMs'))} after`,
  ],
  'docs/razorpay.md': [
    `open for ${inMinutes('razorpay', 'sessionMs')} minutes and the units are reserved for ${inMinutes('razorpay', 'holdMs')}`,
  ],
  'docs/juspay.md': [
    `open for ${inMinutes('juspay', 'sessionMs')} minutes`,
    `reserved for ${inMinutes('juspay', 'holdMs')}`,
  ],
  'CHANGELOG.md': [
    `deleted after ${lifeOfEventsDays} days`,
    `units back after ${inWords(figure('providers/payment/provider.ts', 'holdMs'))}`,
    `sessions of ${inWords(figure('features/accounts/sessions.ts', 'sessionTtlMs'))}`,
  ],
}

test('times and limits in the documents match the source', () => {
  for (const [page, sentences] of Object.entries(said)) {
    const text = proseOf(page).replaceAll(/\s+/g, ' ')
    for (const sentence of sentences) assert.ok(text.includes(sentence), `${page} should say "${sentence}"`)
  }
})
