import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { languages } from '../../core/languages.ts'
import { composeMail } from '../../providers/mail/compose.ts'
import type { Store } from '../context.ts'
import { type MessageName, messageNames } from '../events/messages.ts'
import type { OrderSnapshot } from '../orders/order-events.ts'
import { composeExample, makeExampleOrder } from './examples.ts'
import { addLetterhead } from './letterhead.ts'
import { emailVerify, otpCode, passwordReset, staffInvitation, staffReset } from './messages/account-messages.ts'
import { stockLow, webhookDisabled } from './messages/merchant-messages.ts'
import { createMessageCtx } from './messages/message.ts'
import { orderMessages } from './messages/order-messages.ts'
import { contrast, darkBackground, lightBackground, makePalette } from './render/colors.ts'
import { pickMailLanguage } from './texts/texts.ts'

// Messages need only these fields of a store.
const store = {
  name: 'Kavya Crafts',
  domain: 'https://kavya.example',
  currency: 'INR',
  locale: 'en-IN',
  timezone: 'Asia/Kolkata',
  logo: '/demo/logo.svg',
  brandColor: '#0a5c36',
  mailSenderName: '',
  mailReplyTo: '',
  contact: { email: 'hello@kavya.example', phone: '+918012345678' },
  address: { line1: '4 Church Street', city: 'Bengaluru', postalCode: '560001', state: 'Karnataka', country: 'IN' },
  taxIncluded: true,
  defaultOutlet: { id: 1, publicId: 'outlet_1', name: 'Main' },
} as Store

const now = new Date('2026-11-15T09:30:00.000Z')
const from = { publicUrl: 'https://api.kavya.example', mailFrom: { name: '', address: 'shop@kavya.example' } }

const show = (name: MessageName, language: 'en' | 'hi', change: Partial<Store> = {}) => {
  const changed = { ...store, ...change }
  return addLetterhead({ store: changed, ...from }, language, composeExample(changed, name, language, now))
}

