import { expect, it } from 'vitest';
import { addDays, type Day } from '../../../src/model/day.ts';
import { Failure } from '../../../src/model/errors.ts';
import { examineHistory } from '../../../src/service/examine/examine-history.ts';
import type { SummarizeCampaigns } from '../../../src/service/operations.ts';
import { account } from '../account.ts';

const last = '2026-11-19';
const unknown = new Failure('UNKNOWN_ANSWER', 'unknown answer (HTTP 404)', { sign: 'HTTP 404' });

/** A service that lists campaigns of so many days, on weekdays alone. */
function keeping(days: number, emptyDay: () => number = () => 0, emptyBy: string | null = null) {
  const list = async (day: Day) => {
    if (day > last) return emptyDay();
    const isWeekend = Temporal.PlainDate.from(day).dayOfWeek > 5;
    return !isWeekend && day > addDays(last, -days) ? 3 : emptyDay();
  };
  const summarize = (async (_: unknown, { from }: { readonly from: Day }) => ({
    rows: await list(from),
    emptyBy,
  })) as unknown as SummarizeCampaigns;
  return examineHistory(summarize, account, last, 31);
}

it.each([
  [14, 'warning', 'campaigns are listed for 7 days before 2026-11-19, but not for 28 days before'],
  [60, 'ok', 'campaigns are listed for 28 days before 2026-11-19, but not for 91 days before'],
  [400, 'ok', 'campaigns of a year ago are listed'],
  [0, 'warning', "no campaigns in the last week: how far back they are listed can't be determined"],
])('of a service that keeps %i days is said how far back it lists them', async (days, status, message) => {
  expect((await keeping(days))[0]).toMatchObject({ subject: 'history', status, message });
});

it('is said how a day without campaigns comes', async () => {
  expect((await keeping(400))[1]).toMatchObject({
    status: 'ok',
    message: 'a day without campaigns is an empty list',
  });
  expect((await keeping(400, undefined, 'HTTP 404; message: none'))[1]).toMatchObject({
    status: 'ok',
    message: 'a day without campaigns is "HTTP 404; message: none", which is accepted',
  });
  const throwing = () => {
    throw unknown;
  };
  expect(await keeping(14, throwing)).toMatchObject([
    { message: 'campaigns are listed for 7 days before 2026-11-19, but not for 28 days before' },
    {
      subject: 'empty day',
      status: 'warning',
      message: 'a day without campaigns, 2027-11-19: unknown answer (HTTP 404)',
    },
  ]);
});
