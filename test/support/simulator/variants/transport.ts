import { setTimeout } from 'node:timers/promises';
import type { Middleware, ServiceRequest, ServiceResponse } from '../../../../src/simulator/middleware.ts';
import { errorResponse } from '../../../../src/simulator/service.ts';
import { MOVED, type NamedFault, namedFaults } from '../faults.ts';
import type { Variant } from '../middleware.ts';

/** Requests that an account may make with the data set's token before `token-expires` refuses it. */
const REQUESTS_UNTIL_EXPIRY = 5;

/**
 * Faults of networks and proxies, rate limits, refused tokens and requests: the document shows no limits, errors or
 * lifetimes (service.md 5, 7, 8).
 *
 * @param tokensExpire the other variants refuse expired tokens only
 */
export function transportVariants(tokensExpire: boolean) {
  const every = createEveryNth();
  const once = (n: number, fault: NamedFault, does: string): Variant => [
    `${does} every ${n}th request, once`,
    every(n, namedFaults[fault]),
  ];
  const rateLimited = (does: string, retryAfter: () => string): Variant => [
    `${does} for every 5th request, once`,
    every(5, () => tooManyRequests(retryAfter())),
  ];
  const refused = (does: string, refuse: Middleware): Variant => [
    does,
    (request, next) => (request.accepted && tokensExpire ? undefined : refuse(request, next)),
  ];
  return {
    slow: ['every response takes 50 ms', () => setTimeout(50, undefined, { ref: false })],
    redirects: [
      'every request is redirected (302) to another address, which would respond to it',
      (request) => (request.params.has(MOVED) ? undefined : namedFaults.redirect(request)),
    ],
    'connection-reset': once(5, 'reset', 'the connection is reset before any response to'),
    'body-cut': once(4, 'cut-body', 'the body ends half-way, the connection with it, for'),
    'body-stalls': once(6, 'stall', 'the body stops half-way and the connection stays, for'),
    'html-instead': once(4, 'html', 'a page of HTML with status 200 for'),
    'html-always': ['a page of HTML with status 200 for every request', namedFaults.html],
    'nonsense-json': [
      'JSON that is no envelope, in turn [], null, {"data":{}} and more',
      namedFaults['nonsense-json'],
    ],
    'huge-body': ['every response has 400 MB of valid records', namedFaults['huge-body']],
    'rate-limited-seconds': rateLimited('429 with Retry-After: 1', () => '1'),
    'rate-limited-date': rateLimited('429 with Retry-After as a date 1 to 2 seconds ahead', () =>
      httpDate(2),
    ),
    'rate-limited-past': rateLimited('429 with Retry-After as a date a minute ago', () => httpDate(-60)),
    'rate-limited-long': rateLimited('429 with Retry-After: 86400', () => '86400'),
    'rate-limited-forever': ['429 with Retry-After: 1 for every request', () => tooManyRequests('1')],
    'token-expires': [
      `an account's token is refused after ${REQUESTS_UNTIL_EXPIRY} requests; its further ones last`,
      expiring(),
    ],
    'token-refused-401': refused(
      'every token is refused with 401; with token-expires, only the expired one',
      () => errorResponse(401, 'The sidtoken is missing or not valid.'),
    ),
    'token-refused-403': refused('the same with 403', () => errorResponse(403, 'Access denied.')),
    'token-refused-in-200': refused(
      'the same with status 200 and an error object that names the session token',
      namedFaults['token-refused-in-200'],
    ),
    'error-in-200': [
      'an error object with status 200, without a word about tokens',
      namedFaults['error-in-200'],
    ],
    'error-echoes-token': [
      'getClients fails with 500 and campaignSummary with 400, and both repeat the URL and the token',
      echoToken,
    ],
  } satisfies Record<string, Variant>;
}

/**
 * Faults that a retry always heals. Each counts the requests of an operation and strikes every nth. If a struck request is
 * sent again, all these faults let it pass and don't count it, in whatever order requests arrive.
 */
function createEveryNth(): (n: number, fault: Middleware) => Middleware {
  const struck = new Set<string>();
  // Decided once for each request, because several faults check it.
  const spared = new WeakMap<ServiceRequest, boolean>();
  return (n, fault) => {
    const counts = { getClients: 0, campaignSummary: 0, unknown: 0 };
    return (request, next) => {
      const key = keyOf(request);
      if (!spared.has(request)) spared.set(request, struck.delete(key));
      if (spared.get(request)) return undefined;
      counts[request.operation] += 1;
      if (counts[request.operation] % n !== 0) return undefined;
      struck.add(key);
      return fault(request, next);
    };
  };
}

/** Identifies a request without its token: a retry may have a new one. */
function keyOf({ operation, account, params }: ServiceRequest): string {
  const rest = [...params].filter(([name]) => name !== 'sidtoken').sort();
  return JSON.stringify([operation, account, rest]);
}

function tooManyRequests(retryAfter: string): ServiceResponse {
  return errorResponse(429, 'Too many requests.', { 'retry-after': retryAfter });
}

function httpDate(secondsAhead: number): string {
  return new Date(Date.now() + secondsAhead * 1_000).toUTCString();
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

/** Repeats the token like a careless service: raw, URL-encoded in the URL, and in a header. */
function echoToken({ operation, target, params }: ServiceRequest): ServiceResponse {
  const token = params.get('sidtoken') ?? '';
  const status = operation === 'getClients' ? 500 : 400;
  const message = `Could not handle ${target} for session ${token}`;
  return errorResponse(status, message, { 'x-request-url': target });
}