/** The text that a reader of the HTML sees. */
const visible = (html: string) =>
  html
    .replace(/<style>.*?<\/style>/s, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')

test('every message is complete in every language, as text and as HTML', () => {
  for (const name of messageNames) {
    const subjects = languages.map((language) => {
      const { subject, text, html } = show(name, language)
      for (const part of [subject, text, html]) {
        assert.ok(part.trim().length > 5, name)
        assert.doesNotMatch(part, /undefined|null|NaN|\[object|Invalid/, `${name} ${language}`)
      }
      assert.match(html, new RegExp(`<html lang="${language}"`))
      assert.equal((html.match(/<h1/g) ?? []).length, 1)
      for (const line of text.split('\n')) assert.ok(line.length <= 120, line)
      const hasHindi = /[\u0900-\u097f]/.test(`${subject}${text}`)
      assert.equal(hasHindi, language === 'hi', `${name} ${language}`)
      assert.ok(visible(html).includes('Kavya Crafts'))
      return subject
    })
    assert.equal(new Set(subjects).size, languages.length, name)
  }
})

test('what the HTML says, the text says too', () => {
  for (const name of messageNames) {
    for (const language of languages) {
      const { text, html } = show(name, language)
      const words = new Set(text.split(/\s+/))
      const body = visible(html.slice(html.indexOf('<h1')))
      const missing = body
        .split(' ')
        .filter((word) => /^[\p{L}\d₹,.]{4,}$/u.test(word) && ![...words].some((known) => known.includes(word)))
      // The header of a table and the hint to copy a link are not needed in text.
      const extra =
        /^(Item|Amount|Left|सामान|राशि|बाक़ी|button|does|work,|copy|this|link|into|your|browser|बटन|काम|लिंक|अपने|ब्राउज़र|खोलें)$/
      assert.deepEqual(
        missing.filter((word) => !extra.test(word)),
        [],
        `${name} ${language}`,
      )
    }
  }
})

test('an order is shown with its items, amounts and dates as the store writes them', () => {
  const { text, html } = show('order.paid', 'en')
  for (const part of [
    'Café au lait mug',
    'Oat · 2 × ₹549.00',
    '₹1,098.00',
    'Discount (WELCOME10)',
    '-₹110.00',
    '₹1,536.00',
    'UPI asha@upi',
    '15 November 2026',
    '12 Temple Road',
    'Bengaluru 560001, Karnataka, IN',
  ]) {
    assert.ok(text.includes(part), `${part} is not in\n${text}`)
    assert.ok(visible(html).includes(part), part)
  }
  assert.match(show('order.placed', 'hi').text, /15 नवंबर 2026/)
  const german = show('order.paid', 'en', { locale: 'de-DE', currency: 'EUR', timezone: 'Europe/Berlin' })
  assert.match(german.text, /€1,536\.00/)
  const yen = show('order.paid', 'en', { locale: 'ja-JP', currency: 'JPY', timezone: 'Asia/Tokyo' })
  assert.match(yen.text, /¥1,536\n/)
  const dinars = show('order.paid', 'en', { locale: 'en-KW', currency: 'KWD' })
  assert.match(dinars.text, /1,536\.000/)
  // Nine thirty in London is three in the afternoon in Bengaluru.
  assert.match(show('order.delivered', 'en').text, /15 November 2026, 3:00 pm IST/)
  assert.match(show('order.delivered', 'en', { locale: 'en-GB', timezone: 'Europe/London' }).text, /9:30 GMT/)
})

test('tax is added above the total where prices exclude it, and named below where they include it', () => {
  const lines = (taxIncluded: boolean) =>
    show('order.paid', 'en', { taxIncluded })
      .text.split('\n')
      .filter((line) => /^(Tax|Total)/.test(line))
  assert.deepEqual(lines(true), ['Total: ₹1,536.00', 'Tax included: ₹73.00'])
  assert.deepEqual(lines(false), ['Tax: ₹73.00', 'Total: ₹1,609.00'])
})

const tell = (name: keyof typeof orderMessages, change: Partial<OrderSnapshot>) => {
  const storeUrl = change.storefrontUrl ?? undefined
  const content = orderMessages[name](createMessageCtx(store, 'en', storeUrl), {
    ...makeExampleOrder(store, name, now),
    ...change,
  })
  return addLetterhead({ store, ...from }, 'en', content, storeUrl)
}

test('each message about an order says what its state means for the shopper', () => {
  assert.match(tell('order.placed', { paymentMethod: 'cod' }).text, /Please have ₹1,536\.00 ready/)
  assert.match(tell('order.placed', {}).text, /once your payment is complete/)
  assert.doesNotMatch(tell('order.placed', { paymentStatus: 'paid' }).text, /once your payment/)
  assert.match(tell('order.payment_failed', {}).text, /until 15 November 2026, 3:30 pm IST/)
  assert.match(tell('order.cancelled', {}).text, /nothing to pay/)
  assert.match(tell('order.cancelled', { paymentStatus: 'paid' }).text, /We will refund what you paid/)
  assert.match(tell('order.shipped', {}).text, /^https:\/\/bluebird\.example\/BB123456789IN$/m)
  assert.match(tell('order.refunded', {}).text, /We have refunded ₹549\.00 of your order 1001/)
  const [refund] = makeExampleOrder(store, 'order.refunded', now).refunds
  assert.ok(refund)
  // Reasons are for the store.
  const explained = tell('order.refunded', { refunds: [{ ...refund, reason: 'duplicate payment' }] })
  assert.doesNotMatch(`${explained.text}${explained.html}`, /duplicate payment/)
  const twice = tell('order.refunded', { refunds: [refund, { ...refund, id: 'ref_2', amountMinor: 100 }] })
  assert.match(twice.text, /We have refunded ₹1\.00/)
  assert.match(twice.text, /Total refunded: ₹550\.00/)
})

test('a name that ends in a full stop ends its sentence', () => {
  for (const name of messageNames) {
    const { text, html } = show(name, 'en', { name: 'Kavya & Co.' })
    assert.doesNotMatch(`${text}${html}`, /Co\.\./, name)
    assert.match(show(name, 'en').text, /[.]\n$/, name)
  }
})

test('every link to the shop leads to the storefront of the order, and to its page where there is something to do', () => {
  const storefrontUrl = 'https://m.kavya.example'
  for (const name of Object.keys(orderMessages) as (keyof typeof orderMessages)[]) {
    const { text, html } = tell(name, { storefrontUrl })
    assert.match(html, /href="https:\/\/m\.kavya\.example"/, name)
    assert.doesNotMatch(`${text}${html}`, /https:\/\/kavya\.example/, name)
  }
  for (const name of ['order.payment_failed', 'order.shipped', 'order.delivered'] as const) {
    assert.match(tell(name, { storefrontUrl }).text, /^https:\/\/m\.kavya\.example\/orders\/ord_\w+$/m, name)
    assert.match(tell(name, {}).text, /^https:\/\/kavya\.example\/orders\/ord_\w+$/m, name)
  }
})

test('mail about an endpoint that was switched off has its id and the commands that help', () => {
  for (const language of languages) {
    const { text } = show('webhook.disabled', language)
    const [id] = /whk_\w+/.exec(text) ?? []
    assert.ok(text.includes(`vitrine webhook enable ${id}\n`), text)
    assert.ok(text.includes(`vitrine delivery redeliver --failed --endpoint ${id}\n`), text)
  }
})

test('an order with very many lines has a mail of bounded size', () => {
  const [line] = makeExampleOrder(store, 'order.paid', now).lines
  assert.ok(line)
  const { html, text } = tell('order.paid', { lines: Array.from({ length: 1_000 }, () => line) })
  assert.ok(html.length < 100_000)
  assert.match(text, /and 950 more/)
})

const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>\r\nBcc: eve@example.com'

test('names, addresses and links that a stranger chose are shown as text', () => {
  for (const name of Object.keys(orderMessages) as (keyof typeof orderMessages)[]) {
    const order = makeExampleOrder({ ...store, name: evil }, name, now)
    const [line] = order.lines
    const [parcel] = makeExampleOrder(store, 'order.shipped', now).shipments
    assert.ok(line && parcel && order.shippingAddress)
    const changed: OrderSnapshot = {
      ...order,
      couponCode: evil,
      customer: { ...order.customer, name: evil },
      shippingAddress: { ...order.shippingAddress, name: evil, line1: evil },
      lines: [{ ...line, name: evil, variant: evil }],
      shipments: [{ ...parcel, partner: evil, trackingNumber: evil, trackingUrl: 'javascript:alert(1)' }],
      trackingUrl: 'javascript:alert(1)',
      refunds: order.refunds.map((refund) => ({ ...refund, reason: evil })),
    }
    const hostile = {
      ...store,
      name: evil,
      mailSenderName: evil,
      logo: `x" onerror="alert(1)`,
      brandColor: 'red;}</style><script>',
    }
    const content = orderMessages[name](createMessageCtx(hostile, 'en'), changed)
    const { html, subject } = addLetterhead({ store: hostile, ...from }, 'en', content)
    assert.doesNotMatch(html, /<script|<img src=x|href="javascript|onerror="alert/, name)
    assert.doesNotMatch(subject, /[\r\n]/)
    const greeting = content.blocks.find((block) => block.kind === 'paragraph')
    assert.ok(greeting?.kind === 'paragraph' && !greeting.text.includes('\n'))
  }
})

test('no message runs or links what a stranger has entered', () => {
  const hostile = {
    ...store,
    ...{ name: evil, mailSenderName: evil, logo: 'x" onerror="alert(1)', brandColor: 'red;}</style><script>' },
    contact: { email: evil, phone: evil },
    address: { line1: evil, city: evil, postalCode: evil, state: evil, country: evil },
  }
  const ctx = createMessageCtx(hostile, 'en')
  const link = { name: evil, url: `https://kavya.example/x?token="><script>` }
  const variant = { name: evil, variant: evil, sku: evil, outlet: evil, units: 1 }
  const contents = [
    ...messageNames.map((name) => composeExample(hostile, name, 'en', now)),
    passwordReset(ctx, link),
    emailVerify(ctx, link.url),
    otpCode(ctx, evil),
    staffReset(ctx, link),
    staffInvitation(ctx, { ...link, invitedBy: evil }),
    stockLow(ctx, { products: 1, total: 1, variants: [variant] }),
    webhookDisabled(ctx, { endpointId: evil, url: evil, reason: 'gone' }),
  ]
  for (const content of contents) {
    const { html, replyTo } = addLetterhead({ store: hostile, ...from }, 'en', content)
    assert.doesNotMatch(html, /<script|<img src=x|href="javascript|onerror="alert/, content.subject)
    assert.equal(replyTo, null)
    // The headers of a mail are one line each.
    const { subject, from: sender } = composeMail({
      ...{ id: 'mail_1', name: 'otp.code', to: 'asha@example.com', language: 'en', date: now, code: null },
      ...addLetterhead({ store: hostile, ...from }, 'en', content),
    })
    assert.doesNotMatch(JSON.stringify([subject, sender]), /\\[rn]/)
  }
})

test('a name that mail programs would show as a link is not used, and confirmations have no name', () => {
  const order = makeExampleOrder(store, 'order.paid', now)
  const greetingOf = (name: string) =>
    tell('order.paid', { customer: { ...order.customer, name } }).text.match(/^Hello.*,$/m)?.[0]
  for (const name of ['Asha', 'Asha M. Rao', 'J. R. R. Tolkien', 'Dr. Rao', 'काव्या', "O'Neil-Smith, Jr."]) {
    assert.equal(greetingOf(name), `Hello ${name},`)
  }
  // A space after the dot, so that no mail program makes a link of it.
  for (const [name, shown] of [
    ['Dr.Rao', 'Dr. Rao'],
    ['M.K.Gandhi', 'M. K. Gandhi'],
    ['DR.RAO', 'DR. RAO'],
    ['डॉ.राव', 'डॉ. राव'],
    ['भारत.भारत', 'भारत. भारत'],
    ['X.Com/a', 'X. Com/a'],
    ['EVE@EVIL.COM', 'EVE@EVIL. COM'],
  ] as const) {
    assert.equal(greetingOf(name), `Hello ${shown},`)
  }
  for (const name of [
    ...['Win at https://evil.example', 'javascript://x', 'WWW.evil', 'see evil.example now', 'evil。com', 'evil．com'],
    ...['Asha (prize: a.co/x)', 'evil.example/x', 'http://Evil', 'Www.Evil.Com', 'eve@evil.example', 'x.com'],
    ...['Win at\u0000evil.example', 'HTTPS://EVIL.COM'],
  ]) {
    assert.equal(greetingOf(name), 'Hello,', name)
  }
  assert.match(show('email.verify', 'en').text, /^Hello,$/m)
})

test('the mail that confirms an address tells who did not sign up not to confirm', () => {
  for (const [language, warning] of [
    ['en', 'If you did not sign up there, do not confirm the address'],
    ['hi', 'अगर आपने वहाँ खाता नहीं बनाया है, तो पते की पुष्टि न करें'],
  ] as const) {
    const { text, html } = show('email.verify', language)
    for (const part of [text, html]) assert.ok(part.replaceAll(/\s+/g, ' ').includes(warning), language)
  }
})

test('every text can be read, whatever the colour of the store', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
      const { button, onButton, link, linkDark } = makePalette(`#${number.toString(16).padStart(6, '0')}`)
      assert.ok(contrast(button, onButton) >= 4.5)
      assert.ok(contrast(link, lightBackground) >= 4.5)
      assert.ok(contrast(linkDark, darkBackground) >= 4.5)
    }),
    { numRuns: 2_000 },
  )
  assert.equal(makePalette('#0a5c36').button, '#0a5c36')
  assert.equal(makePalette('red').button, makePalette('').button)
})

