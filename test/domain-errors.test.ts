import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Command } from 'commander'
import fastify from 'fastify'
import { toOperatorError, wordForOperator } from '../src/cli/domain-errors.ts'
import { createProgram } from '../src/cli/program.ts'
import { type DomainErrorCode, type DomainErrorData, domainErrors, refuse } from '../src/core/domain-errors.ts'
import { errorCatalogue, fail } from '../src/core/errors.ts'
import { OperatorError } from '../src/core/operator-error.ts'
import { errorMessage } from '../src/core/thrown.ts'
import { cartContract } from '../src/features/cart/cart.contract.ts'
import { answerErrors } from '../src/http/errors.ts'

const things = [
  { id: 'id_1', name: 'One' },
  { id: 'id_2', name: 'Two' },
]

/** Data for every code. A new code does not compile until it has some. */
const samples: DomainErrorData = {
  CUSTOMER_NOT_FOUND: { customerId: 'cus_1' },
  CUSTOMER_ERASED: { customerId: 'cus_1' },
  CUSTOMER_HAS_OPEN_RETURNS: { orders: ['12'] },
  CUSTOMER_HAS_OPEN_ORDERS: { orders: ['1001'] },
  CUSTOMER_EMAIL_TAKEN: { email: 'asha@shop.example' },
  CUSTOMER_EMAIL_NEEDED: {},
  CUSTOMER_ONLY_SIGN_IN: { field: 'email' },
  COUPON_USED: { coupon: 'TEA15' },
  COUPON_LIMIT_BELOW_USES: { coupon: 'TEA15', used: 3 },
  NOTE_NOT_FOUND: { noteId: 'note_1' },
  STORE_NOT_FOUND: { storeId: 'store_1' },
  STORE_MISSING: {},
  STORE_AMBIGUOUS: { count: 2, stores: things },
  STORE_NAME_EMPTY: {},
  DOMAIN_TAKEN: { domain: 'https://shop.example' },
  DOMAIN_INVALID: { domain: 'a b' },
  ORIGIN_INVALID: { origin: 'a b' },
  ORIGIN_NOT_FOUND: { origin: 'https://shop.example' },
  CURRENCY_UNKNOWN: { currency: 'XYQ' },
  LOCALE_UNKNOWN: { locale: 'x' },
  TIMEZONE_UNKNOWN: { timezone: 'Mars/Base' },
  COUNTRY_UNKNOWN: { country: 'XX' },
  LOGO_INVALID: { logo: 'javascript:alert(1)' },
  COLOR_INVALID: { color: 'green' },
  MAIL_ADDRESS_INVALID: { address: 'a' },
  KEY_NOT_FOUND: { keyId: 'key_1' },
  SCOPE_UNKNOWN: { scope: 'a', scopes: ['b'] },
  OUTLET_NOT_FOUND: { outletId: 'outlet_1' },
  STAFF_NOT_FOUND: { staffId: 'stf_1' },
  STAFF_EXISTS: { email: 'meera@shop.example' },
  STAFF_ELSEWHERE: { email: 'meera@shop.example' },
  STAFF_HAS_PASSWORD: { email: 'meera@shop.example' },
  LAST_OWNER: {},
  ROLE_UNKNOWN: { role: 'boss', roles: ['owner'] },
  PERMISSION_UNKNOWN: { permission: 'a', permissions: ['b'] },
  PERMISSION_NOT_OWN: { permission: 'secrets:write' },
  TOKEN_RIGHTS_UNCLEAR: {},
  TOKEN_LIMIT_REACHED: { maxTokens: 300 },
  TOKEN_NOT_FOUND: { tokenId: 'tok_1' },
  EXPIRY_PAST: {},
  MENU_LIST_MISSING: { path: 'items' },
  MENU_TEXT_MISSING: { path: 'items[0].label' },
  MENU_TOO_DEEP: { path: 'items[0].children', maxLevels: 3 },
  MENU_TYPE_UNKNOWN: { path: 'items[0].type', type: 'a', types: ['b'] },
  MENU_TARGET_UNSAFE: { path: 'items[0].target', label: 'A', target: 'data:x' },
  PRODUCT_INVALID: { slug: 'mug', faults: [{ field: 'name', message: 'is required' }] },
  PRODUCT_SLUG_TAKEN: { slug: 'mug' },
  PRODUCT_SLUG_INVALID: { slug: 'A mug', suggestion: 'a-mug' },
  VARIANT_OPTIONS_TAKEN: { variantId: 'var_1' },
  CATEGORY_NOT_FOUND: { category: 'cat_1' },
  CATEGORY_UNKNOWN: { category: 'cat_1' },
  CATEGORY_NAME_INVALID: {},
  CATEGORY_NAME_TAKEN: { name: 'Mugs' },
  CATEGORY_SLUG_TAKEN: { slug: 'mugs' },
  CATEGORY_SLUG_INVALID: { slug: 'A mug' },
  CATEGORY_INSIDE_ITSELF: {},
  CATEGORY_TOO_DEEP: { maxLevels: 10 },
  CATEGORY_IMAGE_INVALID: {},
  CATEGORY_NOT_EMPTY: { categoryId: 'cat_1' },
  BULK_PRODUCTS_UNCLEAR: {},
  BULK_CHANGE_EMPTY: {},
  BULK_PRICE_UNCLEAR: {},
  BULK_PERCENT_INVALID: { percent: 0.0001 },
  BULK_AMOUNT_INVALID: { amount: 0.001, currency: 'INR' },
  JOB_NOT_FOUND: { jobId: 'job_1' },
  JOB_LIMIT_REACHED: { maxOpenJobs: 20 },
  JOB_TYPE_LIMIT_REACHED: { type: 'import', maxOpen: 3 },
  JOB_DAY_LIMIT_REACHED: { type: 'export', maxKept: 20 },
  JOB_FILE_NOT_FOUND: { jobId: 'job_1' },
  OUTLET_IS_DEFAULT: { outletId: 'outlet_1' },
  OUTLET_IN_USE: { outletId: 'outlet_1' },
  PRODUCT_NOT_FOUND: { product: 'mug' },
  VARIANT_NOT_FOUND: { variant: 'var_1', product: null },
  VARIANT_AMBIGUOUS: { sku: null, variants: things },
  VARIANT_MISSING: {},
  STOCK_NOT_TRACKED: { variantId: 'var_1' },
  STOCK_TOO_LOW: { units: 3, available: 2 },
  STOCK_TOO_HIGH: { maxUnits: 5 },
  IMPORT_FILE_UNREADABLE: { path: 'a.csv', reason: 'it is gone' },
  IMPORT_FILE_IRREGULAR: { path: 'a.csv' },
  IMPORT_FILE_CHANGED: { path: 'a.csv' },
  IMPORT_STORE_CHANGED: { path: 'a.csv' },
  IMPORT_INTERRUPTED: { saved: 7 },
  EXPORT_OPTIONS_TOO_MANY: { slug: 'mug', options: 4, maxOptions: 3 },
  COUPON_NOT_FOUND: { coupon: 'TEA' },
  COUPON_TAKEN: { coupon: 'TEA' },
  COUPON_CODE_INVALID: { coupon: 'a b' },
  COUPON_AMOUNT_INVALID: { field: 'value', amount: 1.234, currency: 'INR' },
  COUPON_DISCOUNT_ZERO: {},
  COUPON_PERCENT_INVALID: { percent: 101 },
  COUPON_PERIOD_INVALID: { startsAt: new Date(1), endsAt: new Date(0) },
  COUPON_LIMIT_INVALID: { limit: 0, maxUses: 9 },
  COUPON_CATEGORY_UNKNOWN: { category: 'Cellar' },
  COUPON_PRODUCT_UNKNOWN: { product: 'mug' },
  ORDER_NOT_FOUND: { order: '1001', storeId: 'store_1' },
  ORDER_AMBIGUOUS: { order: '1001', stores: things },
  ORDER_STATUS_UNKNOWN: { status: 'a', statuses: ['b'] },
  ORDER_BEING_PAID: { orderId: 'ord_1' },
  ORDER_NOT_CANCELLABLE: { orderId: 'ord_1', reason: 'shipped' },
  MESSAGE_UNKNOWN: { message: 'order.lost', messages: ['order.paid'] },
  MESSAGE_ALWAYS_SENT: { message: 'otp.code' },
  MAIL_NOTHING_TO_RESEND: { order: '1001', message: 'order.paid' },
  MAIL_OUTDATED: { order: '1001', message: 'order.payment_failed' },
  MAIL_SWITCHED_OFF: { message: 'order.paid' },
  MAIL_RECIPIENT_MISSING: { order: '1001' },
  MAIL_RESENT_TOO_OFTEN: { maxPerHour: 3 },
  MAIL_LANGUAGE_UNKNOWN: { language: 'fr', languages: ['en', 'hi'] },
  ORDER_NOT_SHIPPABLE: { order: '1001', status: 'cancelled' },
  TRACKING_NUMBER_TAKEN: { order: '1001', trackingNumber: 'BB1' },
  LINE_NOT_FOUND: { order: '1001', line: 'MUG' },
  LINE_AMBIGUOUS: { order: '1001', line: 'MUG' },
  LINE_NOT_PHYSICAL: { name: 'Song' },
  LINE_UNITS_TOO_MANY: { name: 'Mug', units: 3, unitsLeft: 2 },
  NOTHING_TO_DELIVER: { order: '1001' },
  ORDER_NOT_DELIVERABLE: { order: '1001', status: 'cancelled' },
  ORDER_NOT_PAID: { order: '1001' },
  NOTHING_TO_SHIP: { order: '1001' },
  SHIPMENT_NOT_FOUND: { shipment: 'ship_1' },
  SHIPMENT_UNFINISHED: { order: '1001', shipment: 'ship_1' },
  SHIPMENT_NOT_BOOKED: { shipment: 'ship_1' },
  SHIPMENT_WITHOUT_CARRIER: { shipment: 'ship_1' },
  SHIPMENT_ENDED: { shipment: 'ship_1', status: 'delivered' },
  PARCEL_INVALID: { reason: 'The weight must be more than 0 kg.' },
  CARRIER_UNKNOWN: { carrier: 'a', carriers: ['b'] },
  CARRIER_ACCOUNT_MISSING: { carrier: 'shiprocket' },
  CARRIER_CREDENTIAL_UNKNOWN: { carrier: 'shiprocket', credential: 'a', wanted: ['b'] },
  CARRIER_CREDENTIALS_MISSING: { carrier: 'shiprocket', missing: ['password'] },
  CARRIER_REFUSED: { carrier: 'shiprocket', reason: 'No courier.', shipment: 'ship_1' },
  CARRIER_UNAVAILABLE: { carrier: 'shiprocket' },
  NOTHING_TO_REFUND: { order: '1001' },
  REFUND_ONLY_WHOLE: { order: 'id_1', provider: 'cheque' },
  REFUND_AMOUNT_INVALID: { currency: 'INR' },
  REFUND_AMOUNT_REFUSED: { reason: 'The last decimal is not 0.' },
  REFUND_RESTOCK_INVALID: {},
  REFUND_TOO_LARGE: { order: 'id_1', left: 5, currency: 'INR' },
  REFUND_QUANTITY_INVALID: { line: 'id_1', left: 2 },
  PAYMENT_NOT_FOUND: { order: '1001' },
  CREDENTIALS_REFUSED: { provider: 'cheque', reason: 'The key is wrong.' },
  PROVIDER_UNREACHABLE: { provider: 'cheque', reason: 'It did not answer.' },
  PROVIDER_UNKNOWN: { provider: 'a', providers: ['b'] },
  PROVIDER_FOR_TESTING: { provider: 'a', providers: ['b'] },
  CREDENTIAL_UNKNOWN: { provider: 'a', credential: 'b', wanted: [] },
  CREDENTIALS_MISSING: { provider: 'a', missing: ['b'] },
  WEBHOOK_URL_REFUSED: { url: 'https://10.0.0.1/', reason: 'The host is not on the public internet.' },
  WEBHOOK_TYPE_UNKNOWN: { type: 'order.eaten', types: ['order.paid'] },
  INVOICE_NOT_ISSUED: { order: '1001', refundId: '' },
  INVOICE_TOO_EARLY: { order: '1001' },
  INVOICE_MISSING: { order: '1001' },
  INVOICE_NUMBER_TAKEN: { label: 'INV-1' },
  REFUND_NOT_FOUND: { order: '1001', refundId: 'ref_1' },
  REFUND_NOT_MADE: { refundId: 'ref_1', status: 'pending' },
  MAIL_SENDER_MISSING: {},
  NOTE_EMPTY: {},
  ORDER_NOT_FLAGGED: { order: '1001' },
  RETURN_NOT_FOUND: { returnId: 'ret_1' },
  RETURN_ITEM_UNKNOWN: {},
  RETURN_TOO_EARLY: { order: '1001' },
  RETURN_TOO_LATE: { order: '1001', days: 30 },
  RETURN_OF_FILE: { line: 'item_1' },
  RETURN_QUANTITY_INVALID: { line: 'item_1', left: 0 },
  RETURN_STATUS_WRONG: { returnId: 'ret_1', status: 'refunded', allowed: ['requested', 'approved'] },
  WEBHOOK_TYPES_MISSING: {},
  WEBHOOK_LIMIT_REACHED: { maxEndpoints: 20 },
  PICTURE_TYPE_REFUSED: { type: 'SVG' },
  PICTURE_FILE_TOO_LARGE: { maxBytes: 10485760 },
  PICTURE_TOO_LARGE: { maxMegapixels: 50, maxSide: 16000 },
  PICTURE_DAMAGED: {},
  PICTURE_TOO_SLOW: {},
  MEDIA_UNKNOWN: { mediaId: 'med_1' },
  IMAGE_UNCLEAR: { image: 'images', media: 'media' },
  MEDIA_NOT_FOUND: { mediaId: 'med_1' },
  MEDIA_IN_USE: { mediaId: 'med_1', users: ['the product Mug'] },
  MEDIA_LIMIT_REACHED: { maxBytes: 5_000_000 },
  MEDIA_BEING_REMOVED: {},
  MEDIA_STORAGE_FAILED: {},
  PRODUCT_MEDIA_LIMIT: { max: 250 },
  WEBHOOK_NOT_FOUND: { endpointId: 'whk_1' },
  WEBHOOK_ROTATED: { endpointId: 'whk_1', until: new Date(0) },
  WEBHOOK_DISABLED: { endpointId: 'whk_1' },
  DELIVERY_NOT_FOUND: { deliveryId: 'dlv_1_1' },
  DELIVERY_IN_PROGRESS: { deliveryId: 'dlv_1_1' },
  DELIVERY_STATE_UNKNOWN: { state: 'lost', states: ['waiting'] },
  EVENT_NOT_FOUND: { eventId: 7 },
  EVENT_MALFORMED: { eventId: 7, reason: 'status is missing.' },
}

