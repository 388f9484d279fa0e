import { spawn } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { FORTY_OFFICES } from '../../src/simulator/accounts.ts';
import { type Dataset, generateDataset } from '../../src/simulator/dataset.ts';
import { root } from '../deploy/known.ts';
import { ended } from '../support/callsheet.ts';
import { openWorld } from '../support/world.ts';

/** What the files in deploy/ and compose.yaml allow, in KiB. */
const allowed = 512 * 1024;

/** Says at its end how much memory the process had at most, in KiB. */
const preload = 'process.on("exit", () => process.stdout.write(String(process.resourceUsage().maxRSS)))';

function repeated<T>(times: number, all: readonly T[], changed: (one: T, time: number) => T): T[] {
  return Array.from({ length: times }, (_, time) => all.map((one) => changed(one, time))).flat();
}

it('a night of forty accounts with 35,000 campaigns and 20,000 clients needs less memory than a container has', async ({
  onTestFinished,
}) => {
  const base = generateDataset(1, undefined, FORTY_OFFICES);
  const apart = 1_000_000;
  // Weekends have fewer campaigns.
  const wednesday = Temporal.PlainDate.from('2026-11-25');
  const dataset: Dataset = {
    ...base,
    clients: (account) =>
      repeated(17, base.clients(account), (client, time) => ({
        ...client,
        clientid: client.clientid + time * apart,
      })),
    campaigns: (account) =>
      repeated(500, base.campaigns(account, wednesday, wednesday), (campaign, time) => ({
        ...campaign,
        callsetid: campaign.callsetid + time * apart,
        campaign: `${campaign.campaign} ${time}`,
      })),
  };
  const world = await openWorld({ dataset });
  onTestFinished(() => world.close());
  const { PATH, HOME } = process.env;
  const program = ['--import', `data:text/javascript,${preload}`, path.join(root, 'src/main.ts'), 'run'];
  const run = spawn(process.execPath, program, {
    env: { PATH, HOME, ...world.environment, PAGE_LIMIT: '1000' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { code, stdout, stderr } = await ended(run);
  expect([code, stderr]).toEqual([0, expect.stringContaining('1 mail written')]);
  const [loaded] = await world.query<{ campaigns: number; clients: number }>(
    `select (select count(*)::int from warehouse.campaign_days) as campaigns,
       (select count(*)::int from warehouse.clients) as clients`,
  );
  expect(loaded!.campaigns).toBeGreaterThan(35_000);
  expect(loaded!.clients).toBeGreaterThan(20_000);
  const peak = Number(stdout);
  expect(peak).toBeGreaterThan(0);
  expect(peak).toBeLessThan(allowed);
});
