import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultCashLimitMinor } from '../src/core/cash-limits.ts'
import { days, hours, minutes, seconds } from '../src/core/clock.ts'
import { toWire } from '../src/core/money.ts'
import { windowMs } from '../src/features/access/rate-limit.ts'
import { read } from './documents.ts'
import { figure, figureIn } from './figures.ts'

const count = (value: number) => value.toLocaleString('en')
const [inKib, inMib] = [1024, 1024 * 1024]
const [inMinutes, inHours, inDays, inSeconds] = [minutes(1), hours(1), days(1), seconds(1)]

const checkout = 'features/checkout/checkout.contract.ts'
const signIn = 'features/accounts/sign-in.contract.ts'
const products = 'features/catalog/product-input.ts'
const buyingLimits = 'db/migrations/0010_buying_limits.sql'
const guesses = 'features/pricing/coupon-guesses.ts'
const guessMinutes = figure(guesses, 'guessWindowMs') / inMinutes

const [figures = ''] = read('docs/limits.md').split('\n## How long a text may be\n')

/** Each row of the page, with the start of its figure from the source. */
const limits: Record<string, string> = {
  'Requests of a key': `${figureIn('cli/key.ts', /requests per minute; default: (\d+)/)} a minute`,
  'Requests of one visitor with the browser keys of a store': `${figureIn('db/migrations/0007_visitor_limit.sql', /default (\d+)/)} a minute unless`,
  'Unknown keys, webhook credentials and orders requested by one client': `${figure('features/access/lookups.ts', 'maxMissesPerMinute')} a minute`,
  'One-time passwords to a phone or an email address, in a store': `${figure('features/accounts/otp.ts', 'maxPerHour')} an hour`,
  'One-time passwords to a phone or an email address, requested with the `requestToken` of an earlier sign-in, in a store': `${figure('features/accounts/otp.ts', 'maxPerHour')} an hour`,
  'One-time passwords requested by a client, in a store': `${figureIn('db/migrations/0009_callers.sql', /otp_client_limit integer not null default (\d+)/)} an hour`,
  'One-time passwords of a store': 'none',
  'Attempts for a one-time password': count(figure('features/accounts/otp.ts', 'attemptsPerCode')),
  'Mails to an email address that reset a password, in a store': `${figure('features/accounts/mail-limits.ts', 'maxMailsPerHour')} an hour`,
  'Mails to an email address that ask to confirm it, in a store': `${figure('features/accounts/mail-limits.ts', 'maxMailsPerHour')} an hour`,
  'Requests for such mail, and uses of links, of each kind by a client, in a store': `${figureIn('db/migrations/0009_callers.sql', /otp_client_limit integer not null default (\d+)/)} an hour`,
  'Failed sign-ins with an email address': `${figure('features/accounts/email.ts', 'maxFailures')} in ${figure('features/accounts/email.ts', 'lockWindowMs') / inMinutes} minutes`,
  'Wrong current passwords of a signed-in customer': `${figure('features/accounts/email.ts', 'maxFailures')} in ${figure('features/accounts/email.ts', 'lockWindowMs') / inMinutes} minutes`,
  'Unknown coupon codes, by shopper': `${figure(guesses, 'shopper')} in ${guessMinutes} minutes`,
  'Unknown coupon codes, by client address and store': `${figure(guesses, 'client')} in ${guessMinutes} minutes, and ${figure(guesses, 'serverClient')} with`,
  'Returns from a payment page (`/payment/callback`), by client': `${figure('features/payments/callback.ts', 'maxCallbacksPerMinute')} a minute`,
  'Uses of a download, for each copy bought': count(figure('features/downloads/grant.ts', 'usesPerCopy')),

  'Body of a request': `${figure('http/body.ts', 'maxBodyBytes') / inMib} MiB`,
  'Nesting of a body': `${figure('http/body.ts', 'maxDepth')} levels`,
  'Headers of a request, in total': `${figure('http/server.ts', 'maxHeaderBytes') / inKib} KiB`,
  'Items of a page': `${figureIn('http/schema.ts', /maximum: (\d+), default/)}, and ${figureIn('http/schema.ts', /default: (\d+)/)} unless`,
  'Product ids in one `ids`': count(figureIn('features/catalog/catalog.ts', /ids\.length > (\d+)/)),
  'Values in one `options`': count(figure('features/catalog/option-choices.ts', 'maxChoices')),
  'Characters of a search': `${figureIn('features/catalog/catalog.contract.ts', /q: Type\.String\(\{ maxLength: (\d+), desc/)}, of which the first ${figure('features/catalog/search-words.ts', 'maxWords')} words`,
  'Matches that are counted exactly': count(figure('features/catalog/word-counts.ts', 'countedMatches')),
  'Lines of a cart': count(figure('features/cart/cart.ts', 'maxLines')),
  'Units of a line': count(figure('features/catalog/catalog.contract.ts', 'maxLineQuantity')),
  'Lines in one call': count(figureIn('features/cart/cart.contract.ts', /maxItemsPerRequest = \{ maxItems: (\d+)/)),
  'Units of a cash order': count(figureIn(buyingLimits, /cod_max_units integer default (\d+)/)),
  'Total of a cash order': `by currency, such as ${count(toWire(defaultCashLimitMinor('INR') ?? 0, 'INR'))} INR`,
  'Undelivered cash orders of a customer': count(figureIn(buyingLimits, /cod_max_open_orders integer default (\d+)/)),
  'Units in unpaid orders of a customer': count(figureIn(buyingLimits, /max_held_units integer default (\d+)/)),
  'Products on a wishlist': count(figure('features/wishlist/wishlist.contract.ts', 'maxWishlistItems')),
  'Addresses of a customer': count(figure('features/accounts/profile.contract.ts', 'maxAddresses')),
  'Characters of a password': [/minLength: (\d+), maxLength: \d+ \}\),\n.*phone/, /minLength: 8, maxLength: (\d+)/]
    .map((pattern) => figureIn(signIn, pattern))
    .join(' to '),
  'Characters of a note to an order': count(figureIn(checkout, /note: .*maxLength: (\d+)/)),
  'Characters of an `Idempotency-Key`': count(figureIn('features/access/shopper.ts', /\{1,(\d+)\}\$\/\.test\(key\)/)),
  'Stored `Idempotency-Key`s of a shopper': count(figure('features/access/idempotency.ts', 'maxKeysPerShopper')),
  'Stored `Idempotency-Key`s of a store': count(figure('features/access/idempotency.ts', 'maxKeysPerStore')),
  'Queued changes of one shopper or cart': count(figure('db/queueing.ts', 'maxQueued')),
  'Variants of a product': count(figureIn(products, /variants: .*maxItems: (\d+)/)),
  'Images of a product': count(figureIn(products, /images: .*maxItems: (\d+)/)),

  'Session of a customer': `${figure('features/accounts/sessions.ts', 'sessionTtlMs') / inDays} days`,
  'Guest token, since its last renewal': `${figure('features/access/guest-token.ts', 'guestTtlMs') / inDays} days`,
  'Cart of a guest, since its last change': `${figure('features/cart/show-cart.ts', 'guestCartTtlMs') / inDays} days`,
  'One-time password': `${figure('features/accounts/otp.ts', 'codeTtlMs') / inMinutes} minutes`,
  '`requestToken` of a used one-time password': `${figure('features/accounts/otp.ts', 'proofTtlMs') / inDays} days`,
  'Link that resets a password': `${figure('features/accounts/mail-links.ts', 'resetTtlMs') / inMinutes} minutes`,
  'Link that confirms an email address': `${figure('features/accounts/mail-links.ts', 'verifyTtlMs') / inHours} hours`,
  'Units reserved by an unpaid order': `${figure('providers/payment/provider.ts', 'holdMs') / inMinutes} minutes`,
  'Page of the payment provider': `${figure('providers/payment/provider.ts', 'sessionMs') / inMinutes} minutes`,
  'An `Idempotency-Key`': `${figure('features/access/idempotency.ts', 'keyTtlMs') / inHours} hours`,
  'Link of a download': `${figure('features/downloads/links.ts', 'linkTtlMs') / inMinutes} minutes`,
  'Internal token': `${figure('features/access/internal-token.ts', 'maxTtlSeconds') / 60} minutes`,
  'Waiting for an order with `wait`': `${figure('features/orders/orders.contract.ts', 'maxWaitSeconds')} seconds`,
  'Catalog responses and keys that are out of date': `${figure('caches.ts', 'catalogMaxAgeMs') / inSeconds} second at most`,

  'Headers of a request': `${figure('http/server.ts', 'headersTimeout') / inSeconds} seconds`,
  'Whole request': `${figure('http/server.ts', 'bodyTimeout') / inSeconds} seconds`,
  'Upload of a file': `${figure('http/server.ts', 'requestTimeout') / inMinutes} minutes`,
  'Connection without progress, such as a response that is not read': `${figure('http/server.ts', 'idleTimeout') / inSeconds} seconds`,
  'Idle connection': `${figure('http/server.ts', 'keepAliveTimeout') / inSeconds} seconds`,
  'Statement in the database': `${figure('db/database.ts', 'statementTimeoutMs') / inSeconds} seconds`,
  'Waiting for a lock in the database': `${figure('db/database.ts', 'lockTimeoutMs') / inSeconds} seconds`,
  'Waiting in queues and for database connections, in one request': `${figure('db/database.ts', 'maxWaitMs') / inSeconds} seconds`,
  'Requests waiting for a database connection, in an instance': count(figure('db/database.ts', 'maxWaiting')),
  'Event loop lag of an instance': `${figure('http/shed-load.ts', 'maxLoopDelayMs') / inSeconds} seconds`,
  'Requests in progress when an instance stops': `${figure('app.ts', 'drainMs') / inSeconds} seconds`,
}

