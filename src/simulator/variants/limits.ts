import { Refusal } from '../refusal.ts';
import { numberIn, withParameter } from '../request.ts';
import type { AnswerHook, VariantEntry } from '../variant.ts';

const CLAMP = 25;
const LARGEST = 50;

/** What becomes of `limit`: default and largest page size aren't shown, nor what a larger one gets (service.md 8). */
export const limitVariants = {
  'limit-clamped': {
    does: `never more than ${CLAMP} clients a page, and \`limit\` in the answer says so`,
    make: () => ({ clients: clamp }),
  },
  'limit-clamped-silently': {
    does: `never more than ${CLAMP} clients a page, though \`limit\` in the answer is what was asked`,
    make: () => ({
      clients: (params, next, request) => {
        const envelope = clamp(params, next, request);
        return { ...envelope, limit: numberIn(params, 'limit') ?? envelope.limit };
      },
    }),
  },
  'limit-refused': {
    does: `400 for a limit above ${LARGEST}; ${LARGEST} a page without one`,
    make: () => ({
      clients: orFifty((limit) => {
        throw new Refusal(400, tooLarge(limit));
      }),
    }),
  },
  'limit-refused-in-200': {
    does: `the same with status 200 and an error object`,
    make: () => ({ clients: orFifty((limit) => ({ error: { code: 400, message: tooLarge(limit) } })) }),
  },
} satisfies Record<string, VariantEntry>;

const clamp: AnswerHook = (params, next) => {
  const limit = numberIn(params, 'limit') ?? CLAMP;
  // What makes no sense is refused as ever: a page without limit, and a limit of 0 or of letters.
  const clamped = params.has('limit') ? limit > CLAMP : !params.has('page');
  return next(clamped ? withParameter(params, 'limit', CLAMP) : params);
};

function orFifty(refuse: (limit: number) => Record<string, unknown>): AnswerHook {
  return (params, next) => {
    const limit = numberIn(params, 'limit');
    if (limit !== undefined && limit > LARGEST) return refuse(limit);
    return next(params.has('limit') || params.has('page') ? params : withParameter(params, 'limit', LARGEST));
  };
}

function tooLarge(limit: number): string {
  return `The parameter limit is out of range: ${limit}.`;
}
