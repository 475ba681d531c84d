import { describe, expect, it } from 'vitest';
import { clientAddress, countedAs, trustedProxies } from './client-address.ts';

const from = (forwarded: string | undefined, connected: string, ...trusted: string[]): string =>
  clientAddress(
    new Headers(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
    connected,
    trustedProxies(trusted),
  );

describe('the address of a client', () => {
  it('is that of the connection, whatever the client writes', () => {
    expect(from('1.1.1.1', '9.9.9.9')).toBe('9.9.9.9');
    expect(from('1.1.1.1', '9.9.9.9', '10.0.0.1')).toBe('9.9.9.9');
    expect(from(undefined, '::ffff:9.9.9.9')).toBe('9.9.9.9');
  });

  it('is what a trusted proxy has added, and not what was there before', () => {
    expect(from('6.6.6.6, 1.1.1.1', '10.0.0.1', '10.0.0.1')).toBe('1.1.1.1');
    expect(from('6.6.6.6, 1.1.1.1, 10.0.0.2', '::ffff:10.0.0.1', '10.0.0.1', '10.0.0.2')).toBe('1.1.1.1');
    expect(from('10.0.0.2', '10.0.0.1', '10.0.0.1', '10.0.0.2')).toBe('10.0.0.2');
    expect(from(undefined, '10.0.0.1', '10.0.0.1')).toBe('10.0.0.1');
  });

  it('is found behind proxies that are named by their network', () => {
    const behind = (connected: string): string =>
      from('6.6.6.6, 1.1.1.1', connected, '10.1.0.0/16', '2001:db8::/32', '192.168.0.1/32');
    for (const proxy of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8:5::1', '192.168.0.1'])
      expect(behind(proxy), proxy).toBe('1.1.1.1');
    for (const other of ['10.2.0.1', '2001:db9::1', '192.168.0.2', ''])
      expect(behind(other)).not.toBe('1.1.1.1');
    expect(from('1.1.1.1', '10.0.0.1', '::ffff:10.0.0.0/104')).toBe('1.1.1.1');
  });

  it('has no port, whatever a proxy adds, and is written in one way', () => {
    const behind = (forwarded: string): string => from(forwarded, '10.0.0.1', '10.0.0.1', '2001:db8::1');
    expect(behind('6.6.6.6, 1.2.3.4:5678')).toBe('1.2.3.4');
    expect(behind('[::1]:80')).toBe(behind('::1'));
    expect(behind('[2001:DB8::5]')).toBe(behind('2001:db8:0:0:0:0:0:5'));
    expect(behind('[::ffff:1.2.3.4]:9')).toBe('1.2.3.4');
    expect(behind('::ffff:102:304')).toBe('1.2.3.4');
    expect(behind('fe80::1%eth0')).toBe(behind('fe80::1'));
    // The proxies that are named are known with and without one.
    expect(behind('1.1.1.1, [2001:0db8::1]:443')).toBe('1.1.1.1');
    expect(behind('unknown')).toBe('unknown');
  });
});

describe('requests that are counted', () => {
  const counted = (address: string): string => countedAs(from(undefined, address));

  it('count for the network of an IPv6 address, which is one caller’s', () => {
    expect(counted('2001:db8:1:2::1')).toBe(counted('2001:db8:1:2:ffff:ffff:ffff:ffff'));
    expect(counted('2001:db8:1:2::1')).toBe('2001:db8:1:2::/64');
    expect(counted('2001:db8:1:2::1')).not.toBe(counted('2001:db8:1:3::1'));
    expect(counted('::1')).toBe('0:0:0:0::/64');
  });

  it('count for each IPv4 address, in whatever dress', () => {
    expect(counted('9.9.9.9')).toBe('9.9.9.9');
    expect(counted('::ffff:9.9.9.9')).toBe('9.9.9.9');
    expect(counted('9.9.9.8')).not.toBe(counted('9.9.9.9'));
  });
});
