import { isLoopback } from './loopback.ts';

/** The parameters of a database's address that have an effect. They mean what they mean to libpq. */
export const databaseParameters = [
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'channel_binding',
  'application_name',
  'options',
  'host',
];

/** Modes that pg can keep to. With libpq's `allow` and `prefer`, the server would decide about TLS. */
export const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'];

/** The `sslmode` of an address; null means no TLS. Who names a certificate without a mode wants it verified. */
export function sslModeOf({ searchParams }: URL): string | null {
  const mode = searchParams.get('sslmode');
  if (mode !== null) return mode;
  return ['sslrootcert', 'sslcert', 'sslkey'].some((name) => searchParams.has(name)) ? 'verify-full' : null;
}

/** A name, an IP address, or the folder of a Unix socket; empty if the address has none. */
export function databaseHost({ searchParams, hostname }: URL): string {
  return searchParams.get('host') ?? decodeURIComponent(hostname).replace(/^\[(.+)\]$/, '$1');
}

/** Whether others can read the traffic: it goes to another machine without TLS. */
export function isReadableOnTheWay(address: URL): boolean {
  const mode = sslModeOf(address);
  if (mode !== null && mode !== 'disable') return false;
  const host = databaseHost(address);
  return host !== '' && !host.startsWith('/') && !isLoopback(host);
}
