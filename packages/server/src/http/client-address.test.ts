import { describe, expect, it } from 'vitest';
import { clientAddress } from './client-address.ts';

const from = (forwarded: string | undefined, connected: string, ...trusted: string[]): string =>
  clientAddress(
    new Headers(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
    connected,
    trusted,
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
});
