import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { test } from 'node:test'
import { createAddressGuard, rememberAddresses, UrlRefused } from './address-guard.ts'

const addressesOf = (...addresses: string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: isIP(address) }))

/** A guard with the rules of production, where every name has these addresses. */
const guardWith = (...addresses: string[]) => {
  const asked: string[] = []
  const resolve = async (name: string) => {
    asked.push(name)
    return addressesOf(...addresses)
  }
  return { asked, ...createAddressGuard({ production: true, resolve }) }
}

const isRefused = async (url: string, ...addresses: string[]) => {
  const refused = await guardWith(...addresses)
    .check(url)
    .then(() => false)
    .catch((error: unknown) => error)
  if (refused !== false && !(refused instanceof UrlRefused)) throw refused
  return refused !== false
}

test('a URL on the public internet is allowed, with all addresses of its host', async () => {
  const guard = guardWith('93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946')
  assert.deepEqual(
    await guard.check('https://Shop.Example:8443/hook?a=1'),
    addressesOf('93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'),
  )
  assert.deepEqual(guard.asked, ['shop.example'])
  assert.deepEqual(await guard.check('https://93.184.216.34/'), addressesOf('93.184.216.34'))
  assert.deepEqual(await guard.check('https://[2606:4700::1111]/'), addressesOf('2606:4700::1111'))
})

