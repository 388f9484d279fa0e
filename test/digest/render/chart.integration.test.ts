import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

test('a process that drew a chart ends', async () => {
  const script = `
    import { drawChart } from './src/digest/render/chart.ts';
    import { createFormat } from './src/digest/format.ts';
    await drawChart([{ day: '2026-11-19', sums: null, connectRate: null, incomplete: false, emphasised: true }], createFormat('en-GB', 'UTC'));`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    timeout: 60_000,
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
});
