import type { SimulatedClient } from '../../../../src/simulator/dataset.ts';
import { changing, type Middleware, type ServiceRequest } from '../../../../src/simulator/middleware.ts';
import { errorResponse } from '../../../../src/simulator/service.ts';
import { clientList, numberIn, withParameter } from '../middleware.ts';

const CLAMP = 25;
const MAX_LIMIT = 50;

type Rows = readonly SimulatedClient[];

/**
 * Ways to cut a list into pages. The document doesn't say where numbering starts, what lies beyond the last page, how
 * large a page may be, or what happens if the list changes during a walk.
 *
 * Numbering is outermost, so that the others count from 1.
 */
export function pageVariants() {
  return {
    /** In requests and in responses. */
    'pages-from-zero': clientList(
      changing(
        (envelope) => ('page' in envelope ? { ...envelope, page: Number(envelope.page) - 1 } : envelope),
        withNextPage,
      ),
    ),
    /** `limit` in the response says so. */
    'limit-clamped': clientList((request, next) => next(clamped(request))),
    /** `limit` in the response is what was requested. */
    'limit-clamped-silently': clientList(
      changing(
        (envelope, { params }) => ({ ...envelope, limit: numberIn(params, 'limit') ?? envelope.limit }),
        clamped,
      ),
    ),
    /** Pages are those of the requested limit, and each is cut without a word. */
    'pages-cut-by-half': clientList(
      changing((envelope) => {
        const all = envelope.data as Rows;
        const data = all.slice(0, Math.ceil(Number(envelope.limit) / 2));
        return data.length === all.length ? envelope : { ...envelope, count: data.length, data };
      }),
    ),
    /** Every fifth client by its id is left out, and the counts are of all. */
    'filtered-after-paging': clientList(
      changing((envelope) => {
        const data = (envelope.data as Rows).filter(({ clientid }) => clientid % 5 !== 0);
        return { ...envelope, count: data.length, data };
      }),
    ),
    /** If there are two or more. */
    'last-page-fails': clientList(async (_, next) => {
      const { envelope } = await next();
      const isLast = envelope?.page === envelope?.pages && Number(envelope?.pages) > 1;
      return isLast ? errorResponse(500, 'An injected fault.') : undefined;
    }),
    'limit-refused-in-200': clientList(refuseLargeLimits),
    /** A row of page 1 is gone from the second page on: another client, who moves up to it, is listed nowhere. */
    'row-removed-always': clientList((request, next) => {
      const { params, dataset } = request;
      if ((numberIn(params, 'page') ?? 1) <= 1) return undefined;
      const clients = (account: string) => dataset.clients(account).slice(1);
      return next({ ...request, dataset: { ...dataset, clients } });
    }),
  } satisfies Record<string, Middleware>;
}

function withNextPage(request: ServiceRequest): ServiceRequest {
  const page = numberIn(request.params, 'page');
  return page === undefined ? request : withParameter(request, 'page', page + 1);
}

/** Leaves invalid requests to be refused: a page without a limit, a limit of 0 or of letters. */
function clamped(request: ServiceRequest): ServiceRequest {
  const limit = numberIn(request.params, 'limit') ?? CLAMP;
  const applies = request.params.has('limit') ? limit > CLAMP : !request.params.has('page');
  return applies ? withParameter(request, 'limit', CLAMP) : request;
}

const refuseLargeLimits: Middleware = ({ params, ...request }, next) => {
  const limit = numberIn(params, 'limit');
  if (limit !== undefined && limit > MAX_LIMIT)
    return { ...errorResponse(400, `The parameter limit is out of range: ${limit}.`), status: 200 };
  if (params.has('limit') || params.has('page')) return undefined;
  return next(withParameter({ ...request, params }, 'limit', MAX_LIMIT));
};
