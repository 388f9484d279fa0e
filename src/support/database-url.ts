/** The `sslmode` of an address; null means no TLS. A certificate without a mode means verification. */
export function sslModeOf({ searchParams }: URL): string | null {
  const mode = searchParams.get('sslmode');
  if (mode !== null) return mode;
  return ['sslrootcert', 'sslcert', 'sslkey'].some((name) => searchParams.has(name)) ? 'verify-full' : null;
}

/** The host of an address: a name, an IP address, or the folder of a Unix socket; empty if it has none. */
export function databaseHost({ searchParams, hostname }: URL): string {
  return searchParams.get('host') ?? decodeURIComponent(hostname).replace(/^\[(.+)\]$/, '$1');
}
