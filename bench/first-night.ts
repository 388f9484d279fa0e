import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { addDays } from '../src/model/day.ts';
import { formatCount } from '../src/support/english.ts';
import { runNight } from '../test/support/nights.ts';
import { type ServiceOptions, startService } from './fixed-responses.ts';
import { environment } from './measure.ts';
import { withPlans } from './plans.ts';
import { keepStatistics, query } from './server.ts';
import { type Line, ratio, type Section } from './tables.ts';
import { type Bench, scaledClients } from './workload.ts';

const sizes = [2_500, 10_000, 40_000, 90_000];
const explainedSize = 20_000;

/** A night, and what the service has by then. */
type Night = {
  readonly name: string;
  readonly accounts: number;
  readonly service: ServiceOptions;
  /** Loads the same weekday of the two weeks before first, so that the digest compares. */
  readonly weeksBefore?: true;
};

/** The first nights of an installation with `count` campaigns or clients. */
type Nights = {
  readonly of: 'campaigns' | 'clients';
  readonly nights: (count: number) => readonly Night[];
};

const ofCampaigns: Nights = {
  of: 'campaigns',
  nights: (campaigns) => [
    { name: 'first night', accounts: 1, service: { campaigns } },
    // All campaigns of the day before have other counts.
    { name: 'all restated', accounts: 1, service: { campaigns, added: 1 }, weeksBefore: true },
  ],
};

const ofClients: Nights = {
  of: 'clients',
  nights: (clients) => {
    const all = { clients, campaigns: 3 };
    const fewer = { clients: clients * 0.6, campaigns: 3 };
    return [
      { name: 'first night', accounts: 1, service: all },
      { name: 'a new account', accounts: 2, service: all },
      { name: 'some missed', accounts: 2, service: fewer },
      { name: 'some absent', accounts: 2, service: fewer },
    ];
  },
};

/**
 * Measures the steps of nights in databases that never get statistics: Postgres plans for a handful of rows there. Nine
 * times the rows should take about nine times as long.
 */
export async function measureFirstNight({ plans, ...bench }: Bench): Promise<Section[]> {
  const sections = [await measureSizes(bench, ofCampaigns), await measureSizes(bench, ofClients)];
  if (plans === undefined) return sections;
  for (const each of [ofCampaigns, ofClients])
    await measureNights({ ...bench, plans }, scaledClients(bench, explainedSize), each);
  return sections;
}

async function measureSizes(bench: Bench, nights: Nights): Promise<Section> {
  const measured: Line[][] = [];
  for (const size of sizes) measured.push(await measureNights(bench, scaledClients(bench, size), nights));
  const [, few, , many] = measured;
  const growth = many!.map(({ what, figures }, night) => {
    const fewer = few![night]!;
    return ratio(`digests: ${what} ÷ ${fewer.what}`, figures.digestsMs!, fewer.figures.digestsMs!, 12);
  });
  const title = `First nights with many ${nights.of}, without statistics`;
  return { title, lines: measured.flat(), targets: growth };
}

async function measureNights(
  { server, plans }: Bench,
  count: number,
  { of, nights }: Nights,
): Promise<Line[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-bench-'));
  const today = Temporal.Now.plainDateISO('UTC');
  const lines = await server.withDatabase(async (url) => {
    await keepStatistics(url);
    const lines: Line[] = [];
    for (const [index, { name, accounts, service: options, weeksBefore }] of nights(count).entries()) {
      const service = await startService(options);
      const listed = Array.from({ length: accounts }, (_, account) => ({ name: `account-${account + 1}` }));
      const place = { serviceUrl: service.url, databaseUrl: url, folder };
      const world = { environment: { ...(await environment(place, listed)), MAX_RESPONSE_MB: '64' } };
      const runDate = addDays(today.toString(), index - 4);
      const days = [addDays(runDate, -15), addDays(runDate, -8)];
      if (weeksBefore) await runNight(world, runDate, {}, { days, digest: false });
      const night = () => runNight(world, runDate);
      if (plans === undefined) await night();
      else await withPlans(url, path.join(plans, `${of}-${index + 1}`), night);
      await service.stop();
      lines.push({ what: `${name}, ${formatCount(count)}`, figures: await stepsOfLastRun(url) });
    }
    return lines;
  });
  await rm(folder, { recursive: true });
  return lines;
}

async function stepsOfLastRun(url: string) {
  const steps = await query(
    url,
    `select step, ms from (select summary from etl.runs order by run_id desc limit 1) r,
       jsonb_to_recordset(summary -> 'steps') as s (step text, ms float8)`,
  );
  const [clientsMs, windowsMs, digestsMs] = ['clients', 'windows', 'digests'].map(
    (name): number => steps.find(({ step }) => step === name).ms,
  );
  return { clientsMs: clientsMs!, windowsMs: windowsMs!, digestsMs: digestsMs! };
}
