import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';

const main = path.resolve(import.meta.dirname, '../../bench/queue/main.ts');

it('the bench of the queue measures workers that all leave the same warehouse, and says what follows', async () => {
  const options = [
    '--windows',
    '50',
    '--many',
    '1000',
    '--latency',
    '5',
    '--concurrency',
    '4',
    '--server',
    inject('postgresAdminUrl'),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...options]);
  const cells = (line: string) => line.split('|').map((cell) => cell.trim());
  const rows = new Map(stdout.split('\n').map((line) => [cells(line)[1], cells(line).slice(2)]));
  for (const who of ['1 worker', '2 workers', '4 workers'])
    expect(Number(rows.get(`${who}, 4 requests at once each`)![0])).toBeGreaterThan(0);
  expect(Number(rows.get('1')![0])).toBeGreaterThan(0);
  expect(rows.get('20,000')).toHaveLength(6);
});
