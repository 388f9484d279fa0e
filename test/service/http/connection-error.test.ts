import { describe, expect, it } from 'vitest';
import { connectionError, connectionErrorCode } from '../../../src/service/http/attempt-errors.ts';
import { account } from '../account.ts';
import { connect, day, startRawServer } from '../raw-server.ts';

const url = 'https://service.example';
const network = 'check SERVICE_BASE_URL and the network; the next run catches up';
const authority =
  'if the authority is your own, name a file with its certificate (PEM) in NODE_EXTRA_CA_CERTS; else ask who runs the service or the proxy in front of it';
const clock = "check this machine's clock; if it is right, who runs the service has to renew the certificate";

type Row = [code: string, problem: string, advice: string];

describe('a connection that fails', () => {
  it.each<Row>([
    ...[
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'CERT_UNTRUSTED',
      'INVALID_CA',
    ].map((code): Row => [code, 'has a certificate of an authority that is not trusted here', authority]),
    ['CERT_HAS_EXPIRED', 'has a certificate that is not valid now', clock],
    ['CERT_NOT_YET_VALID', 'has a certificate that is not valid now', clock],
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

  it.each<Row>([
    ...['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].map(
      (code): Row => [
        code,
        `closes the connection to ${url} before its response is complete (${code})`,
        'wait: the next run catches up',
      ],
    ),
    ['ECONNREFUSED', `can't be reached at ${url} (ECONNREFUSED)`, network],
    [
      'ERR_OSSL_X509_CERT_ALREADY_IN_HASH_TABLE',
      `can't be reached at ${url} (ERR_OSSL_X509_CERT_ALREADY_IN_HASH_TABLE)`,
      network,
    ],
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
    expect([undefined, new Error('x'), { cause: {} }].map(connectionErrorCode)).toEqual([
      'no connection',
      'no connection',
      'no connection',
    ]);
  });
});

describe('headers', () => {
  const request = async (bytes: number) => {
    await using server = await startRawServer([
      (_, response) => response.writeHead(200, { 'x-policy': 'x'.repeat(bytes) }).end('{"result":[]}'),
    ]);
    const result = await connect(server.url)
      .summarizeCampaigns(account, day)
      .catch((error) => error);
    return { result, requests: server.times.length };
  };

  it('may have what Node takes, and more are an invalid response, which is not retried', async () => {
    expect(await request(16_000)).toMatchObject({ result: { records: [] }, requests: 1 });
    expect(await request(17_000)).toMatchObject({
      result: {
        code: 'INVALID_RESPONSE',
        message: 'account main, campaigns of 2026-03-01: invalid response (its headers are too large)',
      },
      requests: 1,
    });
  });
});
