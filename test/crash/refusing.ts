import { expect, it } from 'vitest';
import { examineDatabase } from '../../src/warehouse/schema/examine.ts';
import { isBefore, type Outage } from '../schedule/outage.ts';
import { keepUp } from '../schedule/simulated-time.ts';
import { readServed } from '../server/served.ts';
import { disagreements } from '../support/agreement.ts';
import { command } from '../support/command.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { startWatchdog } from '../support/watchdog.ts';

/** An installation whose database refuses writes from `refuse` until `accept`. */
export type Refusing = {
  readonly outage: Outage;
  /** The way to its database. */
  readonly url: string;
  refuse(): Promise<void>;
  accept(): Promise<void>;
  /** What another process reads off it; null if only a write shows it. */
  readonly refusal: string | null;
};

const noon = '2026-03-02T12:00:00Z';
const alertTo = { ALERT_TO: 'ops@example.com' };
/** Runs at 06:30, 06:31, 06:33, 06:38 and 06:48. */
const fiveRuns = { RETRY_FOR: '20m' };

/** A database that refuses writes before a run, and in the middle of one. */
export function itIsARun(open: () => Promise<Refusing>): void {
  it('until the run has been retried three times costs nothing, and alerts nobody', async () => {
    const refusing = await open();
    const { outage, url, refuse, accept } = refusing;
    const { world, time, settings, mails, runs, digests } = outage;
    await using watchdog = await startWatchdog();
    const served: unknown[] = [];
    await refuse();
    await keepUp(
      world,
      { ...settings, ...alertTo, DATABASE_URL: url, HEALTHCHECK_URL: watchdog.url },
      time,
      noon,
      async (_, app) => {
        if (`${time.now}` === '2026-03-02T06:35:00Z') {
          served.push(await readServed(app));
          await accept();
        }
        if (`${time.now}` === '2026-03-02T07:00:00Z') served.push(await readServed(app));
      },
    );
    expect(mails).toEqual(['02T06:38 ana', '02T06:38 ben']);
    // Of those that couldn't begin, the last has a row. Its number says how often one was started.
    expect(await runs()).toMatchObject([
      { runDate: '2026-03-02', number: 3, outcome: 'failed' },
      { runDate: '2026-03-02', number: 4, outcome: 'done' },
    ]);
    expect(await digests()).toEqual(['2026-03-01 first complete']);
    expect(watchdog.pings.map((ping) => ping.path)).toEqual(['/start', '']);
    expect(served).toMatchObject([
      servedMeanwhile(refusing),
      { ready: 200, headline: expect.stringMatching(/^All good/), alerts: [], isUp: 1 },
    ]);
  });

  it('for longer than RETRY_FOR is alerted once, by the last of the runs, on every surface until it is over, and its end by the next', async () => {
    const refusing = await open();
    const { outage, url, refuse, accept, refusal } = refusing;
    const { world, time, settings, mails, subjects, bodies, runs } = outage;
    await using watchdog = await startWatchdog();
    const watched = {
      ...settings,
      ...fiveRuns,
      ...alertTo,
      DATABASE_URL: url,
      HEALTHCHECK_URL: watchdog.url,
    };
    await refuse();
    let isRefused = true;
    await keepUp(world, watched, time, '2026-03-03T07:00:00Z', async (_, app) => {
      if (isBefore(time.now, '2026-03-02T20:00:00Z') || !isRefused) return;
      expect(await runs()).toEqual([]);
      expect(watchdog.pings.map((ping) => ping.path)).toEqual(['/start', '/69']);
      expect(watchdog.pings.at(-1)!.body).toContain(causeInShort(refusing));
      expect(await readServed(app)).toMatchObject({
        headline: expect.stringContaining(causeInShort(refusing)),
        alerts: expect.arrayContaining(['RUN_FAILED']),
      });
      if (refusal !== null) await expectRefusal(outage, refusal);
      isRefused = false;
      await accept();
    });
    expect(mails).toEqual(['02T06:48 ops', '03T06:30 ana', '03T06:30 ben', '03T06:30 ops']);
    expect(subjects().at(0)).toContain(`run failed: ${causeInShort(refusing)}`);
    expect(bodies().at(0)).toContain(causeAlerted(refusing));
    expect(subjects().at(-1)).toContain('all clear');
    expect(watchdog.pings.map((ping) => ping.path)).toEqual(['/start', '/69', '/start', '']);
    expect(await runs()).toMatchObject([
      { runDate: '2026-03-02', number: 5, outcome: 'failed' },
      { runDate: '2026-03-03', number: 1, outcome: 'done' },
    ]);
    expect(await disagreements(world)).toEqual([]);
  });

  it('in the middle of a run, for five minutes, costs nothing: a retry goes on, and nobody is alerted', async () => {
    const refusing = await open();
    const { world, time, settings, mails, digests, runs } = refusing.outage;
    await using way = await startRefusing(refusing);
    await keepUp(world, { ...settings, ...alertTo, DATABASE_URL: way.url }, time, noon, async (_, app) => {
      await way.turned();
      if (`${time.now}` !== '2026-03-02T06:35:00Z') return;
      // The runs of 06:31 and 06:33 have met a database that reads.
      expect(await readServed(app)).toMatchObject(servedMeanwhile(refusing));
      await refusing.accept();
    });
    expect(mails).toEqual(['02T06:38 ana', '02T06:38 ben']);
    expect(await digests()).toEqual(['2026-03-01 first complete']);
    expect((await runs()).at(-1)).toMatchObject({ number: 4, runDate: '2026-03-02', outcome: 'done' });
    expect(await disagreements(world)).toEqual([]);
  });

  it('in the middle of a run, for longer than RETRY_FOR, is one alert by the last of its runs, and one end', async () => {
    const refusing = await open();
    const { world, time, settings, mails, subjects, bodies, runs, digests } = refusing.outage;
    await using way = await startRefusing(refusing);
    const watched = { ...settings, ...fiveRuns, ...alertTo, DATABASE_URL: way.url };
    await keepUp(world, watched, time, '2026-03-03T07:00:00Z', async () => {
      await way.turned();
      if (`${time.now}` === '2026-03-02T20:00:00Z') await refusing.accept();
    });
    expect(mails).toEqual(['02T06:48 ops', '03T06:30 ana', '03T06:30 ben', '03T06:30 ops']);
    expect(subjects().at(0)).toContain(`run failed: ${causeInShort(refusing)}`);
    expect(bodies().at(0)).toContain(causeAlerted(refusing));
    expect(subjects().at(-1)).toContain('all clear');
    expect((await runs())[0]).toMatchObject({ runDate: '2026-03-02', number: 1, outcome: 'failed' });
    expect((await runs()).at(-1)).toMatchObject({ runDate: '2026-03-03', outcome: 'done' });
    expect(await digests()).toEqual(['2026-03-02 first complete']);
    expect(await disagreements(world)).toEqual([]);
  });
}

