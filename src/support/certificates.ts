import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/**
 * Trusts further certificate authorities in every TLS connection of this process: service, database, mail, watchdog.
 * Node reads `NODE_EXTRA_CA_CERTS` when it starts, before it reads `.env`, where it would do nothing.
 *
 * @param certificates in PEM, one an item
 */
export function trustCertificates(certificates: readonly string[]): void {
  if (certificates.length > 0) setDefaultCACertificates([...getCACertificates('default'), ...certificates]);
}
