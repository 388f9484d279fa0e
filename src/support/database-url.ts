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
