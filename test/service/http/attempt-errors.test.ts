import { describe, expect, it } from 'vitest';
import { errorCatalogue } from '../../../src/model/errors.ts';
import {
  connectionError,
  connectionErrorCode,
  meansError,
  statusError,
  unknownAnswer,
} from '../../../src/service/http/attempt-errors.ts';
import { createRedactor } from '../../../src/support/redaction.ts';

const token = 'a-token-of-20-signs!';
const redactor = createRedactor();
redactor.learn(token);

const old = 'https://old.example';
const errorOf = (status: number, body = '{}', headers: Record<string, string> = {}) => {
  const { code, detail, advice, retryNow } = statusError(
    { status, headers: new Headers(headers), body },
    old,
    redactor,
  );
  return { code, detail, advice, retryNow };
};

const network = errorCatalogue.SERVICE_UNAVAILABLE.advice;
const moved =
  'redirects are not followed, because they would carry the token; if the service has moved there, correct SERVICE_BASE_URL';

describe('a status', () => {
  const responded = (status: number) => `the service responded with status ${status}: JSON without a text`;

  it.each([
    [408, true, network],
    [429, true, 'set RATE_PER_SECOND to what it allows'],
    [500, true, network],
    [505, false, network],
  ])('of %i is an outage', (status, retryNow, advice) => {
    expect(errorOf(status)).toEqual({
      code: 'SERVICE_UNAVAILABLE',
      detail: responded(status),
      retryNow,
      advice,
    });
  });

  it('with Retry-After is one, too, if it is an error', () => {
    for (const status of [400, 401, 403, 404, 505, 999])
      expect(errorOf(status, '{}', { 'retry-after': '30' })).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        retryNow: true,
      });
  });

  it('means one thing, or the body says what it is', () => {
    const means = (headers: Record<string, string> = {}) =>
      [200, 204, 302, 304, 400, 401, 403, 404, 408, 425, 429, 500, 599, 600, 999].filter((status) =>
        meansError(status, new Headers(headers)),
      );
    expect(means()).toEqual([401, 403, 408, 429, 500, 599]);
    expect(means({ location: '/elsewhere' })).toEqual([302, 304, 401, 403, 408, 429, 500, 599]);
    expect(means({ 'retry-after': '1' })).toEqual([400, 401, 403, 404, 408, 425, 429, 500, 599, 600, 999]);
  });
});

describe('an unknown answer with status 404 names the likely base URL:', () => {
  it.each([
    ['https://old.example', 'https://old.example/api'],
    ['https://old.example/api/v2', 'https://old.example/api'],
    ['https://old.example/api', 'https://old.example'],
    ['https://old.example/apis', 'https://old.example/api'],
    ['https://old.example/api/getClients.wr', 'https://old.example/api'],
  ])('%s is perhaps %s', (base, likely) => {
    const { advice } = errorCatalogue.UNKNOWN_ANSWER;
    expect(unknownAnswer({ status: 404, sign: 'HTTP 404' }, base, false)).toMatchObject({
      advice: `check SERVICE_BASE_URL: perhaps it is ${likely}; ${advice}`,
      retryNow: false,
    });
    expect(unknownAnswer({ status: 400, sign: 'HTTP 400' }, base, true)).toMatchObject({
      advice,
      retryNow: true,
    });
  });
});

describe('a redirect names where it leads, without a path or a query:', () => {
  it.each([
    ['https://new.example/x?y=1', 'https://new.example'],
    ['/elsewhere', 'https://old.example'],
    [`/elsewhere?sidtoken=${token}#x?`, 'https://old.example'],
    [`https://${token.slice(0, 7)}\t${token.slice(7)}.example`, 'https://[redacted].example'],
    ['mailto:ops@example.com', 'no address'],
    ['https://[', 'no address'],
  ])('%j leads to %s', (location, target) => {
    expect(errorOf(301, '', { location })).toEqual({
      code: 'REQUEST_REFUSED',
      detail: `the service refuses the request (status 301, a redirect to ${target})`,
      retryNow: false,
      advice: moved,
    });
  });
});

const url = 'https://service.example';
const clock = "check this machine's clock; if it is right, ask the provider to renew the certificate";

describe('a connection that fails', () => {
  it.each([
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'has a certificate of an authority that is not trusted here',
      'if the authority is your own, name a file with its certificate (PEM) in NODE_EXTRA_CA_CERTS; else ask the provider, or the administrator of the proxy in front of the service',
    ],
    ['CERT_HAS_EXPIRED', 'has a certificate that is not valid now', clock],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'has a certificate for other names',
      'write the host in SERVICE_BASE_URL as the certificate names it; if it is right, ask the provider',
    ],
    ['CERT_REVOKED', 'has a certificate that is refused', 'ask the provider'],
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
      'try again later: each run also loads the days that were missed',
    ],
    [
      'ECONNREFUSED',
      `can't be reached at ${url} (ECONNREFUSED)`,
      'check SERVICE_BASE_URL and the network; if this machine needs a proxy to get out, set HTTPS_PROXY and NODE_USE_ENV_PROXY=1',
    ],
    [
      'ERR_SSL_WRONG_VERSION_NUMBER',
      `at ${url} does not use https (ERR_SSL_WRONG_VERSION_NUMBER)`,
      'if it is plain http, set SERVICE_BASE_URL=http://service.example',
    ],
    [
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      `at ${url} uses a TLS version that is too old (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION)`,
      'ask the provider, or the administrator of the proxy in front of the service, about TLS 1.2 or newer',
    ],
    [
      'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
      `at ${url} ends the TLS handshake (ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE)`,
      'it may require a client certificate, which Callsheet does not have: ask the provider, or add a proxy that has one',
    ],
    [
      'ERR_SSL_DECRYPT_ERROR',
      `at ${url} breaks TLS (ERR_SSL_DECRYPT_ERROR)`,
      'ask the provider, or the administrator of the proxy in front of the service',
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
