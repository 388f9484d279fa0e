import { expect, it } from 'vitest';
import { stories } from '../../src/simulator/stories.ts';
import { type Compared, compareStory } from './compare-story.ts';
import { lives, newLives } from './lives.ts';

const compared: Compared[] = [];

it.concurrent.each(Object.entries(lives))(
  '%s: tables and mails are what the truth lets expect',
  async (_, life) => {
    const found = await compareStory(life);
    compared.push(found);
    expect(found.differences).toEqual([]);
  },
);

// A comparison of nothing with nothing is none.
it.each([
  ...['mails', 'CSV', 'figures', 'campaign_days', 'account_performance', 'coverage', 'freshness'],
  ...['restatements', 'restated_days', 'mailed_periods', 'clients', 'client_balances'],
])('some story has lines to compare of: %s', (kind) => {
  expect(Math.max(...compared.map(({ lines }) => lines.get(kind) ?? 0))).toBeGreaterThan(0);
});

it('each story of the product is lived through, here or among the slow ones', () => {
  expect(Object.keys({ ...lives, ...newLives })).toEqual(expect.arrayContaining(Object.keys(stories)));
});
