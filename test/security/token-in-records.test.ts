import { afterAll, beforeAll, expect, it } from 'vitest';
import { runNight } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';
import { mails, pages, traces } from './traces.ts';

/* A service that repeats the token of an account in its records and, where it is a short one, in the text beside them. */

const [long, short] = ['long-token-of-north', 'k7/Q+z=='] as const;
let world: World;

beforeAll(async () => {
  world = await openWorld({
    dataset: {
      accounts: [
        { name: 'north', token: long },
        { name: 'coast', token: short },
      ],
      clients: () => [],
      campaigns: () => [],
    },
    intercept: ({ operation, account }) => {
      if (operation !== 'campaignSummary') return undefined;
      const campaign = { callsetid: 1, attempts: 9, busies: 1, connects: 3, liveanswers: 2, noanswers: 0 };
      const body = { result: [{ ...campaign, campaign: account === 'north' ? `of ${long}` : 'of coast' }] };
      return { body: JSON.stringify(account === 'north' ? body : { ...body, error: `no: ${short}` }) };
    },
  });
  // The page is of today.
  await runNight(world, Temporal.Now.plainDateISO('UTC').toString());
});
afterAll(() => world.close());

it('no mail has a token that a record repeats', async () => {
  expect(await mails(world.outbox)).not.toEqual([]);
  const left = await traces(world);
  expect(left.filter((text) => text.includes('of ***') || text.includes('of coast')).length).toBeGreaterThan(
    0,
  );
  for (const text of left) expect(text).not.toContain(long);
});

it('no page has a token that stands in a text beside the records', async () => {
  const served = await pages(world);
  expect(served.some((page) => page.includes('no: '))).toBe(true);
  for (const page of served) for (const token of [long, short]) expect(page).not.toContain(token);
});
