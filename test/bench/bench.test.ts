import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import type { Section } from '../../bench/report.ts';

const main = path.resolve(import.meta.dirname, '../../bench/main.ts');
const bench = (...args: string[]) => promisify(execFile)(process.execPath, [main, ...args]);

describe('the bench', () => {
  it('measures a whole night beside the loaders and the floors, each of which did its work', async () => {
    const server = inject('postgresAdminUrl');
    const { stdout } = await bench('--only', 'W4', '--runs', '1', '--json', '--server', server);
    const [section] = (JSON.parse(stdout) as { app: { W4: Section[] } }).app.W4;
    expect(section!.lines.map(({ what }) => what)).toEqual([
      'Callsheet',
      'hand-written, an INSERT a row',
      'hand-written, unnest by answer',
      'floor: node -e 0',
      'floor: Node, importing pg',
    ]);
    for (const { figures } of section!.lines) {
      expect(figures.cpuMs).toBeGreaterThan(0);
      expect(figures.wallMs).toBeGreaterThan(0);
      expect(figures.peakMB).toBeGreaterThan(10);
    }
    const [ours, , unnest] = section!.lines;
    expect(section!.targets[0]!.value).toBeCloseTo(ours!.figures.wallMs! / unnest!.figures.wallMs!);
  });

  it('says what may be asked of it when it is asked for something else', async () => {
    const refused = await bench('--only', 'W9').catch((error) => error);
    expect(refused).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('--only W9: there are W1, W2'),
    });
  });
});