test('docs/limits.md has the figures of the source', () => {
  const rows = [...figures.matchAll(/^\| (.+?) \| (.+?) \| .+ \|$/gm)].filter(([, name]) => name !== 'what')
  assert.deepEqual(
    rows.map(([, name]) => name),
    Object.keys(limits),
    'bring the rows of docs/limits.md and of this test in line',
  )
  for (const [, name = '', written = ''] of rows) {
    const real = limits[name] ?? ''
    const fits = written === real || (written.startsWith(real) && !/^[\d,]/.test(written.slice(real.length)))
    assert.ok(fits, `docs/limits.md says of "${name}": ${written}, and the source ${real}`)
  }
})

test('the rate limit window is a minute, and cached keys are as fresh as cached answers', () => {
  assert.equal(windowMs, minutes(1))
  assert.equal(figure('features/access/directory.ts', 'entryTtlMs'), figure('caches.ts', 'catalogMaxAgeMs'))
})

test('the guide lists the ports that the demo store allows', () => {
  const [, source = ''] = /demoOrigins = \[(.+?)\]/.exec(read('src/features/demo-store/demo-store.ts')) ?? []
  const ports = source.split(', ')
  const sentence = `ports ${ports.slice(0, -1).join(', ')} and ${ports.at(-1)} of`
  for (const page of ['docs/keys.md', 'docs/sdk.md']) {
    assert.ok(read(page).replaceAll(/\s+/g, ' ').includes(sentence), `${page} should say "${sentence}"`)
  }
})
