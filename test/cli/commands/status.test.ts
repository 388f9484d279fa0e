import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addProblems, fill } from '../../server/fill.ts';
import { callsheet } from '../../support/callsheet.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
const zone = { TIME_ZONE: 'Asia/Kathmandu' };
const status = (flags: readonly string[], settings: World['environment'] = {}) =>
  callsheet(['status', ...flags], { ...world.environment, ...zone, ...settings });

beforeAll(async () => {
  world = await openWorld();
  await fill({ ...world, problems: [] } as never, ['valley', 'coast']);
  await addProblems({ ...world } as never, 'valley');
  await writeFile('/tmp/cli18w/80.txt', (await status([])).stdout);
  await writeFile('/tmp/cli18w/120.txt', (await status([], { COLUMNS: '120' })).stdout);
  await writeFile('/tmp/cli18w/json.txt', (await status(['--json'], { COLUMNS: '120' })).stdout);
});
afterAll(() => world.close());

it('x', () => {});
