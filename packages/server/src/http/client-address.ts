import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/**
 * Where a request comes from. Behind a proxy every connection is the proxy's, and whom it speaks for is what it has
 * added to `X-Forwarded-For`. Any client can write that header, so it counts from its end, and only as far as those who
 * added to it are proxies that the operator has named. Some proxies add the port: it says nothing about who it is.
 */
export function clientAddress(
  headers: Headers,
  connectedFrom: string,
  isTrusted: (address: string) => boolean,
): string {
  let address = plain(connectedFrom);
  if (!isTrusted(address)) return address;
  const hops = (headers.get('x-forwarded-for') ?? '').split(',').map(plain);
  for (const hop of hops.reverse()) {
    if (hop === '') break;
    address = hop;
    if (!isTrusted(hop)) break;
  }
  return address;
}

/** Tells whether an address is one of these, or of one of these networks (`10.0.0.0/8`). */
export function trustedProxies(proxies: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', prefix] = proxy.split('/');
    const family = familyOf(address);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/**
 * Whom an address stands for when requests are counted. A client with one IPv6 address has all 2^64 of its network.
 * With a count for each it would have no limit and could evict the counts of other clients: they count as one.
 */
export function countedAs(address: string): string {
  if (!isIPv6(address)) return address;
  return `${groupsOf(address).slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** The same address is always written the same way: without port, brackets and zone, IPv4 never in the dress of IPv6. */
function plain(hop: string): string {
  const text = hop.trim();
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1];
  const withPort = /^([\d.]+):\d+$/.exec(text)?.[1];
  const address = (bracketed ?? withPort ?? text).replace(/%.*$/, '');
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  const embedded = embeddedIPv4(groups);
  return embedded ?? groups.join(':');
}

/** All eight of them, in hexadecimal without leading zeros. */
function groupsOf(address: string): readonly string[] {
  const [head = '', tail] = address.split('::');
  const before = partsOf(head);
  if (tail === undefined) return before;
  const after = partsOf(tail);
  const zeros = new Array<string>(GROUPS - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after];
}

function partsOf(text: string): readonly string[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!isIPv4(part)) return [Number.parseInt(part, 16).toString(16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
    return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
  });
}

function embeddedIPv4(groups: readonly string[]): string | undefined {
  const isMapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff';
  if (!isMapped) return undefined;
  const bytes = groups.slice(6).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
  return bytes.join('.');
}
