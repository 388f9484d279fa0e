import { expect, it } from 'vitest';
import { examineTotal } from '../../../src/service/examine/examine-total.ts';
import { account } from '../account.ts';

const campaign = (callsetId: number, attempts: number, connects: number | null = attempts / 5) => ({
  callsetId,
  campaign: `No. ${callsetId}`,
  attempts,
  busies: null,
  connects,
  liveAnswers: 0,
  extra: {},
});
const three = [campaign(1, 40), campaign(2, 25), campaign(3, 15)];

it('a record with the counts of all others together may be their total', () => {
  expect(examineTotal(account, [...three, campaign(4, 80)])).toMatchObject([
    { status: 'warning', message: 'campaign 4 (No. 4) has the counts of all others together' },
  ]);
});

it.each([
  ['there are two others', [campaign(1, 40), campaign(2, 25), campaign(3, 65)]],
  ['one count is another', [...three, campaign(4, 80, 15)]],
  ['nobody was called', [1, 2, 3, 4].map((id) => campaign(id, 0))],
  ['there is none', three],
])('but not if %s', (_, records) => {
  expect(examineTotal(account, records)).toEqual([]);
});
