import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultCashCeilingMinor } from '../src/core/cash-ceilings.ts'
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
  'Requests of a key': `${figureIn('cli/key.ts', /requests a minute; (\d+) otherwise/)} a minute`,
  'Requests of one visitor with the browser keys of a store': `${figureIn('db/migrations/0007_visitor_limit.sql', /default (\d+)/)} a minute unless`,
  'Unknown keys, webhook credentials and orders that one client asks for': `${figure('features/access/lookups.ts', 'mostMissesAMinute')} a minute`,
  'One-time passwords to a phone, in a store': `${figure('features/accounts/otp.ts', 'mostAnHour')} an hour`,
  'One-time passwords to a phone, asked for with the `requestToken` of an earlier sign-in, in a store': `${figure('features/accounts/otp.ts', 'mostAnHour')} an hour`,
  'One-time passwords that a client asks a store for': `${figureIn('db/migrations/0009_callers.sql', /otp_client_limit integer not null default (\d+)/)} an hour`,
  'One-time passwords of a store': 'none',
  'Tries of a one-time password': count(figure('features/accounts/otp.ts', 'attemptsPerCode')),
  'Failed sign-ins with an e-mail address': `${figure('features/accounts/email.ts', 'mostFailures')} in ${figure('features/accounts/email.ts', 'lockWindowMs') / inMinutes} minutes`,
  'Wrong current passwords of a customer who is signed in': `${figure('features/accounts/email.ts', 'mostFailures')} in ${figure('features/accounts/email.ts', 'lockWindowMs') / inMinutes} minutes`,
  'Coupon codes that do not exist, by a shopper': `${figure(guesses, 'shopper')} in ${guessMinutes} minutes`,
  'Coupon codes that do not exist, by a client address and store': `${figure(guesses, 'client')} in ${guessMinutes} minutes, and ${figure(guesses, 'serverClient')} with`,
  'Returns from a payment page (`/payment/callback`) of one client': `${figure('features/payments/callback.ts', 'mostCallbacksAMinute')} a minute`,
  'Uses of a download, for each copy bought': count(figure('features/downloads/grant.ts', 'usesOfACopy')),

  'Body of a request': `${figure('http/body.ts', 'maxBodyBytes') / inMib} MiB`,
  'Nesting of a body': `${figure('http/body.ts', 'maxDepth')} levels`,
  'Headers of a request, in all': `${figure('http/server.ts', 'maxHeaderBytes') / inKib} KiB`,
  'Items of a page': `${figureIn('http/schema.ts', /maximum: (\d+), default/)}, and ${figureIn('http/schema.ts', /default: (\d+)/)} unless`,
  'Product ids in one `ids`': count(figureIn('features/catalog/catalog.ts', /ids\.length > (\d+)/)),
  'Values in one `options`': count(figure('features/catalog/option-choices.ts', 'mostChoices')),
  'Characters of a search': `${figureIn('features/catalog/catalog.contract.ts', /q: Type\.String\(\{ maxLength: (\d+), desc/)}, of which the first ${figure('features/catalog/search-words.ts', 'mostWords')} words`,
  'Matches that are counted exactly': count(figureIn('features/catalog/search.sql.ts', /counted: sql`(\d+)`/) - 1),
  'Lines of a cart': count(figure('features/cart/cart.ts', 'mostLines')),
  'Units of a line': count(figure('features/cart/cart.contract.ts', 'maxQuantity')),
  'Lines in one call': count(figureIn('features/cart/cart.contract.ts', /mostLines = \{ maxItems: (\d+)/)),
  'Units of a cash order': count(figureIn(buyingLimits, /cod_max_units integer default (\d+)/)),
  'Total of a cash order': `by currency, such as ${count(toWire(defaultCashCeilingMinor('INR') ?? 0, 'INR'))} INR`,
  'Cash orders of a customer that are not delivered': count(
    figureIn(buyingLimits, /cod_max_open_orders integer default (\d+)/),
  ),
  'Units in unpaid orders of a customer': count(figureIn(buyingLimits, /max_held_units integer default (\d+)/)),
  'Products on a wishlist': count(figure('features/wishlist/wishlist.contract.ts', 'maxWishes')),
  'Addresses of a customer': count(figure('features/accounts/profile.contract.ts', 'maxAddresses')),
  'Characters of a password': [/minLength: (\d+), maxLength: \d+ \}\),\n.*phone/, /minLength: 8, maxLength: (\d+)/]
    .map((pattern) => figureIn(signIn, pattern))
    .join(' to '),
  'Characters of a note to an order': count(figureIn(checkout, /note: .*maxLength: (\d+)/)),
  'Characters of an `Idempotency-Key`': count(figureIn('features/access/shopper.ts', /\{1,(\d+)\}\$\/\.test\(key\)/)),
  'Keys that are remembered of a shopper': count(figure('features/access/once.ts', 'mostKeysOfShopper')),
  'Keys that are remembered of a store': count(figure('features/access/once.ts', 'mostKeysOfStore')),
  'Changes of one shopper or cart that wait for each other': count(figure('db/turns.ts', 'mostInLine')),
  'Variants of a product': count(figureIn(products, /variants: .*maxItems: (\d+)/)),
  'Pictures of a product': count(figureIn(products, /images: .*maxItems: (\d+)/)),

  'Session of a customer': `${figure('features/accounts/sessions.ts', 'sessionLifeMs') / inDays} days`,
  'Guest token, since its last renewal': `${figure('features/access/guest-token.ts', 'guestLifeMs') / inDays} days`,
  'Cart of a guest, since its last change': `${figure('features/cart/show-cart.ts', 'guestCartLifeMs') / inDays} days`,
  'One-time password': `${figure('features/accounts/otp.ts', 'codeLifeMs') / inMinutes} minutes`,
  '`requestToken` of a one-time password that was used': `${figure('features/accounts/otp.ts', 'proofLifeMs') / inDays} days`,
  'Units held by an unpaid order': `${figure('features/checkout/checkout.ts', 'reservationMs') / inMinutes} minutes`,
  'Page of the payment provider': `${figure('features/payments/sessions.ts', 'sessionMs') / inMinutes} minutes`,
  'An `Idempotency-Key`': `${figure('features/access/once.ts', 'keptForMs') / inHours} hours`,
  'Link of a download': `${figure('features/downloads/links.ts', 'linkLivesMs') / inMinutes} minutes`,
  'Internal token': `${figure('features/access/internal-token.ts', 'longestLifeSeconds') / 60} minutes`,
  'Waiting for an order with `wait`': `${figure('features/orders/orders.contract.ts', 'longestWaitSeconds')} seconds`,
  'Remembered catalog answers and keys': `${figure('app.ts', 'catalogMaxAgeMs') / inSeconds} second at most`,

  'Headers of a request': `${figure('http/server.ts', 'headersTimeout') / inSeconds} seconds`,
  'Whole request': `${figure('http/server.ts', 'requestTimeout') / inSeconds} seconds`,
  'Connection on which nothing moves, such as an answer that is not read': `${figure('http/server.ts', 'idleTimeout') / inSeconds} seconds`,
  'Idle connection': `${figure('http/server.ts', 'keepAliveTimeout') / inSeconds} seconds`,
  'Statement in the database': `${figure('db/database.ts', 'statementTimeoutMs') / inSeconds} seconds`,
  'Waiting for a lock in the database': `${figure('db/database.ts', 'lockTimeoutMs') / inSeconds} seconds`,
  'Waiting for a turn, and for a database connection': `${figure('db/database.ts', 'patienceMs') / inSeconds} seconds`,
  'Requests that wait for a database connection, in an instance': count(figure('db/database.ts', 'maxWaiting')),
  'Lag of an instance': `${figure('app.ts', 'longestLoopDelayMs') / inSeconds} seconds`,
  'Requests under way when an instance stops': `${figure('app.ts', 'drainMs') / inSeconds} seconds`,
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
  assert.equal(figure('features/access/directory.ts', 'entryLifeMs'), figure('app.ts', 'catalogMaxAgeMs'))
})

test('the guide lists the ports that the demo store allows', () => {
  const [, source = ''] = /demoOrigins = \[(.+?)\]/.exec(read('src/features/demo-store/demo-store.ts')) ?? []
  const ports = source.split(', ')
  const sentence = `ports ${ports.slice(0, -1).join(', ')} and ${ports.at(-1)} of`
  for (const page of ['docs/keys.md', 'docs/sdk.md']) {
    assert.ok(read(page).replaceAll(/\s+/g, ' ').includes(sentence), `${page} should say "${sentence}"`)
  }
})
