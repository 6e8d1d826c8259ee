import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { clientOf, createClientAddress } from './client-address.ts'

const requestFrom = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage

test('addresses of one IPv6 /64 are one client, and so are both forms of an IPv4 address', () => {
  assert.equal(clientOf('2001:db8:0:7::1'), clientOf('2001:0DB8::7:aaaa:bbbb:cccc:dddd'))
  assert.notEqual(clientOf('2001:db8:0:7::1'), clientOf('2001:db8:0:8::1'))
  assert.equal(clientOf('::ffff:203.0.113.9'), clientOf('203.0.113.9'))
  assert.notEqual(clientOf('203.0.113.9'), clientOf('203.0.113.8'))
  assert.equal(clientOf('::1'), '0:0:0:0::/64')
})

test('a forwarded address counts only when a trusted proxy sends it', () => {
  const forged = requestFrom('198.51.100.7', '203.0.113.9')
  assert.equal(createClientAddress(false)(forged), '198.51.100.7')
  assert.equal(createClientAddress(['10.0.0.0/8'])(forged), '198.51.100.7')
  assert.equal(createClientAddress(['198.51.100.0/24'])(forged), '203.0.113.9')
  assert.equal(createClientAddress(true)(requestFrom('198.51.100.7', '203.0.113.9, 10.0.0.1')), '203.0.113.9')
  assert.equal(createClientAddress(['loopback'])(requestFrom('::1', '2001:db8::5')), '2001:db8:0:0::/64')
})

test('an untrusted proxy on a private address is reported once', () => {
  const reported: string[] = []
  const read = createClientAddress(false, (peer) => void reported.push(peer))
  for (const peer of ['203.0.113.7', '::1', '127.0.0.1', '10.1.2.3']) read(requestFrom(peer, '203.0.113.9'))
  assert.deepEqual(reported, ['0:0:0:0::/64'])
})

test('an invalid forwarded address falls back to the address of the proxy', () => {
  const trusting = createClientAddress(true)
  for (const forged of ['unknown', 'x'.repeat(10_000), '', '203.0.113.9:80'])
    assert.equal(trusting(requestFrom('198.51.100.7', forged)), '198.51.100.7')
})
