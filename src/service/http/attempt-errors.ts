import { errorCatalogue } from '../../model/errors.ts';
import { excerpt, type Redactor } from '../../support/redaction.ts';
import { AttemptError } from '../failures.ts';
import { describeBody } from '../response/envelope.ts';

/** Codes of OpenSSL and Node for a bad certificate, each with what is wrong and what to do. */
const certificateErrors: readonly (readonly [RegExp, string, string])[] = [
  [
    /SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|CERT_UNTRUSTED|INVALID_CA/,
    'a certificate of an authority that is not trusted here',
    'if the authority is your own, name a file with its certificate (PEM) in NODE_EXTRA_CA_CERTS; else ask the provider, or the administrator of the proxy in front of the service',
  ],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    'a certificate that is not valid now',
    "check this machine's clock; if it is right, ask the provider to renew the certificate",
  ],
  [
    /ERR_TLS_CERT_ALTNAME/,
    'a certificate for other names',
    'write the host in SERVICE_BASE_URL as the certificate names it; if it is right, ask the provider',
  ],
  [/^CERT_/, 'a certificate that is refused', 'ask the provider'],
];

const askWho = 'ask the provider, or the administrator of the proxy in front of the service';

/** Codes of OpenSSL for a connection without TLS, each with what is wrong and what to do; the first that matches counts. */
const tlsErrors: readonly (readonly [RegExp, string, (baseUrl: string) => string])[] = [
  [
    /WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL/,
    'does not use https',
    (baseUrl) => `if it is plain http, set SERVICE_BASE_URL=${baseUrl.replace(/^https:/, 'http:')}`,
  ],
  [
    /PROTOCOL_VERSION|UNSUPPORTED_(PROTOCOL|SSL)|TOO_SMALL|TOO_WEAK|LEGACY/,
    'uses a TLS version that is too old',
    () => `${askWho}, about TLS 1.2 or newer`,
  ],
  [
    /CERTIFICATE_REQUIRED|BAD_CERTIFICATE|HANDSHAKE_FAILURE/,
    'ends the TLS handshake',
    () =>
      'it may require a client certificate, which Callsheet does not have: ask the provider, or add a proxy that has one',
  ],
  [/./, 'breaks TLS', () => askWho],
];

/** Names the fault in the bytes of a response; null if they aren't the problem. Only fixed texts of the parser are quoted. */
function malformation(error: unknown, code: string): string | null {
  const { name, message = '' } = ((error ?? {}) as { readonly cause?: Error }).cause ?? {};
  if (name === 'HTTPParserError') return /\(([\w ,/]{1,60})\)$/.exec(message)?.[1] ?? 'no HTTP';
  if (message.startsWith('too many content-encodings')) return 'it is encoded many times over';
  if (code.startsWith('Z_')) return 'its body cannot be decompressed';
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return 'its length differs from the announced one';
  return code === 'ERR_ASSERTION' ? 'its status is not an HTTP status' : null;
}

/**
 * Returns the error for a `fetch` that got no response. Bad certificates and too large headers aren't retried
 * at once: another attempt would find them unchanged.
 */
