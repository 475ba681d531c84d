/**
 * Where a request comes from. Behind a proxy every connection is the proxy's, and whom it speaks for is what it has
 * added to `X-Forwarded-For`. Anybody can write that header, so it counts from its end, and only as far as those who
 * added to it are proxies that the operator has named.
 */
export function clientAddress(
  headers: Headers,
  connectedFrom: string,
  trustedProxies: readonly string[],
): string {
  let address = plain(connectedFrom);
  if (!trustedProxies.includes(address)) return address;
  const hops = (headers.get('x-forwarded-for') ?? '').split(',').map((hop) => plain(hop.trim()));
  for (const hop of hops.reverse()) {
    if (hop === '') break;
    address = hop;
    if (!trustedProxies.includes(hop)) break;
  }
  return address;
}

/** An IPv4 address in the dress of IPv6 is the same address. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
