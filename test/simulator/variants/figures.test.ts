import { expect, test } from 'vitest';
import { NO_CALLS } from '../../../src/simulator/campaigns.ts';
import type { VariantName } from '../../support/simulator/variants.ts';
import { campaignsOf, DAY, getCampaigns, start } from '../simulator.ts';

const NEXT = '2026-11-19';

/** The campaigns of the month before that don't call on DAY, with zeros. */
function idleCampaigns() {
  const active = new Set(campaignsOf().map(({ callsetid }) => callsetid));
  return campaignsOf('2026-10-19', DAY)
    .filter(({ callsetid }) => !active.has(callsetid))
    .map((each) => ({ ...each, ...NO_CALLS }));
}

const byId = (list: readonly { callsetid: number }[]) => list.toSorted((a, b) => a.callsetid - b.callsetid);

test.for<[VariantName, from: string, to: string, expected: readonly object[]]>([
  ['end-exclusive', DAY, DAY, []],
  ['end-exclusive', DAY, NEXT, campaignsOf()],
  ['idle-listed', DAY, DAY, byId([...campaignsOf(), ...idleCampaigns()])],
])(
  '%s lists for %s to %s the campaigns of the data set, changed as described',
  async ([variant, from, to, expected]) => {
    const { body } = await getCampaigns(await start({ variants: [variant] }), from, to);
    expect(body.result).toEqual(expected);
  },
);

test('idle-listed has several campaigns to add', () => {
  expect(idleCampaigns().length).toBeGreaterThan(3);
});

test('lifetime-totals: are totals, whatever the dates, which only choose the campaigns', async () => {
  const simulator = await start({ variants: ['lifetime-totals'] });
  const { result: one } = (await getCampaigns(simulator)).body;
  const { result: other } = (await getCampaigns(simulator, NEXT)).body;
  const { result: both } = (await getCampaigns(simulator, DAY, NEXT)).body;
  expect(one).toMatchObject(campaignsOf().map(({ callsetid }) => ({ callsetid })));
  expect(other).toMatchObject(campaignsOf(NEXT).map(({ callsetid }) => ({ callsetid })));
  for (const campaign of [...one, ...other]) expect(both).toContainEqual(campaign);
  // The newest one has the highest id, and began within these days.
  expect(campaignsOf('2026-09-01', '2026-11-20')).toContainEqual(one.at(-1));
  const sum = (list: readonly { attempts: number }[]) => list.reduce((all, each) => all + each.attempts, 0);
  expect(sum(one)).toBeGreaterThan(2 * sum(campaignsOf()));
});
