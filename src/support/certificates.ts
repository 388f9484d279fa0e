import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/**
 * Trusts further certificate authorities in every TLS connection of this process: service, database, mail,
 * watchdog. Node reads `NODE_EXTRA_CA_CERTS` and `NODE_OPTIONS` at its start, before `.env` is read.
 *
 * @param certificates in PEM, one an item
 * @param system whether to trust those of the machine, too
 */
export function trustCertificates(certificates: readonly string[], system: boolean): void {
  if (certificates.length === 0 && !system) return;
  const ofSystem = system ? getCACertificates('system') : [];
  setDefaultCACertificates([...getCACertificates('default'), ...ofSystem, ...certificates]);
}
