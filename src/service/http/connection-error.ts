import { AttemptError } from '../failures.ts';

/** Codes of OpenSSL and Node for a certificate that isn't accepted, by what is wrong with it, and what to do. */
const certificateErrors: readonly (readonly [RegExp, string, string])[] = [
  [
    /SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|CERT_UNTRUSTED|INVALID_CA/,
    'has a certificate of an authority that is not trusted here',
    'if the authority is your own, name a file with its certificate (PEM) in NODE_EXTRA_CA_CERTS; else ask who runs the service or the proxy in front of it',
  ],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    'has a certificate that is not valid now',
    "check this machine's clock; if it is right, who runs the service has to renew the certificate",
  ],
  [
    /ERR_TLS_CERT_ALTNAME/,
    'has a certificate for other names',
    'write the host in SERVICE_BASE_URL as the certificate names it; if it is right, ask who runs the service',
  ],
  [/^CERT_/, 'has a certificate that is refused', 'ask who runs the service'],
];

/**
 * Why `fetch` got no response. What another attempt finds unchanged, a certificate or too large headers, is not
 * retryable.
 */
export function connectionError(error: unknown, baseUrl: string): AttemptError {
  const code = connectionErrorCode(error);
  const found = certificateErrors.find(([pattern]) => pattern.test(code));
  if (found !== undefined) {
    const [, problem, advice] = found;
    return new AttemptError('SERVICE_UNAVAILABLE', `at ${baseUrl} ${problem} (${code})`, false, advice);
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new AttemptError('INVALID_RESPONSE', 'its headers are too large', false);
  if (['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code)) {
    const problem = `closes the connection to ${baseUrl} before its response is complete (${code})`;
    return new AttemptError('SERVICE_UNAVAILABLE', problem);
  }
  const advice = code.startsWith('ERR_SSL_')
    ? 'check that host and port of SERVICE_BASE_URL serve https'
    : undefined;
  return new AttemptError('SERVICE_UNAVAILABLE', `can't be reached at ${baseUrl} (${code})`, true, advice);
}

/** Why `fetch` failed, as a code for messages: what else its errors hold may contain the URL. */
export function connectionErrorCode(error: unknown): string {
  const { cause } = (error ?? {}) as { readonly cause?: NodeJS.ErrnoException };
  // What fetch refuses to connect to, like port 6000, has no code.
  if (cause?.message === 'bad port') return 'fetch blocks this port';
  return cause?.code ?? 'no connection';
}