const codes = Object.keys(domainErrors) as DomainErrorCode[]
const sample = <Code extends DomainErrorCode>(code: Code) => refuse(code, samples[code])

const assertSentence = (code: string, text: string) => {
  assert.match(text, /^["A-Za-z0-9].*\.$/s, code)
  assert.doesNotMatch(text, /undefined|\[object|\n/, code)
}

test('the text of a domain error names no flag, no command and no status', () => {
  for (const code of codes) {
    const { message } = sample(code)
    assertSentence(code, message)
    assert.doesNotMatch(message, /--[a-z]|vitrine|HTTP|\b[45]\d\d\b/, code)
  }
})

test('only the command line lists other stores', () => {
  for (const code of ['STORE_AMBIGUOUS', 'ORDER_AMBIGUOUS'] as const) {
    assert.doesNotMatch(sample(code).message, /id_1|One/)
    assert.match(wordForOperator(sample(code)), /id_1 \(One\), id_2 \(Two\)/)
  }
})

test('domain errors and codes of the API do not share names, and each one is used', () => {
  const source = globSync('src/features/**/*.ts')
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
  for (const code of codes) {
    assert.ok(!(code in errorCatalogue), `${code} is a code of the API`)
    assert.ok(
      source.includes(`refuse('${code}'`),
      `${code} is refused nowhere: remove it from src/core/domain-errors.ts`,
    )
  }
})

test('the command line words each domain error with flags and commands that exist', () => {
  const all = withChildren(createProgram())
  const flags = new Set(all.flatMap(({ options }) => options.map(({ long }) => long)))
  const commands = new Set(all.map(nameOf))
  for (const code of codes) {
    const text = wordForOperator(sample(code))
    assertSentence(code, text)
    for (const [flag] of text.matchAll(/--[a-z][a-z-]*/g)) assert.ok(flags.has(flag), `${code} names ${flag}`)
    for (const [, name = ''] of text.matchAll(/"(vitrine [^"]+)"/g)) assert.ok(commands.has(name), `${code}: ${name}`)
  }
  assert.match(wordForOperator(sample('STORE_MISSING')), /"vitrine store create"/)
  assert.equal(wordForOperator(sample('STOCK_TOO_LOW')), sample('STOCK_TOO_LOW').message, 'the text of the catalogue')
})

const withChildren = (command: Command): Command[] => [command, ...command.commands.flatMap(withChildren)]
const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`

test('the command line prints an API error with its cause, and does not catch internal errors', () => {
  const away = toOperatorError(fail('BAD_GATEWAY', 'The provider is away.', { cause: new Error('ECONNREFUSED') }))
  assert.ok(away instanceof OperatorError)
  assert.equal(away.message, 'The provider is away. (ECONNREFUSED)')
  const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' })
  const causes = [
    new TypeError('fetch failed', { cause: refused }),
    new AggregateError([refused], ''),
    new AggregateError([], ''),
  ]
  const texts = causes.map((cause) => errorMessage(toOperatorError(fail('BAD_GATEWAY', 'Away.', { cause }))))
  assert.deepEqual(texts, ['Away. (ECONNREFUSED)', 'Away. (ECONNREFUSED)', 'Away.'])
  for (const error of [new TypeError('x is not a function'), fail('INTERNAL')]) {
    assert.equal(toOperatorError(error), error)
  }
})

const statuses = { invalid: 400, notFound: 404, conflict: 409, unavailable: 503 }

test('HTTP answers each domain error with a code of the API, its status and the text', async (t) => {
  const server = fastify()
  t.after(() => server.close())
  answerErrors(server)
  const thrower = (request: { params: unknown }) => {
    throw sample((request.params as { code: DomainErrorCode }).code)
  }
  server.get('/:code', thrower)
  server.post('/:code', { config: { endpoint: cartContract.addToCart } }, thrower)
  for (const code of codes) {
    const answer = await server.inject({ url: `/${code}` })
    const body = answer.json()
    assert.equal(answer.statusCode, statuses[domainErrors[code].kind], code)
    assert.deepEqual(Object.keys(body), ['error', 'code'], code)
    assert.equal(body.error, sample(code).message)
    assert.equal(errorCatalogue[body.code as keyof typeof errorCatalogue]?.status, answer.statusCode, code)
  }
  assert.equal((await server.inject({ url: '/STOCK_TOO_LOW' })).json().code, 'INSUFFICIENT_STOCK')
  assert.equal((await server.inject({ url: '/IMPORT_INTERRUPTED' })).headers['retry-after'], '1')
  const strict = await server.inject({ method: 'POST', url: '/LOCALE_UNKNOWN' })
  assert.deepEqual([strict.statusCode, strict.json().code], [422, 'UNPROCESSABLE_ENTITY'])
})
