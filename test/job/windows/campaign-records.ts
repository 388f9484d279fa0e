import fc from 'fast-check';
import type { CampaignRecord, Counts, Extra, Json } from '../../../src/model/records.ts';

/** A record with believable counts, but for what the test is about. */
export function record(callsetId: number, part: Partial<CampaignRecord> = {}): CampaignRecord {
  const counts: Counts = { attempts: 100, busies: 10, connects: 60, liveAnswers: 40 };
  return { callsetId, campaign: `Campaign ${callsetId}`, ...counts, extra: {}, ...part };
}

// Few values, so that two responses often agree.
const count = fc.constantFrom(null, 0, 1, 2, Number.MAX_SAFE_INTEGER);
const campaign = fc.constantFrom(null, 'Spring', 'spring', '');
export const extra: fc.Arbitrary<Extra> = fc.dictionary(
  fc.constantFrom('cost', 'list', 'note'),
  fc.oneof(
    fc.constantFrom<Json>(0, -0, 1e300, '0', false, null, ['ñ', { '': 0 }]),
    fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>,
  ),
  { noNullPrototype: true },
);

const someCounts: fc.Arbitrary<Counts> = fc.record({
  attempts: count,
  busies: count,
  connects: count,
  liveAnswers: count,
});

/** The records of a response: no id twice. */
export const responses: fc.Arbitrary<CampaignRecord[]> = fc.uniqueArray(
  fc
    .tuple(fc.constantFrom(1, 2, 3, 10, 11, 2 ** 53 - 1), campaign, someCounts, extra)
    .map(([callsetId, campaign, counts, extra]) => ({ callsetId, campaign, ...counts, extra })),
  { selector: (record) => record.callsetId },
);

/** A response, and the same in another order. */
export const shuffled = responses.chain((response) =>
  fc.tuple(
    fc.constant(response),
    fc.shuffledSubarray(response, { minLength: response.length, maxLength: response.length }),
  ),
);
