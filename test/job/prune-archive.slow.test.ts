import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callsheet } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

/** Two days of one account are loaded; of their bodies, only those remain that the second run fetches again. */
let world: World;
beforeEach(async () => {
  world = await openWorld();
  expect(await run('--from', '2026-03-01', '--to', '2026-03-02')).toMatchObject({ code: 0 });
});
afterEach(() => world.close());

// Nothing is looked at of its mail.
const night = ['run', '--account', 'valley', '--no-digest'];
const run = (...more: string[]) => callsheet([...night, ...more], world.environment);
const replay = (from: string, to: string) =>
  callsheet(['replay', '--from', from, '--to', to], world.environment);

const pruned = async (days: string) => {
  await world.query(`update etl.response_bodies set referenced_at = referenced_at - interval '3 days'`);
  const ended = await callsheet([...night, '--day', '2026-03-02'], {
    ...world.environment,
    ARCHIVE_DAYS: days,
  });
  expect(ended).toMatchObject({ code: 0 });
  return ended.stderr.split('\n').filter((line) => line.includes('"archive: '));
};

const archived = async () =>
  await world.query<{ what: string; kept: boolean }>(
    `select distinct coalesce(day::text, 'clients') as what, b.sha256 is not null as kept
     from etl.responses left join etl.response_bodies b using (sha256) order by 1`,
  );

const warnings = (stderr: string) =>
  stderr
    .split('\n')
    .filter((line) => line.includes('"level":"warn"'))
    .map((line) => JSON.parse(line).msg);

describe('a run, at its end,', () => {
  it('deletes response bodies not referenced for ARCHIVE_DAYS, and logs that', async () => {
    expect(await pruned('2')).toEqual([
      expect.stringMatching(/"archive: 1 body deleted \(\d+ kB\), not referenced for 2 days"/),
    ]);
    expect(await archived()).toEqual([
      { what: '2026-03-01', kept: false },
      { what: '2026-03-02', kept: true },
      { what: 'clients', kept: true },
    ]);
  });

  it('deletes none before that, nor without the setting, and logs nothing', async () => {
    expect(await pruned('4')).toEqual([]);
    expect(await pruned('')).toEqual([]);
    expect((await archived()).map(({ kept }) => kept)).toEqual([true, true, true]);
  });
});

describe('a replay', () => {
  const spoil = async () => {
    await world.query(`update etl.campaign_days set campaign = 'spoilt'`);
    await world.query(`update warehouse.clients set name = 'spoilt'`);
  };
  const spoilt = async () => {
    const rows = await world.query<{ what: string }>(
      `select distinct day::text as what from etl.campaign_days where campaign = 'spoilt'
       union select 'clients' from warehouse.clients where name = 'spoilt' order by 1`,
    );
    return rows.map(({ what }) => what);
  };

  it('leaves a day whose body is deleted as it is, logs that, and rebuilds the others', async () => {
    await pruned('2');
    await spoil();
    const ended = await replay('2026-03-01', '2999-12-31');
    expect(ended).toMatchObject({ code: 0 });
    expect(await spoilt()).toEqual(['2026-03-01']);
    expect(warnings(ended.stderr)).toEqual([
      '2026-03-01 valley: not all of its responses are archived: it stays as it is',
    ]);
  });

  it('of some days leaves clients as they are, and logs that', async () => {
    await spoil();
    const ended = await replay('2026-03-01', '2026-03-02');
    expect(ended).toMatchObject({ code: 0 });
    expect(await spoilt()).toEqual(['clients']);
    expect(warnings(ended.stderr)).toEqual([
      expect.stringMatching(/^valley: its clients stay as they are: they were walked from \S+ to \S+$/),
    ]);
  });
});
