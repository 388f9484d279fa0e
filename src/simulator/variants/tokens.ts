import { errorReply, type Reply, TOKEN_REFUSED_IN_200 } from '../reply.ts';
import type { Variant, VariantEntry, VariantParts } from '../variant.ts';

/** For how many requests of an account `token-expires` accepts the data set's token. */
export const REQUESTS_UNTIL_EXPIRY = 5;

/** How a token is refused, and for how long it lives, isn't shown (service.md 5). */
export const tokenVariants = {
  'token-expires': {
    does: `an account's token is refused after ${REQUESTS_UNTIL_EXPIRY} requests; its further ones last`,
    make: expiring,
  },
  'token-refused-401': {
    does: 'every token is refused with 401; with token-expires, the expired one alone',
    make: (parts) => refusing(parts, errorReply(401, 'The sidtoken is missing or not valid.')),
  },
  'token-refused-403': {
    does: 'the same with 403',
    make: (parts) => refusing(parts, errorReply(403, 'Access denied.')),
  },
  'token-refused-in-200': {
    does: 'the same with status 200 and an error object that speaks of the session token',
    make: (parts) => refusing(parts, TOKEN_REFUSED_IN_200),
  },
} satisfies Record<string, VariantEntry>;

function expiring(): Variant {
  const uses = new Map<string, number>();
  return {
    admits: ({ name, token: first }, token) => {
      if (token !== first) return true;
      const count = (uses.get(name) ?? 0) + 1;
      uses.set(name, count);
      return count <= REQUESTS_UNTIL_EXPIRY;
    },
  };
}

function refusing({ chosen }: VariantParts, refusal: Reply): Variant {
  return {
    reply: ({ admitted }, next) => (admitted && chosen.has('token-expires') ? next() : refusal),
  };
}
