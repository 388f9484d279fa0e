import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { backfill } from '../../src/job/backfill.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { callsheet } from '../support/callsheet.ts';
import { atInstant, never, runNight } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const one = (name: string) => ({
  ACCOUNTS_FILE: '',
  SIDTOKEN: generateDataset().accounts.find((each) => each.name === name)!.token,
  ACCOUNT_NAME: name,
});

/** Settings with these digests, all over every account. */
async function withDigests(...names: string[]): Promise<World['environment']> {
  const file = path.join(world.folder, `digests-${names.join('-')}.json`);
  await writeFile(file, JSON.stringify(names.map((name) => ({ name, to: 'ana@example.com' }))));
  return { DIGEST_TO: '', DIGESTS_FILE: file };
}

const fill = (day: string, from: string, to: string, settings: World['environment']) =>
  atInstant(
    world,
    `${day}T02:00:00Z`,
    (app) => backfill(app, { command: 'backfill', from, to, accounts: null }, never),
    settings,
  );

const built = async () =>
  (
    await world.query<{ line: string }>(
      `select name || ' ' || day || ' ' || case when mail_id is null then 'skipped' else 'built' end as line
       from etl.mailed_periods where day > '2026-03-01' group by name, day, mail_id is null order by 1`,
    )
  ).map(({ line }) => line);
const retired = async () =>
  (
    await world.query<{ name: string }>(
      'select name from warehouse.accounts where last_expected_day is not null order by 1',
    )
  ).map(({ name }) => name);

describe('a process with other settings than the nightly run', () => {
  it('leaves the digests that it does not know alone, and the night mails them', async () => {
    world = await openWorld();
    const nightly = await withDigests('Campaigns');
    const others = await withDigests('Weekly');
    await runNight(world, '2026-03-02', nightly);
    // A backfill at two in the morning loads what the night's digest is about.
    await fill('2026-03-03', '2026-03-02', '2026-03-02', others);
    await runNight(world, '2026-03-03', nightly);
    expect(await built()).toEqual(['Campaigns 2026-03-02 built']);
    // The other one goes on where it began.
    await runNight(world, '2026-03-04', others, { days: ['2026-03-03'] });
    expect(await built()).toEqual([
      'Campaigns 2026-03-02 built',
      'Weekly 2026-03-02 built',
      'Weekly 2026-03-03 built',
    ]);
    await runNight(world, '2026-03-04', nightly);
    expect((await built()).filter((line) => line.startsWith('C'))).toEqual([
      'Campaigns 2026-03-02 built',
      'Campaigns 2026-03-03 built',
    ]);
  });

  it('leaves the accounts that it does not know alone: only a whole nightly run retires one, and says so', async () => {
    world = await openWorld();
    await runNight(world, '2026-03-02');
    await fill('2026-03-03', '2026-02-27', '2026-02-28', one('north'));
    await runNight(world, '2026-03-03', one('north'), { days: ['2026-03-01'] });
    await runNight(world, '2026-03-03', one('north'), { accounts: ['north'] });
    expect(await retired()).toEqual([]);
    const { stderr } = await callsheet(['run'], { ...world.environment, ...one('north') });
    expect(await retired()).toEqual(['coast', 'valley']);
    // Postgres returns them in the order in which it finds them.
    expect(stderr.match(/\w+: no longer in the settings: retired/g)!.toSorted()).toEqual([
      'coast: no longer in the settings: retired',
      'valley: no longer in the settings: retired',
    ]);
  });
});
