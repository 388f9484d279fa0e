import { setTimeout } from 'node:timers/promises';
import { type FaultKind, faultOf, MOVED, namedFaults } from '../faults.ts';
import type { Middleware, ServiceRequest } from '../middleware.ts';
import { errorResponse } from '../service.ts';
import type { Variant } from '../variant.ts';

/** After how many requests of an account `token-expires` refuses the data set's token. */
export const REQUESTS_UNTIL_EXPIRY = 5;

const RATE = 5;

/**
 * What networks and proxies do to responses, rate limits, and how tokens and requests are refused: the document shows
 * no limits, errors or lifetimes (service.md 5, 7, 8). A fault that strikes "once" is healed by a retry.
 */
export const transportVariants = {
  slow: {
    does: 'every response takes 50 ms',
    create: () => () => setTimeout(50, undefined, { ref: false }),
  },
  redirects: {
    does: 'every request is redirected (302) to another path, which would respond to it',
    create: () => (request) => (request.path.startsWith(MOVED) ? undefined : namedFaults.redirect(request)),
  },
  'connection-reset': once(5, 'reset', 'the connection is reset before any response to'),
  'body-cut': once(4, 'cut-body', 'the body ends half-way, the connection with it, for'),
  'body-stalls': once(6, 'stall', 'the body stops half-way and the connection stays, for'),
  'html-instead': once(4, 'html', 'a page of HTML with status 200 for'),
  'html-always': always('html', 'a page of HTML with status 200 for every request'),
  'nonsense-json': always(
    'nonsense-json',
    'JSON that is no envelope, in turn [], null, {"data":{}} and more',
  ),
  'huge-body': always('huge-body', 'every response has 400 MB of valid records'),
  'rate-limited-seconds': rateLimited('429 with Retry-After: 1', () => '1'),
  'rate-limited-date': rateLimited('429 with Retry-After as a date 1 to 2 seconds ahead', () => httpDate(2)),
  'rate-limited-past': rateLimited('429 with Retry-After as a date a minute ago', () => httpDate(-60)),
  'rate-limited-long': rateLimited('429 with Retry-After: 86400', () => '86400'),
  'rate-limited-forever': {
    does: '429 with Retry-After: 1 for every request',
    create: () => () => tooManyRequests('1'),
  },
  'token-expires': {
    does: `an account's token is refused after ${REQUESTS_UNTIL_EXPIRY} requests; its further ones last`,
    create: expiring,
  },
  'token-refused-401': refused(
    'every token is refused with 401; with token-expires, only the expired one',
    () => errorResponse(401, 'The sidtoken is missing or not valid.'),
  ),
  'token-refused-403': refused('the same with 403', () => errorResponse(403, 'Access denied.')),
  'token-refused-in-200': refused(
    'the same with status 200 and an error object that names the session token',
    namedFaults['token-refused-in-200'],
  ),
  'error-in-200': always('error-in-200', 'an error object with status 200, without a word about tokens'),
  'error-echoes-token': {
    does: 'getClients fails with 500 and campaignSummary with 400, and both repeat the URL and the token',
    create: () => echoToken,
  },
} satisfies Record<string, Variant>;

function always(kind: FaultKind, does: string): Variant {
  return { does, create: () => faultOf(kind) };
}

function once(n: number, kind: FaultKind, does: string): Variant {
  return { does: `${does} every ${n}th request, once`, create: ({ everyNth }) => everyNth(n, faultOf(kind)) };
}

function rateLimited(does: string, retryAfter: () => string): Variant {
  return {
    does: `${does} for every ${RATE}th request, once`,
    create: ({ everyNth }) => everyNth(RATE, () => tooManyRequests(retryAfter())),
  };
}

function tooManyRequests(retryAfter: string) {
  return errorResponse(429, 'Too many requests.', { 'retry-after': retryAfter });
}

/** By the machine's clock; its seconds have no fractions. */
function httpDate(secondsAhead: number): string {
  return new Date(Date.now() + secondsAhead * 1_000).toUTCString();
}

function refused(does: string, refuse: Middleware): Variant {
  return {
    does,
    create:
      ({ chosen }) =>
      (request, next) =>
        request.accepted && chosen.has('token-expires') ? undefined : refuse(request, next),
  };
}

function expiring(): Middleware {
  const uses = new Map<string | undefined, number>();
  return (request, next) => {
    const { account, accepted, params, dataset } = request;
    const own = dataset.accounts.find(({ name }) => name === account)?.token;
    if (!accepted || params.get('sidtoken') !== own) return undefined;
    const count = (uses.get(account) ?? 0) + 1;
    uses.set(account, count);
    return count > REQUESTS_UNTIL_EXPIRY ? next({ ...request, accepted: false }) : undefined;
  };
}

/** As careless services do: raw, URL-encoded, within the URL, and in a header as well. */
function echoToken({ operation, target, params }: ServiceRequest) {
  const token = params.get('sidtoken') ?? '';
  const status = operation === 'getClients' ? 500 : 400;
  const error = {
    code: status,
    message: `Could not handle ${target} for session ${token}`,
    url: target,
    sidtoken: token,
    encoded: encodeURIComponent(token),
  };
  return { status, headers: { 'x-request-url': target }, body: JSON.stringify({ error }) };
}
