import type { HeardAnswer } from '../../src/model/answer.ts';

/** An answer as it is archived, where a test cares for nothing but its body. */
export const heard = (body = '{}'): HeardAnswer => ({
  ...{ operation: 'campaignSummary', parameters: {}, status: 200, askedAt: performance.now() },
  body,
});
