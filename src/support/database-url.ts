import { isLoopback } from './loopback.ts';

/** Parameters of a database's address that have an effect, named and meant as in libpq. */
export const honouredParameters = [
  'host',
  'port',
  'user',
  'password',
  'application_name',
  'options',
  'channel_binding',
  'ssl',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
] as const;

/** A parameter of `address` as it is used. */

/**
 * The `sslmode` of an address; null where it says nothing of TLS, which is then not used. `ssl=true` is `require`, as in
 * libpq. A certificate is only good for a connection that is verified.
 */
export function sslModeOf({ searchParams: options }: URL): string | null {
  const mode = options.get('sslmode');
  if (mode !== null) return mode;
  if (options.get('ssl') === 'true') return 'require';
  return ['sslrootcert', 'sslcert', 'sslkey'].some((name) => options.has(name)) ? 'verify-full' : null;
}

/** Whether what goes to that address and back can be read on the way: no TLS, and another machine. */
export function isReadableOnTheWay(address: URL): boolean {
  const mode = sslModeOf(address);
  if (mode !== null && mode !== 'disable' && mode !== 'allow') return false;
  const host = address.searchParams.get('host') ?? decodeURIComponent(address.hostname);
  return host !== '' && !host.startsWith('/') && !isLoopback(host);
}