const causeAlerted = ({ refusal }: Refusing) =>
  refusal === null ? 'No space left on device' : 'The database is read-only';

const causeInShort = ({ refusal }: Refusing) => (refusal === null ? 'database full' : 'database read-only');

/** What a schedule serves while its database can be read, and refuses writes. */
const servedMeanwhile = (refusing: Refusing) => ({
  ready: refusing.refusal === null ? 200 : 503,
  headline: expect.stringContaining(`run failed: ${causeInShort(refusing)}`),
  alerts: expect.arrayContaining(['RUN_FAILED']),
  isUp: 1,
});

/**
 * A way to the database that refuses while the first window is committed. The cut ends the run before the database
 * has turned: let no time pass until `turned` resolves, or it accepts before it refuses.
 */
async function startRefusing({ outage: { world, time }, url, refuse }: Refusing) {
  let turning: Promise<void> | null = null;
  async function turn(): Promise<void> {
    // As the database's clock has it.
    await world.query('update etl.runs set started_at = $1', [`${time.now}`]);
    await refuse();
  }
  const proxy = await startPostgresProxy(url, {
    async beforeCommit({ statements }) {
      if (turning !== null || !statements.some((text) => text.includes('first_loaded_at'))) return;
      turning = turn();
      await turning;
    },
  });
  return {
    url: proxy.url,
    turned: async () => await turning,
    [Symbol.asyncDispose]: proxy.close,
  };
}

/** What other processes say of it, each for itself. */
async function expectRefusal({ world }: Outage, refusal: string): Promise<void> {
  expect(await command(['migrate'], world.environment)).toMatchObject({
    code: 69,
    stderr: expect.stringContaining(refusal),
  });
  expect(await command(['status'], world.environment)).toMatchObject({
    code: 75,
    stdout: expect.stringMatching(new RegExp(refusal, 'i')),
  });
  expect(await examineDatabase(world.databaseUrl)).toContainEqual(
    expect.objectContaining({
      subject: 'schema',
      status: 'error',
      exitCode: 69,
      message: expect.stringContaining(refusal),
    }),
  );
}
