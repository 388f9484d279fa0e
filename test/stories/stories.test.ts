import { expect, it } from 'vitest';
import { stories } from '../../src/simulator/stories.ts';
import { type Compared, compareStory } from './compare-story.ts';
import { lives } from './lives.ts';

let compared: Compared;

// It has most of what may go wrong, and a week and a month that end. All others are in stories.slow.test.ts.
it('month-end: tables and mails are what the truth lets expect', async () => {
  compared = await compareStory(lives['month-end']!);
  expect(compared.differences).toEqual([]);
});

// A comparison of nothing with nothing is none.
it.each([
  ...['mails', 'CSV', 'figures', 'campaign_days', 'account_performance', 'coverage', 'freshness'],
  ...['restatements', 'restated_days', 'mailed_periods', 'clients', 'client_balances'],
])('the story has lines to compare of: %s', (kind) => {
  expect(compared.lines.get(kind)).toBeGreaterThan(0);
});

it('each story of the product is lived through, here or among the slow ones', () => {
  expect(Object.keys(lives)).toEqual(expect.arrayContaining(Object.keys(stories)));
});