export function connectionError(error: unknown, baseUrl: string): AttemptError {
  const code = connectionErrorCode(error);
  const status = networkError(error)?.code ?? null;
  const found = certificateErrors.find(([pattern]) => pattern.test(code));
  if (found !== undefined) {
    const [, certificate, advice] = found;
    const detail = `the service at ${baseUrl} has ${certificate} (${code})`;
    return new AttemptError('SERVICE_UNAVAILABLE', detail, { retryNow: false, advice, status });
  }
  const refused = refusedByProxy(error);
  if (refused !== null)
    return new AttemptError(
      'SERVICE_UNAVAILABLE',
      `the outgoing proxy refuses the request (status ${refused})`,
      {
        status: refused,
        advice:
          refused === '407'
            ? `write its user and password into ${baseUrl.startsWith('https:') ? 'HTTPS_PROXY' : 'HTTP_PROXY'}: http://user:password@proxy.example.com:3128`
            : `have the address of the service, ${baseUrl}, allowed there`,
      },
    );
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new AttemptError('INVALID_RESPONSE', 'invalid response (its headers are too large)', {
      retryNow: false,
    });
  if (['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code)) {
    const detail = `the service closes the connection to ${baseUrl} before its response is complete (${code})`;
    return new AttemptError('SERVICE_UNAVAILABLE', detail, { status });
  }
  const malformed = malformation(error, code);
  if (malformed !== null)
    return new AttemptError('INVALID_RESPONSE', `invalid response (malformed HTTP: ${malformed})`, {
      advice: `check what is between Callsheet and the service, such as a proxy; else ${askWho}`,
    });
  if (code.startsWith('ERR_SSL_')) {
    const [, problem, advice] = tlsErrors.find(([pattern]) => pattern.test(code))!;
    const detail = `the service at ${baseUrl} ${problem} (${code})`;
    return new AttemptError('SERVICE_UNAVAILABLE', detail, { advice: advice(baseUrl), status });
  }
  return new AttemptError('SERVICE_UNAVAILABLE', `the service can't be reached at ${baseUrl} (${code})`, {
    status,
    advice:
      'check SERVICE_BASE_URL and the network; if this machine needs a proxy to get out, set HTTPS_PROXY and NODE_USE_ENV_PROXY=1',
  });
}

/** The status with which a proxy refused a tunnel, or a request without one; null if none did. */
function refusedByProxy(error: unknown): string | null {
  const { message, code } = networkError(error) ?? {};
  // fetch never returns a 407: it has an error without any word for it, and for nothing else that Callsheet sends.
  if (message === '' && code === undefined) return '407';
  return /^Proxy response \((\d+)\)/.exec(message ?? '')?.[1] ?? null;
}

/** Encodings that fetch decodes; it leaves a body in any other as it is. */
const knownEncoding = /^(identity|(x-)?gzip|deflate|br|zstd)?$/i;

/** The error of a body in an encoding that nobody here decodes; null if it is readable all the same. */
export function encodingError(headers: Headers, body: string): AttemptError | null {
  const encodings = (headers.get('content-encoding') ?? '').split(',').map((name) => name.trim());
  const unknown = encodings.find((name) => !knownEncoding.test(name));
  if (unknown === undefined || /^\s*[{[]/.test(body)) return null;
  const how = /^[\w.-]{1,20}$/.test(unknown) ? `as ${unknown}` : 'in a way';
  return new AttemptError(
    'INVALID_RESPONSE',
    `invalid response (its body is encoded ${how}, which Callsheet doesn't know)`,
    {
      retryNow: false,
      advice: `check what is between Callsheet and the service, such as a proxy; else ${askWho}`,
    },
  );
}

/** If a proxy refuses a tunnel, fetch has a DOMException in between, whose code is a number. */
function networkError(error: unknown): NodeJS.ErrnoException | undefined {
  const { cause } = (error ?? {}) as { readonly cause?: Error };
  return cause instanceof DOMException ? (cause.cause as Error | undefined) : cause;
}

/** Returns why `fetch` failed as a code for messages: the rest of the error may contain the URL. */
export function connectionErrorCode(error: unknown): string {
  const cause = networkError(error);
  // fetch blocks some ports, for example 6000, and this error has no code.
  if (cause?.message === 'bad port') return 'fetch blocks this port';
  return cause?.code ?? 'no connection';
}

const statusesRetriedNow = new Set([408, 429, 500, 501, 502, 503, 504, 507, 520, 521, 522, 523, 524, 529]);

/** Returns whether a response means one thing, whatever its body says (docs/service-assumptions.md): refused access, an outage or a redirect. */
export function meansError(status: number, headers = new Headers()): boolean {
  if (status >= 300 && status <= 399) return headers.has('location');
  if (status >= 400 && headers.has('retry-after')) return true;
  return [401, 403, 408, 429].includes(status) || (status >= 500 && status <= 599);
}

type ErrorResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
};

/** Returns the error of a response that means one, with a description of its body. */
export function statusError(
  { status: code, headers, body }: ErrorResponse,
  baseUrl: string,
  redactor: Redactor,
): AttemptError {
  const status = String(code);
  if (code < 400) {
    const { protocol, host } = URL.parse(headers.get('location')!, baseUrl) ?? {};
    // Not its path or query: they may repeat the token.
    const target = host ? excerpt(`${protocol}//${host}`, redactor) : 'no address';
    const advice =
      'redirects are not followed, because they would carry the token; if the service has moved there, correct SERVICE_BASE_URL';
    const detail = `the service refuses the request (status ${status}, a redirect to ${target})`;
    return new AttemptError('REQUEST_REFUSED', detail, { advice, status });
  }
  const text = describeBody(body, redactor);
  const mayPass = headers.has('retry-after');
  if ((code === 401 || code === 403) && !mayPass)
    return new AttemptError('TOKEN_REFUSED', `the service refuses access (status ${status}: ${text})`, {
      status,
    });
  const detail = `the service responded with status ${status}: ${text}`;
  const advice = code === 429 ? 'set RATE_PER_SECOND to what it allows' : undefined;
  const retryNow = mayPass || statusesRetriedNow.has(code);
  return new AttemptError('SERVICE_UNAVAILABLE', detail, { retryNow, advice, status });
}

/**
 * Returns the error of an answer without records.
 *
 * @param isRepeated whether it is requested once more
 */
export function unknownAnswer(
  { status, sign }: { readonly status: number; readonly sign: string },
  baseUrl: string,
  isRepeated: boolean,
): AttemptError {
  const { advice } = errorCatalogue.UNKNOWN_ANSWER;
  return new AttemptError('UNKNOWN_ANSWER', `unknown answer (${sign})`, {
    status: String(status),
    sign,
    retryNow: isRepeated,
    advice:
      status === 404 ? `check SERVICE_BASE_URL: perhaps it is ${likelyBaseUrl(baseUrl)}; ${advice}` : advice,
  });
}

/** Returns the base URL without a pasted operation, else without its last folder, else in the usual folder. */
function likelyBaseUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  const folders = pathname.split('/').filter((folder) => folder !== '');
  const operation = folders.findIndex((folder) => folder.endsWith('.wr'));
  const likely = folders.slice(0, operation);
  const isKnown = operation !== -1 || likely.length > 0 || folders[0] === 'api';
  return [origin, ...(isKnown ? likely : ['api'])].join('/');
}
