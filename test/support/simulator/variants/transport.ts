import type { Middleware, ServiceRequest } from '../../../../src/simulator/middleware.ts';
import { errorResponse } from '../../../../src/simulator/service.ts';
import { namedFaults } from '../faults.ts';

/** Requests that an account may make with the data set's token before `token-expires` refuses it. */
const REQUESTS_UNTIL_EXPIRY = 5;

/**
 * Faults of networks and proxies, rate limits and refused tokens: the document shows no limits, errors or lifetimes
 *.
 */
export function transportVariants() {
  const every = createEveryNth();
  return {
    'connection-reset': every(5, namedFaults.reset),
    'body-cut': every(4, namedFaults['cut-body']),
    'html-always': namedFaults.html,
    /** An account's token is refused after some requests; its further ones last. */
    'token-expires': expiring(),
    'token-refused-401': () => errorResponse(401, 'The sidtoken is missing or not valid.'),
  } satisfies Record<string, Middleware>;
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
