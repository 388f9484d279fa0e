import { once } from 'node:events';
import { formatCount, formatCountOf } from '../src/support/english.ts';
import { setUpQueue, startWorker } from '../test/queue/workers.ts';
import { callsheet } from './measure.ts';
import { query } from './server.ts';
import { type Figures, ratio, type Section } from './tables.ts';
import { type Bench, type Contender, daysBack, measureWorkload, scaled } from './workload.ts';

const latencyMs = 50;
const days = daysBack(50);
const command = callsheet('backfill', '--from', days[0]!, '--to', days.at(-1)!);

/**
 * Measures the cost of the queue and the gain by workers. One process, then 1, 2 and 4 workers backfill windows of 20
 * campaigns. 4 workers backfill 20,000 windows, timed by the thousand. Then nights of 2,000 accounts.
 */
export async function measureQueue(bench: Bench): Promise<Section[]> {
  const alone = { name: 'one process, no queue, 8 requests at once', args: command };
  const workers = [1, 2, 4].map((count) => distributed(command, count, 2));
  const few = await measureWindows(bench, 2_400, [alone, ...workers]);
  const [, ofWorker, ...others] = few.lines.map(({ figures }) => figures.windowsPerSecond!);
  const thousands: Figures[] = [];
  const many = await measureWindows(bench, 20_000, [distributed(command, 4, 16, thousands)]);
  const lines = thousands.map((figures, index) => ({ what: `thousand ${index + 1}`, figures }));
  const some = Math.min(5, thousands.length >> 1);
  const sum = (part: readonly Figures[]) => part.reduce((total, { wallMs }) => total + wallMs!, 0);
  const first = sum(thousands.slice(0, some));
  const lastByFirst = ratio(`last ${some} thousands ÷ first ${some}`, sum(thousands.slice(-some)), first);
  const byWorkers = others.map((perSecond, index) =>
    ratio(`${2 * (index + 1)} workers ÷ 1 worker`, ofWorker!, perSecond),
  );
  return [
    { ...few, targets: byWorkers },
    { ...many, lines: [...lines, ...many.lines], targets: some === 0 ? [] : [lastByFirst] },
    ...(await measureNights(bench)),
  ];
}

/** Measures whole nights of 2,000 accounts: lists, windows and the digest. */
async function measureNights(bench: Bench): Promise<Section[]> {
  const accounts = Array.from({ length: scaled(bench, 2_000) }, (_, index) => ({
    name: `account-${index + 1}`,
  }));
  const night = callsheet('run');
  const contenders: readonly Contender[] = [
    { name: 'one process, 8 requests at once', args: night },
    { name: 'one process, 64 requests at once', args: night, settings: { CONCURRENCY: '64' } },
    distributed(night, 4, 16),
  ];
  const sections: Section[] = [];
  for (const latencyMs of [50, 500])
    sections.push(
      ...(await measureWorkload(bench, {
        service: { clients: 20, campaigns: 20, latencyMs },
        accounts,
        passes: [`A night of ${formatCount(accounts.length)} accounts, service takes ${latencyMs} ms`],
        contenders: contenders.map((contender) => ({ ...contender, loads: accounts.length * 40 + 1 })),
      })),
    );
  return sections;
}

async function measureWindows(
  bench: Bench,
  count: number,
  contenders: readonly Contender[],
): Promise<Section> {
  const accounts = Array.from({ length: scaled(bench, count / days.length) }, (_, index) => ({
    name: `account-${index + 1}`,
  }));
  const windows = accounts.length * days.length;
  const [section] = await measureWorkload(bench, {
    service: { campaigns: 20, latencyMs },
    accounts,
    passes: [`Queue: ${formatCount(windows)} windows, service takes ${latencyMs} ms`],
    contenders: contenders.map((contender) => ({ ...contender, loads: windows * 20 })),
  });
  const lines = section!.lines.map(({ what, figures: { wallMs = 0 } }) => ({
    what,
    figures: { wallMs, windowsPerSecond: (windows * 1_000) / wallMs },
  }));
  return { ...section!, lines };
}

/** A command whose windows workers sync; `thousands` receives the time of each thousand windows. */
function distributed(
  args: readonly string[],
  count: number,
  atOnce: number,
  thousands?: Figures[],
): Contender {
  return {
    name: `${formatCountOf(count, 'worker')}, ${atOnce} requests at once each`,
    args: [...args, '--distribute'],
    startHelpers: async (databaseUrl, env) => {
      await setUpQueue(databaseUrl);
      const crew = new AsyncDisposableStack();
      const options = ['--concurrency', String(atOnce)];
      const workers = Array.from({ length: count }, () => crew.use(startWorker(env, ...options)));
      await Promise.all(workers.map(({ child }) => once(child.stderr, 'data')));
      crew.defer(async () => {
        thousands?.splice(0, thousands.length, ...(await readThousands(databaseUrl)));
      });
      return () => crew.disposeAsync();
    },
  };
}

async function readThousands(databaseUrl: string): Promise<Figures[]> {
  return await query(
    databaseUrl,
    `select extract(epoch from max(synced_at) - min(synced_at))::float8 * 1000 as "wallMs"
     from (select synced_at, (row_number() over (order by synced_at) - 1) / 1000 as thousand from etl.windows) w
     group by thousand having count(*) = 1000 order by thousand`,
  );
}
