import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** Those that this process trusted at its start; null as long as it trusts them alone. */
let own: readonly string[] | null = null;

/**
 * Trusts further certificate authorities in every TLS connection of this process, in the place of those of an earlier call:
 * service, database, mail, watchdog. Node reads `NODE_EXTRA_CA_CERTS` and `NODE_OPTIONS` at its start, before `.env` is read.
 *
 * @param certificates in PEM, one an item
 * @param system whether to trust those of the machine, too
 */
export function trustCertificates(certificates: readonly string[], system: boolean): void {
  if (own === null && certificates.length === 0 && !system) return;
  own ??= getCACertificates('default');
  const ofSystem = system ? getCACertificates('system') : [];
  setDefaultCACertificates([...own, ...ofSystem, ...certificates]);
}
