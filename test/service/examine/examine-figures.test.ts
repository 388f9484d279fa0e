import { describe, expect, it } from 'vitest';
import { exitCode } from '../../../src/model/exit-code.ts';
import type { Finding } from '../../../src/model/finding.ts';
import { examineFigures } from '../../../src/service/examine/examine-figures.ts';
import type { SummarizeCampaigns, SummaryRange } from '../../../src/service/operations.ts';
import { account } from '../account.ts';

/** Attempts by campaign. */
type Attempts = { readonly [id: number]: number | null };

const [day, next] = ['2026-03-03', '2026-03-04'];

const summary = (attempts: Attempts) => ({
  records: Object.entries(attempts).map(([id, each]) => ({ callsetId: Number(id), attempts: each })),
});

async function examined(
  [one, other, both]: readonly [Attempts, Attempts, Attempts],
  windowEnd: 'same-day' | 'next-day' = 'same-day',
) {
  const summarize = (async (_: unknown, { from, to }: SummaryRange) => {
    if (from !== to) return summary(both);
    return summary(from === day ? one : other);
  }) as unknown as SummarizeCampaigns;
  return await examineFigures(summarize, account, [day, next], windowEnd);
}

const found = { area: 'service', subject: 'date range' } as const;
const error = { ...found, status: 'error', exitCode: exitCode.configuration } as const;
const included = `the end of a range is included: ${day} and ${next} add up`;

describe('the examination of a date range', () => {
  it.each<[string, Parameters<typeof examined>, Finding]>([
    [
      'includes its end, where two days add up by each campaign',
      [
        [
          { 1: 5, 2: 3 },
          { 2: 8, 3: null },
          { 1: 5, 2: 11, 3: 0 },
        ],
      ],
      { ...found, status: 'ok', message: included },
    ],
    [
      'includes its end, and WINDOW_END says otherwise',
      [[{ 1: 5 }, { 1: 4 }, { 1: 9 }], 'next-day'],
      { ...error, message: included, advice: 'set WINDOW_END=same-day' },
    ],
    [
      'does not include its end, where both days together alone have attempts',
      [[{}, {}, { 1: 5 }]],
      { ...error, message: 'the end of a range is not included', advice: 'set WINDOW_END=next-day' },
    ],
    [
      'does not include its end, and WINDOW_END says so',
      [[{ 1: 0 }, {}, { 1: 5 }], 'next-day'],
      { ...found, status: 'ok', message: 'the end of a range is not included' },
    ],
    [
      'may be anything, where there are no attempts',
      [[{ 1: 0 }, { 1: null }, { 1: 0 }]],
      {
        ...found,
        status: 'warning',
        message: `no attempts on ${day} and ${next}: whether the end of a range is included can't be determined`,
        advice: 'run doctor again when campaigns have run',
      },
    ],
    [
      'does not matter, where each has the same counts',
      [[{ 1: 5, 2: 3 }, { 1: 5 }, { 1: 5, 2: 3 }]],
      {
        ...error,
        message:
          'the counts are the same whatever the dates: totals of the campaign, not of the requested days',
        advice: 'figures by day are not available this way; ask the provider how to get them',
      },
    ],
  ])('says that it %s', async (_, input, finding) => {
    expect(await examined(...input)).toEqual(finding);
  });

  it.each<[string, Attempts, Attempts, Attempts, string]>([
    ['one day alone has the counts of both', { 1: 5, 2: 3 }, { 1: 4 }, { 1: 5, 2: 3 }, '8 + 4, not 8'],
    ['a campaign is missing in both', { 1: 5, 2: 3 }, { 1: 4 }, { 1: 9 }, '8 + 4, not 9'],
    ['the counts of two campaigns are mixed up', { 1: 5 }, { 2: 4 }, { 1: 4, 2: 5 }, '5 + 4, not 9'],
  ])('says that it is not understood where %s', async (_, one, other, both, sums) => {
    expect(await examined([one, other, both])).toEqual({
      ...found,
      status: 'warning',
      message: `${day} and ${next} do not add up to both days together (${sums})`,
      advice: 'ask the provider what the counts of a range mean',
    });
  });
});
