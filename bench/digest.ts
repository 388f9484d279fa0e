import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { formatCount } from '../src/support/english.ts';
import { callsheet } from './measure.ts';
import { fillWarehouse } from './server.ts';
import { ratio, type Section } from './tables.ts';
import { type Bench, daysBack, measureWorkload, scaled } from './workload.ts';

/** The memory of a digest of 1,000,000 rows, mailed and previewed, beside one of 10,000: over 1.3 times is exit code 1. */
export async function measureDigest(bench: Bench): Promise<Section[]> {
  const accounts = [{ name: 'account-1' }, { name: 'account-2' }];
  const days = daysBack(20);
  const measured = [10_000, scaled(bench, 1_000_000)].map((rows, index) => ({
    rows,
    day: days.at(index - 2)!,
  }));
  const names = measured.map(({ rows }) => `${formatCount(rows)} rows`);
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-bench-'));
  const measureWay = (url: string, title: string, ...options: string[]) =>
    measureWorkload(
      // Once: a digest that is sent isn't built anew.
      { ...bench, runs: 1 },
      {
        service: {},
        accounts,
        passes: [title],
        contenders: measured.map(({ day }, index) => ({
          name: names[index]!,
          args: callsheet('digest', '--day', day, ...options),
          database: async () => url,
        })),
        targets: (of) => [
          ratio(`peak ÷ peak of ${names[0]}`, of(names[1]!).peakMB!, of(names[0]!).peakMB!, 1.3),
        ],
      },
    );
  const sections = await bench.server.withDatabase(async (url) => {
    await fillWarehouse(url, accounts.length, days.slice(0, -2), 100);
    for (const { rows, day } of measured) await fillWarehouse(url, 0, [day], rows / accounts.length);
    return [
      ...(await measureWay(url, 'Digest: mailed')),
      ...(await measureWay(url, 'Digest: previewed', '--preview', folder)),
    ];
  });
  await rm(folder, { recursive: true });
  if (sections.some(({ targets }) => targets[0]!.value > 1.3)) process.exitCode = 1;
  return sections;
}
