import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { formatCount } from '../src/support/english.ts';
import { callsheet, environment, measure } from './measure.ts';
import { fillWarehouse, query } from './server.ts';
import { type Line, ratio, type Section } from './tables.ts';
import { type Bench, daysBack, scaled } from './workload.ts';

/** Measures what `forget` of one of three accounts writes, without `--yes` and with it, next to a command that reads alone. */
export async function measureForget(bench: Bench): Promise<Section[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-bench-'));
  const [days, campaigns] = [daysBack(30), scaled(bench, 5_000)];
  const forget = callsheet('forget', '--account', 'account-3');
  const commands = {
    'migrate --status': callsheet('migrate', '--status'),
    'forget, which counts': forget,
    'forget --yes': [...forget, '--yes'],
  };
  const lines: Line[] = [];
  await bench.server.withDatabase(async (url) => {
    await fillWarehouse(url, 3, days, campaigns);
    const place = { serviceUrl: 'http://127.0.0.1:9', databaseUrl: url, folder };
    const env = await environment(place, [{ name: 'account-1' }, { name: 'account-2' }]);
    for (const [what, command] of Object.entries(commands)) {
      const before = await writtenBytes(url);
      const { wallMs, cpuMs } = await measure(command, env);
      const figures = { wallMs: wallMs!, cpuMs: cpuMs!, walBytes: (await writtenBytes(url)) - before };
      lines.push({ what, figures });
    }
  });
  await rm(folder, { recursive: true });
  const [reading, counting] = lines.map(({ figures }) => figures.wallMs!) as [number, number];
  return [
    {
      title: `Forget: ${days.length} days of ${formatCount(campaigns)} campaigns`,
      lines,
      targets: [
        ratio('forget ÷ migrate --status', counting, reading),
        { what: 'WAL of a count', value: lines[1]!.figures.walBytes! / 1e6, unit: 'MB', atMost: 1 },
      ],
    },
  ];
}

async function writtenBytes(url: string): Promise<number> {
  const [{ bytes }] = await query(
    url,
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`,
  );
  return bytes;
}
