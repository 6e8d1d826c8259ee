import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../config.ts'
import { showBanner } from './banner.ts'

test('the start names the inbox of the demo shop, if mail is not sent', () => {
  const shop = { url: 'http://localhost:3001', close: async () => {} }
  const show = (env: Record<string, string>, opened: Parameters<typeof showBanner>[0]['shop']) =>
    showBanner({ config: loadConfig(env), demo: null, shop: opened, adminUrl: null, database: 'x', startedMs: 1 })
  assert.match(show({}, shop), /^ {2}Inbox {6}http:\/\/localhost:3001\/inbox/m)
  assert.doesNotMatch(show({}, { reason: 'port 3001 is in use' }), /inbox/i)
  const smtp = { VITRINE_SMTP_URL: 'smtps://smtp.shop.example', VITRINE_MAIL_FROM: 'shop@shop.example' }
  assert.doesNotMatch(show(smtp, shop), /inbox/i)
})

test('the start names the admin page, with a link that signs in where there is a demo store', () => {
  const show = (adminUrl: string | null) =>
    showBanner({ config: loadConfig({}), demo: null, shop: null, adminUrl, database: 'x', startedMs: 1 })
  assert.match(show(null), /^ {2}Admin {6}http:\/\/localhost:3000\/admin$/m)
  assert.match(show('http://localhost:3000/admin/sign-in?token=stl_1'), /token=stl_1 \(signs in once\)$/m)
})
