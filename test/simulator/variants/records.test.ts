import { expect, test } from 'vitest';
import { campaignsOf, DAY, getCampaigns, getClients, start } from '../simulator.ts';

test('counts-other: the counts of an envelope are of other things', async () => {
  const simulator = await start({ variants: ['counts-other'] });
  const query = { limit: '50', search: 'clínica' };
  const { body: plain } = await getClients(await start(), query);
  const { body: clients } = await getClients(simulator, query);
  expect(clients).toEqual({ ...plain, clients: plain.data.length, results: 620, count: plain.pages });
  const month = campaignsOf('2026-10-19', DAY).length;
  expect(month).toBeGreaterThan(campaignsOf().length);
  const { body: campaigns } = await getCampaigns(simulator);
  expect(campaigns).toEqual({ campaigns: month, reports: 1, result: campaignsOf() });
});

test('counts-huge: no bigint holds the sum of a count', async () => {
  const { body } = await getCampaigns(await start({ variants: ['counts-huge'] }));
  const sum = body.result.reduce((total, each) => total + BigInt(each.attempts), 0n);
  expect(sum).toBeGreaterThan(2n ** 63n);
});
