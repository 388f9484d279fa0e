import { HTML, hugeReply, nonsense, RESET, type Reply, redirect } from '../reply.ts';
import type { ServiceRequest } from '../request.ts';
import type { Variant, VariantEntry, VariantParts } from '../variant.ts';

/** What networks and proxies do to answers, of which no document speaks. What comes "once" passes at a retry. */
export const transportVariants = {
  slow: {
    does: 'every answer takes 50 ms',
    make: () => ({ latencyMs: 50 }),
  },
  redirects: {
    does: 'every request is redirected (302) to another path, which would answer it',
    make: () => ({
      reply: ({ target, path }, next) => (path.startsWith(MOVED) ? next() : redirect(`${MOVED}${target}`)),
    }),
  },
  'connection-reset': {
    does: 'the connection is reset before any answer to every 5th question, once',
    make: (parts) => passing(parts, 5, () => RESET),
  },
  'body-cut': {
    does: 'the body ends half-way, the connection with it, for every 4th question, once',
    make: (parts) => passing(parts, 4, (_, next) => ({ ...next(), manner: 'cut' })),
  },
  'body-stalls': {
    does: 'the body stops half-way and the connection stays, for every 6th question, once',
    make: (parts) => passing(parts, 6, (_, next) => ({ ...next(), manner: 'stalled' })),
  },
  'html-instead': {
    does: 'a page of HTML with status 200 for every 4th question, once',
    make: (parts) => passing(parts, 4, () => HTML),
  },
  'html-always': {
    does: 'a page of HTML with status 200 for every request',
    make: () => ({ reply: () => HTML }),
  },
  'nonsense-json': {
    does: 'JSON of another shape for every request, in turn: [], null, {"data":{}} and more',
    make: () => ({ reply: ({ nth }) => nonsense(nth) }),
  },
  'huge-body': {
    does: 'every answer has 400 MB of valid records',
    make: () => ({ reply: ({ operation }) => hugeReply(operation === 'getClients' ? 'data' : 'result') }),
  },
} satisfies Record<string, VariantEntry>;

const MOVED = '/moved';

function passing(
  { every }: VariantParts,
  n: number,
  spoil: (request: ServiceRequest, next: () => Reply) => Reply,
): Variant {
  const strikes = every(n);
  return { reply: (request, next) => (strikes(request) ? spoil(request, next) : next()) };
}
