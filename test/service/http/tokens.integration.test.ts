import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { callsheet } from '../../support/callsheet.ts';
import { openWorld, type World } from '../../support/world.ts';

describe('a token in a file', () => {
  let world: World | undefined;
  afterEach(() => world?.close());

  it('that is rotated in the middle of a run heals by itself', async () => {
    const [north] = generateDataset().accounts;
    let file = '';
    world = await openWorld({
      variants: ['token-expires'],
      tokens: { north: ['a-rotated-token'] },
      intercept: ({ operation, nth }) => {
        if (operation === 'getClients' && nth === 5) writeFileSync(file, 'a-rotated-token\n');
        return undefined;
      },
    });
    file = path.join(world.folder, 'sidtoken');
    writeFileSync(file, `${north!.token}\n`);
    const { ACCOUNTS_FILE: _, ...rest } = world.environment;
    const environment = { ...rest, SIDTOKEN_FILE: file, CONCURRENCY: '1' };
    const { code, stderr } = await callsheet(['run', '--day', '2026-03-02'], environment);
    expect(code).toBe(0);
    expect(await world.query('select count(*)::int as clients from warehouse.clients')).toEqual([
      { clients: 620 },
    ]);
    expect(stderr).not.toContain('a-rotated-token');
  });
});
