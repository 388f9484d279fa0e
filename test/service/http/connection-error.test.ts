import { describe, expect, it } from 'vitest';
import { connectionError, connectionErrorCode } from '../../../src/service/http/attempt-errors.ts';

const url = 'https://service.example';
const network = 'check SERVICE_BASE_URL and the network; the next run catches up';
const clock = "check this machine's clock; if it is right, who runs the service has to renew the certificate";

describe('a connection that fails', () => {
  it.each([
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'has a certificate of an authority that is not trusted here',
      'if the authority is your own, name a file with its certificate (PEM) in NODE_EXTRA_CA_CERTS; else ask who runs the service or the proxy in front of it',
    ],
    ['CERT_HAS_EXPIRED', 'has a certificate that is not valid now', clock],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'has a certificate for other names',
      'write the host in SERVICE_BASE_URL as the certificate names it; if it is right, ask who runs the service',
    ],
    ['CERT_REVOKED', 'has a certificate that is refused', 'ask who runs the service'],
  ])('by its certificate (%s) is not retried, and says what to do', (code, problem, advice) => {
    expect(connectionError({ cause: { code } }, url)).toMatchObject({
      detail: `the service at ${url} ${problem} (${code})`,
      code: 'SERVICE_UNAVAILABLE',
      retryNow: false,
      advice,
    });
  });

  it.each([
    [
      'ECONNRESET',
      `closes the connection to ${url} before its response is complete (ECONNRESET)`,
      'wait: the next run catches up',
    ],
    ['ECONNREFUSED', `can't be reached at ${url} (ECONNREFUSED)`, network],
    [
      'ERR_SSL_WRONG_VERSION_NUMBER',
      `can't be reached at ${url} (ERR_SSL_WRONG_VERSION_NUMBER)`,
      'nothing there speaks https; if it is plain http, set SERVICE_BASE_URL=http://service.example',
    ],
  ])('by %s is retried', (code, problem, advice) => {
    expect(connectionError({ cause: { code } }, url)).toMatchObject({
      detail: `the service ${problem}`,
      code: 'SERVICE_UNAVAILABLE',
      retryNow: true,
      advice,
    });
  });

  it('is named even where the error says nothing', () => {
    expect(connectionErrorCode({ cause: new Error('bad port') })).toBe('fetch blocks this port');
    expect([undefined, { cause: {} }].map(connectionErrorCode)).toEqual(['no connection', 'no connection']);
  });
});