const privateAddresses = {
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  'link-local': ['169.254.1.1', 'fe80::1', 'febf::1', 'fec0::1'],
  metadata: ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
  'unique local': ['fc00::1', 'fdff:ffff::1'],
  'shared by a carrier': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'reserved and broadcast': ['240.0.0.1', '255.255.255.255'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  benchmark: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:93.184.216.34'],
  'IPv4-compatible': ['::127.0.0.1', '::7f00:1'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b:1::7f00:1'],
  '6to4': ['2002:7f00:1::', '2002:a9fe:a9fe::1', '192.88.99.1'],
  Teredo: ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'discard-only': ['100::1'],
}

for (const [kind, addresses] of Object.entries(privateAddresses)) {
  test(`an address is refused as a host and as an answer of DNS: ${kind}`, async () => {
    for (const address of addresses) {
      const host = isIP(address) === 6 ? `[${address}]` : address
      assert.ok(await isRefused(`https://${host}/`), `https://${host}/`)
      assert.ok(await isRefused('https://shop.example/', address), address)
      assert.ok(await isRefused('https://shop.example/', '93.184.216.34', address), `a public one and ${address}`)
    }
  })
}

test('addresses next to a private network are allowed', async () => {
  for (const address of [
    '9.255.255.255',
    '11.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
  ]) {
    assert.ok(!(await isRefused('https://shop.example/', address)), address)
  }
  for (const address of ['169.253.255.255', '169.255.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255']) {
    assert.ok(!(await isRefused('https://shop.example/', address)), address)
  }
})

test('an IPv4 address is recognised in every form of writing', async () => {
  const forms = ['2130706433', '0x7f000001', '0177.0.0.1', '0x7f.1', '127.1', '127.0.1', '0', '127.0.0.1.', '①②⑦.0.0.1']
  for (const host of [...forms, '[::ffff:127.0.0.1]', '[0:0:0:0:0:ffff:7f00:1]', '[0000::1]']) {
    assert.ok(await isRefused(`https://${host}/`, '93.184.216.34'), host)
  }
})

test('names of this machine and its network are refused without a lookup', async () => {
  for (const host of ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.localhost.', 'metadata', 'db.']) {
    const guard = guardWith('93.184.216.34')
    await assert.rejects(guard.check(`https://${host}/`), UrlRefused, host)
    assert.deepEqual(guard.asked, [])
  }
})

test('other schemes, credentials, zones and malformed URLs are refused', async () => {
  for (const url of [
    'http://shop.example/',
    'ftp://shop.example/',
    'file:///etc/passwd',
    'gopher://shop.example/',
    'https://user@shop.example/',
    'https://user:password@shop.example/',
    'https://:password@shop.example/',
    'https://[fe80::1%25eth0]/',
    'https://[fe80::1%eth0]/',
    'shop.example/hook',
    'https://',
    '',
    `https://shop.example/${'a'.repeat(2000)}`,
  ]) {
    assert.ok(await isRefused(url, '93.184.216.34'), url)
  }
})

test('a name without an address is refused, and its trailing dot changes nothing', async () => {
  await assert.rejects(guardWith().check('https://shop.example/'), /The host shop\.example has no address/)
  assert.ok(await isRefused('https://shop.example./', '10.0.0.1'))
})

test('a refusal does not reveal the address of the host', async () => {
  await assert.rejects(guardWith('10.1.2.3').check('https://shop.example/'), (error: Error) => {
    assert.doesNotMatch(error.message, /10\.1/)
    return true
  })
})

test('an answer of DNS that changes is checked again', async () => {
  const answers = [['93.184.216.34'], ['127.0.0.1']]
  const guard = createAddressGuard({ production: true, resolve: async () => addressesOf(...(answers.shift() ?? [])) })
  assert.deepEqual(await guard.check('https://shop.example/'), addressesOf('93.184.216.34'))
  await assert.rejects(guard.check('https://shop.example/'), UrlRefused)
})

test('in development this machine and private networks are allowed, and credentials are not', async () => {
  const guard = createAddressGuard({ production: false, resolve: () => assert.fail('no lookup') })
  for (const url of ['http://localhost:3000/hook', 'http://a.localhost/', 'http://127.0.0.1/', 'http://[::1]/']) {
    assert.equal(await guard.check(url), undefined)
  }
  for (const address of ['10.0.0.1', '192.168.1.1', '[fd00::1]', '93.184.216.34']) {
    assert.equal(await guard.check(`http://${address}/`), undefined)
  }
  const answer = addressesOf('10.0.0.7')
  const named = createAddressGuard({ production: false, resolve: async () => answer })
  assert.deepEqual(await named.check('https://intranet/'), answer, 'the request goes to the address that was checked')
  const unknown = createAddressGuard({ production: false, resolve: () => Promise.reject(new Error('no')) })
  assert.deepEqual(await unknown.check('https://erp.example/'), [])
  await assert.rejects(guard.check('http://user:password@localhost/'), UrlRefused)
  await assert.rejects(guard.check('ftp://localhost/'), UrlRefused)
})

test('in development too, link-local addresses and metadata services are refused, as a host and as an answer of DNS', async () => {
  const addresses = ['169.254.169.254', '169.254.1.1', 'fe80::1', 'febf::1', 'fd00:ec2::254', '::ffff:169.254.169.254']
  for (const address of [...addresses, '::ffff:a9fe:a9fe', '100.100.100.200', '192.0.0.192', '168.63.129.16']) {
    const guard = createAddressGuard({
      production: false,
      resolve: async () => [...addressesOf('10.0.0.7'), ...addressesOf(address)],
    })
    const host = isIP(address) === 6 ? `[${address}]` : address
    await assert.rejects(guard.check(`http://${host}/`), UrlRefused, host)
    await assert.rejects(guard.check('https://erp.example/'), UrlRefused, address)
  }
  const guard = createAddressGuard({ production: false, resolve: () => assert.fail('no lookup') })
  for (const host of ['metadata.google.internal', 'METADATA.google.internal.', '2852039166', '0xa9fea9fe']) {
    await assert.rejects(guard.check(`http://${host}/computeMetadata/v1/`), UrlRefused, host)
  }
})

test('addresses are remembered for a short time, for a limited number of hosts, and failures are not', async () => {
  const asked: string[] = []
  const resolve = rememberAddresses(async (hostname) => {
    asked.push(hostname)
    if (hostname === 'down.example') throw Object.assign(new Error('no'), { code: 'ESERVFAIL' })
    return [{ address: '93.184.216.34', family: 4 }]
  }, 2)
  await Promise.all([resolve('a.example'), resolve('a.example')])
  await resolve('a.example')
  assert.deepEqual(asked, ['a.example'])
  for (let time = 1; time <= 2; time++) await assert.rejects(resolve('down.example'))
  for (const name of ['b.example', 'c.example', 'a.example']) await resolve(name)
  assert.deepEqual(asked.slice(1), ['down.example', 'down.example', 'b.example', 'c.example', 'a.example'])
})