test('the logo has the name of the store, and nothing is loaded that could track the reader', () => {
  for (const name of messageNames) {
    const { html } = show(name, 'en')
    const images = html.match(/<img[^>]*>/g) ?? []
    assert.equal(images.length, 1)
    assert.match(images[0] ?? '', /src="https:\/\/api\.kavya\.example\/demo\/logo\.svg" alt="Kavya Crafts"/)
    assert.doesNotMatch(html.replace(images[0] ?? '', ''), /url\(|<link|<iframe|src=/)
  }
})

test('the language is that of the order or customer, else of the store, else English', () => {
  assert.equal(pickMailLanguage(['hi', 'en-IN']), 'hi')
  assert.equal(pickMailLanguage([null, 'hi-IN']), 'hi')
  assert.equal(pickMailLanguage(['fr', 'hi_IN']), 'hi')
  assert.equal(pickMailLanguage(['fr', 'de-DE']), 'en')
  assert.equal(pickMailLanguage(['EN-us', 'hi']), 'en')
  assert.equal(pickMailLanguage([undefined, '']), 'en')
})

test('sender and reply address are those of the store, if it has them', () => {
  const { from: sender, replyTo } = show('order.paid', 'en')
  assert.deepEqual([sender, replyTo], [{ name: 'Kavya Crafts', address: 'shop@kavya.example' }, 'hello@kavya.example'])
  const own = show('order.paid', 'en', { mailSenderName: 'Kavya', mailReplyTo: 'help@kavya.example' })
  assert.deepEqual([own.from.name, own.replyTo], ['Kavya', 'help@kavya.example'])
  assert.equal(show('order.paid', 'en', { contact: { email: 'call us', phone: '' } }).replyTo, null)
})
