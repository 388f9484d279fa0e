import { expect, it } from 'vitest';
import { disagreements } from '../support/agreement.ts';
import { callsheet, ended, startCallsheet } from '../support/callsheet.ts';
import { type Contents, readContents } from '../support/contents.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { openWorld } from '../support/world.ts';
import { killPointsWithin, unquoted } from './kill-points.ts';
import { expectNothingHalf, killAt, runUndisturbed } from './killing.ts';
import { openNewScene, openScene } from './scene.ts';

const yesterday = Temporal.Now.plainDateISO('UTC').subtract({ days: 1 });
const days = Array.from({ length: 10 }, (_, ago) => `${yesterday.subtract({ days: ago })}`).reverse();
const backfill = ['backfill', '--from', days[0]!, '--to', days.at(-1)!];

/** Does both at once: neither goes on from its entry in `etl.runs` before the other one is there, too. */
async function together(commands: readonly string[][]) {
  const scene = await openNewScene();
  const met = Promise.withResolvers<void>();
  let begun = 0;
  const proxy = await startPostgresProxy(scene.environment.DATABASE_URL!, {
    beforeCommit({ statements }) {
      if (/insert into etl\.runs/.test(unquoted(statements[0]!)) && ++begun === commands.length)
        met.resolve();
      return met.promise;
    },
  });
  const environment = { ...scene.environment, DATABASE_URL: proxy.url };
  for (const each of await Promise.all(commands.map((command) => callsheet(command, environment))))
    expect(each).toMatchObject({ code: 0, stdout: '' });
  await proxy.close();
  expect(await disagreements(scene)).toEqual([]);
  return scene;
}

/** What the same commands leave that are given one after the other. */
async function inTurn(...commands: string[][]): Promise<Contents> {
  await using scene = await openNewScene();
  for (const command of commands)
    expect(await callsheet(command, scene.environment)).toMatchObject({ code: 0 });
  return await readContents(
    scene,
    commands.some(([name]) => name === 'run'),
  );
}

/** A digest shows what was loaded when it was built: which of a backfill's days that is depends on who was quicker. */
function withoutWords({ ledger, ...rows }: Contents): Contents {
  return {
    ...rows,
    ledger: ledger.map((line) => (line.startsWith('mail ') ? line.split('\n')[0]!.slice(0, 33) : line)),
  };
}

it('beside a backfill, a run mails its own day once, and both load the same as one after the other', async () => {
  await using scene = await together([['run'], backfill]);
  const contents = withoutWords(await readContents(scene));
  expect(contents).toEqual(withoutWords(await inTurn(['run'], backfill)));
  const digests =
    await scene.query(`select distinct day::text, case when mail_id is null then 'skipped' else 'built' end as state
     from etl.mailed_periods order by day`);
  expect(digests).toEqual(days.map((day) => ({ day, state: day === days.at(-1) ? 'built' : 'skipped' })));
  expect(scene.smtp.received.map((mail) => mail.to[0]).sort()).toEqual([
    'ana@example.com',
    'ben@example.com',
  ]);
});

it('the same backfill on another machine at the same time loads each day once', async () => {
  await using scene = await together([backfill, backfill]);
  expect(await readContents(scene, false)).toEqual(await inTurn(backfill));
  expect(scene.smtp.received).toEqual([]);
});

it('a backfill that is killed leaves no day half loaded, and the same command requests only the days that are left', async () => {
  const past = ['backfill', '--from', '2026-03-01', '--to', '2026-03-10'];
  const inOrder = { CONCURRENCY: '1' };
  const undisturbed = await runUndisturbed(inOrder, past);
  for (const { title, killPoint } of killPointsWithin(undisturbed.commits)) {
    await using scene = await openScene();
    const environment = { ...scene.environment, ...inOrder };
    await killAt(killPoint, past, environment);
    await expectNothingHalf(scene, undisturbed);
    const requested = scene.simulator.journal.length;
    const loaded = await scene.query(`select from etl.windows where state = 'loaded'`);
    expect(await callsheet(past, environment)).toMatchObject({ code: 0, stdout: '' });
    expect(scene.simulator.journal.length - requested, title).toBe(30 - loaded.length);
    expect(await readContents(scene, false), title).toEqual(undisturbed.contents);
  }
});

it('a backfill that gets SIGTERM loads responses in flight, and soon gives up on one that never arrives', async () => {
  const requested: string[] = [];
  const bothRequested = Promise.withResolvers<void>();
  const response = Promise.withResolvers<void>();
  const world = await openWorld({
    // The first request of an account goes alone. Of the next two, one gets its response after the signal, and the other one never does.
    intercept: async ({ params }) => {
      requested.push(params.get('startdate')!);
      if (requested.length === 1) return undefined;
      if (requested.length === 3) bothRequested.resolve();
      await (requested.length === 2 ? response.promise : new Promise(() => {}));
      return undefined;
    },
  });
  const range = ['--from', '2026-03-01', '--to', '2026-03-20', '--account', 'valley'];
  const child = startCallsheet(['backfill', ...range], { ...world.environment, CONCURRENCY: '2' });
  const ending = ended(child);
  await bothRequested.promise;
  child.kill('SIGTERM');
  response.resolve();
  expect(await ending).toMatchObject({ code: 143 });
  expect(requested[0]).toBe('03-20-2026');
  // Two connections: the server may see either request first.
  expect(requested.slice(1).toSorted()).toEqual(['03-18-2026', '03-19-2026']);
  const loaded = await world.query(`select day::text from etl.windows where state = 'loaded' order by day`);
  expect(loaded).toEqual([
    { day: requested[1] === '03-19-2026' ? '2026-03-19' : '2026-03-18' },
    { day: '2026-03-20' },
  ]);
  expect(await world.query('select outcome from etl.runs')).toEqual([{ outcome: 'interrupted' }]);
  await world.close();
});
