import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';

const main = path.resolve(import.meta.dirname, '../../bench/main.ts');

it('The bench of the queue measures workers that all load the same, and computes nights of other sizes from it.', async () => {
  const server = inject('postgresAdminUrl');
  const options = ['--only', 'queue', '--runs', '1', '--scale', '0.05', '--server', server];
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...options]);
  const cells = (line: string) => line.split('|').map((cell) => cell.trim());
  const rows = new Map(stdout.split('\n').map((line) => [cells(line)[1], cells(line).slice(2)]));
  for (const who of ['1 worker', '2 workers', '4 workers'])
    expect(Number.parseFloat(rows.get(`${who}, 2 requests at once each`)![0]!)).toBeGreaterThan(0);
  expect(Number.parseFloat(rows.get('thousand 1')![0]!)).toBeGreaterThan(0);
  expect(rows.get('20,000 accounts, 50 ms')).toHaveLength(5);
});
