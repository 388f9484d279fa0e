import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import type { Growth, Section } from '../../bench/tables.ts';

const main = path.resolve(import.meta.dirname, '../../bench/main.ts');
const bench = (...args: string[]) => promisify(execFile)(process.execPath, [main, ...args]);

describe('the bench', () => {
  it('measures a whole night beside loaders and floors, and checks that each of them did its work', async () => {
    const server = inject('postgresAdminUrl');
    const { stdout } = await bench('--only', 'W4', '--runs', '1', '--json', '--server', server);
    const [section] = (JSON.parse(stdout) as { W4: Section[] }).W4;
    expect(section!.lines.map(({ what }) => what)).toEqual([
      'Callsheet',
      'hand-written, an INSERT a row',
      'hand-written, unnest by response',
      'floor: node -e 0',
      'floor: Node, importing pg',
      'floor: Node, importing pg, kysely, ky, zod',
      'floor: Node, importing what a run needs',
    ]);
    for (const { figures } of section!.lines) {
      expect(figures.cpuMs).toBeGreaterThan(0);
      expect(figures.wallMs).toBeGreaterThan(0);
      expect(figures.peakMB).toBeGreaterThan(10);
    }
    const [ours, , unnest] = section!.lines;
    expect(section!.targets[0]!.value).toBeCloseTo(ours!.figures.wallMs! / unnest!.figures.wallMs!);
  });

  it('measures nights, status, page, scrape and outages of several numbers of accounts', async () => {
    const server = inject('postgresAdminUrl');
    const scale = ['--runs', '1', '--scale', '0.002'];
    const { stdout } = await bench('--only', 'accounts', ...scale, '--json', '--server', server);
    const [growth] = (JSON.parse(stdout) as { accounts: Growth[] }).accounts;
    expect(growth!.sizes).toEqual([1, 2, 4]);
    const valuesOf = (name: string) => growth!.lines.find(({ what }) => what === name)!.values;
    expect(valuesOf('equal accounts: alerts')).toEqual([0, 1, 1]);
    for (const { what, values } of growth!.lines.filter((line) => !line.what.startsWith('equal'))) {
      expect(values, what).toHaveLength(3);
      for (const value of values) expect(value, what).toBeGreaterThan(0);
    }
  });

  it('rejects an unknown part, and lists the known ones', async () => {
    const refused = await bench('--only', 'W9').catch((error) => error);
    expect(refused).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/--only .*'W9' is invalid\. There are W1, W2/),
    });
  });
});
