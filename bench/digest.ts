import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { formatCount } from '../src/support/english.ts';
import { callsheet } from './measure.ts';
import { fillWarehouse } from './server.ts';
import { ratio, type Section } from './tables.ts';
import { type Bench, daysBack, measureWorkload, scaled } from './workload.ts';

/** Measures the memory of a digest of 1,000,000 rows, mailed and previewed. Over 1.3 times that of 10,000 sets exit code 1. */
export async function measureDigest(bench: Bench): Promise<Section[]> {
  const accounts = [{ name: 'account-1' }, { name: 'account-2' }];
  const days = daysBack(20);
  const measured = [10_000, scaled(bench, 1_000_000)].map((rows) => ({ rows, day: days.pop()! }));
  const [few, many] = measured.map(({ rows }) => `${formatCount(rows)} rows`) as [string, string];
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-bench-'));
  const sections = await bench.server.withDatabase(async (url) => {
    await fillWarehouse(url, accounts.length, days, 100);
    for (const { rows, day } of measured) await fillWarehouse(url, 0, [day], rows / accounts.length);
    const measureWay = (title: string, ...options: string[]) =>
      // Only one run: a digest that was sent isn't built again.
      measureWorkload(
        { ...bench, runs: 1 },
        {
          service: {},
          accounts,
          passes: [title],
          contenders: measured.map(({ day }, index) => ({
            name: [few, many][index]!,
            args: callsheet('digest', '--day', day, ...options),
            database: async () => url,
          })),
          targets: (of) => [ratio(`peak ÷ peak of ${few}`, of(many).peakMB!, of(few).peakMB!, 1.3)],
        },
      );
    const mailed = await measureWay('Digest: mailed');
    return [...mailed, ...(await measureWay('Digest: previewed', '--preview', folder))];
  });
  await rm(folder, { recursive: true });
  if (sections.some(({ targets }) => targets[0]!.value > 1.3)) process.exitCode = 1;
  return sections;
}
