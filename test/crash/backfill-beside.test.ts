import { beforeAll, describe, expect, it } from 'vitest';
import { disagreements } from '../support/agreement.ts';
import { callsheet, type Ended } from '../support/callsheet.ts';
import { type Contents, readContents } from '../support/contents.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { unquoted } from './kill-points.ts';
import { openNewScene, type Scene } from './scene.ts';

const yesterday = Temporal.Now.plainDateISO('UTC').subtract({ days: 1 });
const days = Array.from({ length: 10 }, (_, ago) => `${yesterday.subtract({ days: ago })}`).reverse();
const backfill = ['backfill', '--from', days[0]!, '--to', days.at(-1)!];
const run = ['run'];

/** Does both at once: neither goes on from its entry in `etl.runs` before the other one is there, too. */
async function together(scene: Scene, commands: readonly string[][], concurrency: string): Promise<Ended[]> {
  const met = Promise.withResolvers<void>();
  let begun = 0;
  const proxy = await startPostgresProxy(scene.environment.DATABASE_URL!, {
    beforeCommit({ statements }) {
      if (/insert into etl\.runs/.test(unquoted(statements[0]!)) && ++begun === commands.length)
        met.resolve();
      return met.promise;
    },
  });
  const environment = { ...scene.environment, DATABASE_URL: proxy.url, CONCURRENCY: concurrency };
  const ended = await Promise.all(commands.map((command) => callsheet(command, environment)));
  await proxy.close();
  expect(begun).toBe(commands.length);
  return ended;
}

/** What the same commands leave that are given one after the other. */
async function inTurn(...commands: string[][]): Promise<Contents> {
  await using scene = await openNewScene();
  for (const command of commands)
    expect(await callsheet(command, scene.environment)).toMatchObject({ code: 0 });
  return await readContents(scene);
}

async function expectRight(scene: Scene, ended: readonly Ended[], contents: Contents): Promise<void> {
  for (const each of ended) expect(each).toMatchObject({ code: 0, stdout: '' });
  expect(await disagreements(scene)).toEqual([]);
  expect(withoutWords(await readContents(scene))).toEqual(withoutWords(contents));
}

/** A digest shows what was loaded when it was built: which of a backfill's days that is depends on who was quicker. */
function withoutWords({ rows, ledger }: Contents): Contents {
  return {
    rows,
    ledger: ledger.map((line) => (line.startsWith('digest ') ? line.split('\n')[0]!.slice(0, 40) : line)),
  };
}

describe('beside a backfill', () => {
  let contents: Contents;
  beforeAll(async () => {
    contents = await inTurn(run, backfill);
  });

  it.each(['1', '8'])(
    'a run mails the digest of its own day once, and both load the same as one after the other (CONCURRENCY=%s)',
    async (concurrency) => {
      await using scene = await openNewScene();
      await expectRight(scene, await together(scene, [run, backfill], concurrency), contents);
      const digests = await scene.query('select day::text, state from etl.digests order by day');
      expect(digests).toEqual(days.map((day) => ({ day, state: day === days.at(-1) ? 'built' : 'skipped' })));
      expect(scene.smtp.received.map((mail) => mail.to[0]).sort()).toEqual([
        'ana@example.com',
        'ben@example.com',
      ]);
    },
  );

  it.each(['1', '8'])(
    'the same backfill on another machine does no harm (CONCURRENCY=%s)',
    async (concurrency) => {
      await using scene = await openNewScene();
      const alone = await inTurn(backfill);
      await expectRight(scene, await together(scene, [backfill, backfill], concurrency), alone);
      const current = await scene.query(`select from etl.windows where state = 'loaded'`);
      expect(current).toHaveLength(3 * days.length);
      expect(scene.smtp.received).toEqual([]);
    },
  );
});
