import { BlockList, isIP } from 'node:net'

/**
 * Networks that are not part of the public internet, from the registries of special-purpose addresses of IANA: private,
 * shared (100.64/10), loopback, link-local with the metadata services of clouds, documentation, benchmarks, multicast,
 * reserved, broadcast. The last one is a service of Azure inside each of its machines.
 */
const closedIpv4 = networks('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
])

/**
 * Only these are global unicast. All other forms are outside: loopback, link-local, unique local, multicast, and IPv4
 * addresses that are mapped, compatible or translated (NAT64).
 */
const globalIpv6 = networks('ipv6', ['2000::/3'])

/** Within them: protocols and benchmarks with Teredo, documentation, 6to4, AS112. They lead to IPv4 or to nowhere. */
const closedIpv6 = networks('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'])

/**
 * Link-local addresses and the metadata services of clouds, which give credentials of the machine to whoever asks from
 * it. Contains IPv4 addresses in IPv6 form too.
 */
const metadata = networks('ipv4', ['169.254.0.0/16', '100.100.100.200/32', '192.0.0.192/32', '168.63.129.16/32'])
metadata.addSubnet('fe80::', 10, 'ipv6')
metadata.addAddress('fd00:ec2::254', 'ipv6')

export const isMetadataAddress = (address: string): boolean =>
  metadata.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Whether an IP address belongs to the public internet. False for any other text. */
export const isPublicAddress = (address: string): boolean => {
  switch (isIP(address)) {
    case 4:
      return !closedIpv4.check(address, 'ipv4')
    case 6:
      return globalIpv6.check(address, 'ipv6') && !closedIpv6.check(address, 'ipv6')
    default:
      return false
  }
}

function networks(family: 'ipv4' | 'ipv6', list: readonly string[]): BlockList {
  const blocks = new BlockList()
  for (const network of list) {
    const [address = '', bits] = network.split('/')
    blocks.addSubnet(address, Number(bits), family)
  }
  return blocks
}
