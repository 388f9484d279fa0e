import { isIPv4 } from 'node:net';

/**
 * Returns whether a host is this machine by its address alone: `localhost`, an IPv4 address of 127.0.0.0/8,
 * `::1`. A name like `127.example.com` is not. It may be written as in a URL (`[::1]`), or as a socket's remote
 * address (`::ffff:127.0.0.1`).
 */
export function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replaceAll(/[[\]]/g, '')
    .replace(/^::ffff:/, '');
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'));
}
