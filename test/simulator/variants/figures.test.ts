import { expect, test } from 'vitest';
import { NO_CALLS } from '../../../src/simulator/campaigns.ts';
import { campaignsOf, DAY, getCampaigns, start } from '../simulator.ts';

test('idle-listed: lists campaigns of the month before that don’t call on the day, too, with zeros', async () => {
  const active = new Set(campaignsOf().map(({ callsetid }) => callsetid));
  const idle = campaignsOf('2026-10-19', DAY)
    .filter(({ callsetid }) => !active.has(callsetid))
    .map((each) => ({ ...each, ...NO_CALLS }));
  expect(idle.length).toBeGreaterThan(3);
  const { body } = await getCampaigns(await start({ variants: ['idle-listed'] }));
  expect(body.result).toEqual([...campaignsOf(), ...idle].toSorted((a, b) => a.callsetid - b.callsetid));
});
