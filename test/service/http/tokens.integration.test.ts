import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { runNight } from '../../support/nights.ts';
import { openWorld } from '../../support/world.ts';

it('a token in a file that is rotated in the middle of a run heals by itself', async () => {
  const [north] = generateDataset().accounts;
  let file = '';
  const world = await openWorld({
    variants: ['token-expires'],
    tokens: { north: ['a-rotated-token'] },
    intercept: ({ operation, nth }) => {
      if (operation === 'getClients' && nth === 5) writeFileSync(file, 'a-rotated-token\n');
      return undefined;
    },
  });
  file = path.join(world.folder, 'sidtoken');
  writeFileSync(file, `${north!.token}\n`);
  const settings = { ACCOUNTS_FILE: '', ACCOUNT_NAME: 'north', SIDTOKEN_FILE: file, CONCURRENCY: '1' };
  expect(await runNight(world, '2026-03-03', settings)).toMatchObject({
    exitCode: 0,
    stats: { failures: [] },
  });
  expect(await world.query('select from warehouse.clients')).toHaveLength(620);
  await world.close();
});
