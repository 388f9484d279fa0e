import { errorReply } from '../reply.ts';
import type { Variant, VariantEntry, VariantParts } from '../variant.ts';

const OFTEN = 5;

/** Rate limits and how they are told aren't shown (service.md 8). Dates are those of the machine's clock. */
export const rateLimitVariants = {
  'rate-limited-seconds': {
    does: `429 with Retry-After: 1 for every ${OFTEN}th question, once`,
    make: (parts) => limited(parts, () => '1'),
  },
  'rate-limited-date': {
    does: `429 with Retry-After as a date 1 to 2 seconds ahead for every ${OFTEN}th question, once`,
    make: (parts) => limited(parts, () => secondsAhead(2)),
  },
  'rate-limited-past': {
    does: `429 with Retry-After as a date a minute ago for every ${OFTEN}th question, once`,
    make: (parts) => limited(parts, () => secondsAhead(-60)),
  },
  'rate-limited-long': {
    does: `429 with Retry-After: 86400 for every ${OFTEN}th question, once: too long to be obeyed`,
    make: (parts) => limited(parts, () => '86400'),
  },
  'rate-limited-forever': {
    does: '429 with Retry-After: 1 for every request',
    make: () => ({ reply: () => tooMany('1') }),
  },
} satisfies Record<string, VariantEntry>;

function limited({ every }: VariantParts, retryAfter: () => string): Variant {
  const strikes = every(OFTEN);
  return { reply: (request, next) => (strikes(request) ? tooMany(retryAfter()) : next()) };
}

function tooMany(retryAfter: string) {
  return errorReply(429, 'Too many requests.', { 'retry-after': retryAfter });
}

/** An HTTP date; its seconds have no fractions. */
function secondsAhead(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toUTCString();
}
