import { expect, it } from 'vitest';
import { addDays, type Day } from '../../../src/model/day.ts';
import { examineLength } from '../../../src/service/examine/examine-length.ts';
import type { SummarizeCampaigns } from '../../../src/service/operations.ts';
import { account } from '../account.ts';

const last = '2026-11-22';

/** A service whose lists have these lengths, the newest day first; none before them. Counts its requests. */
async function listing(...lengths: readonly number[]) {
  let requests = 1;
  const summarize = (async (_: unknown, { from }: { readonly from: Day }) => {
    requests++;
    return { rows: lengths.find((_, ago) => addDays(last, -ago) === from) ?? 0 };
  }) as unknown as SummarizeCampaigns;
  return { found: await examineLength(summarize, account, last, lengths[0]!), requests };
}

it('lists of the same round length on three days are said', async () => {
  const { found, requests } = await listing(1_000, 1_000, 1_000);
  expect(found).toMatchObject([
    {
      status: 'warning',
      message:
        'exactly 1,000 campaigns on each of 2026-11-20, 2026-11-21, 2026-11-22: the list may be cut there',
      advice: 'ask the provider whether campaignSummary lists more than 1,000',
    },
  ]);
  expect(requests).toBe(3);
});

it('days without calls are passed over', async () => {
  expect((await listing(0, 0, 50, 50, 50)).found).toHaveLength(1);
  expect(await listing(0, 0, 0, 50, 50)).toMatchObject({ found: [], requests: 5 });
});

it.each([
  [[19, 19, 19], 1],
  [[100, 100, 99], 3],
  [[100, 200, 200], 2],
  [[1_000, 999, 1_000], 2],
])('%j are not, after %i requests', async (lengths, requests) => {
  expect(await listing(...lengths)).toEqual({ found: [], requests });
});
