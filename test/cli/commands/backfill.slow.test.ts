import { once } from 'node:events';
import { createInterface } from 'node:readline';
import pino from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { logReport } from '../../../src/cli/context.ts';
import { backfill } from '../../../src/job/backfill.ts';
import { nightly } from '../../../src/job/nightly.ts';
import type { AppContext } from '../../../src/job/run/app-context.ts';
import type { RunReport } from '../../../src/job/run/run.ts';
import { Interrupted } from '../../../src/model/exit-code.ts';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { disagreements } from '../../support/agreement.ts';
import { startCallsheet } from '../../support/callsheet.ts';
import { contextOf, never, undated } from '../../support/nights.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
afterEach(() => world.close());

const tokenOf = (name: string) => generateDataset().accounts.find((each) => each.name === name)!.token;
const unavailable = { status: 503, body: 'maintenance' };
const settings = () => ({ ...world.environment, CONCURRENCY: '3', RETRIES: '0' });

/** Does that on the eleventh of March, and gives its exit code and the lines of its log. */
async function logged(work: (app: AppContext) => Promise<RunReport>) {
  const lines: { level: string; msg: string }[] = [];
  const log = pino(
    { base: null, formatters: { level: (level) => ({ level }) } },
    { write: (line) => void lines.push(JSON.parse(line)) },
  );
  const app = contextOf(settings(), () => Temporal.Instant.from('2026-03-11T06:30:00Z'), log);
  const report = await work(app).finally(() => app.warehouse.destroy());
  logReport(log, report);
  const of = (level: string) => lines.filter((line) => line.level === level).map(({ msg }) => msg);
  return {
    code: report.exitCode,
    infos: of('info'),
    errors: of('error'),
    warnings: of('warn'),
    last: lines.at(-1)!.msg,
  };
}

/** Thirty windows. */
const request = { command: 'backfill', from: '2026-03-01', to: '2026-03-10', accounts: null };
const fill = () => logged((app) => backfill(app, request, never));

const refused = expect.stringMatching(
  /^coast, campaigns of 10 days from 2026-03-01 to 2026-03-10: .* refuses access/,
);
const down = expect.stringMatching(/^(coast|north|valley).*, campaigns of .* 503: /);

describe('a backfill', () => {
  it('of an account whose token is refused logs that once, loads the others, and ends with 77', async () => {
    world = await openWorld();
    world.simulator.revoke(tokenOf('coast'));
    const { code, errors, last } = await fill();
    expect([code, errors]).toEqual([77, [refused]]);
    expect(last).toMatch(/^partial in [\d.]+ m?s: 20 days loaded, 10 failed$/);
  });

  it('of a service that goes down in the middle ends with 75, and goes on once it is up again', async () => {
    let isDown = true;
    let requests = 0;
    world = await openWorld({ intercept: () => (isDown && ++requests > 10 ? unavailable : undefined) });
    expect(await fill()).toMatchObject({ code: 75, errors: [down] });
    isDown = false;
    const { code, last } = await fill();
    expect([code, last]).toEqual([0, expect.stringMatching(/^done in [\d.]+ m?s: 20 days loaded$/)]);
    expect(await disagreements(world)).toEqual([]);
  });

  it('is followed by a run that logs how many windows it is going to sync, and why', async () => {
    world = await openWorld();
    await fill();
    // As if it had been on the day before.
    await world.query(
      'update etl.windows set synced_run_date = synced_run_date - 1, same_since_run_date = same_since_run_date - 1',
    );
    const { infos } = await logged((app) => nightly(app, { ...undated, digest: false }, never));
    expect(infos).toContain(
      '30 windows due, 18 of them older than 3 days: missing, not yet confirmed, or checked once a week',
    );
  });

  it('of a year that is interrupted is no error: nothing is logged of its days, and none is missing until it is repeated', async () => {
    const stop = new AbortController();
    let requests = 0;
    world = await openWorld({
      intercept: () => {
        if (++requests === 20) stop.abort(new Interrupted('SIGINT'));
        return undefined;
      },
    });
    const lines: string[] = [];
    await expect(
      logged((app) => {
        const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
        return backfill({ ...app, log }, { ...request, from: '2025-03-11' }, stop.signal);
      }),
    ).rejects.toThrow('interrupted');
    expect(lines).toEqual([]);
    const { errors, warnings } = await logged((app) => nightly(app, { ...undated, digest: false }, never));
    expect([errors, warnings]).toEqual([[], []]);
    expect(
      await world.query("select day from warehouse.coverage where state <> 'loaded' and day < '2026-03-11'"),
    ).toEqual([]);
  });

  it('that is interrupted twice ends immediately, whatever is in flight', async () => {
    const requested = Promise.withResolvers<void>();
    world = await openWorld({
      intercept: () => {
        requested.resolve();
        return new Promise(() => {});
      },
    });
    const args = ['backfill', '--from', request.from, '--to', request.to];
    const child = startCallsheet(args, settings());
    const exit = once(child, 'exit');
    await requested.promise;
    child.kill('SIGINT');
    for await (const line of createInterface(child.stderr)) if (line.includes('interrupt again')) break;
    child.kill('SIGINT');
    expect(await exit).toEqual([130, null]);
    expect(await world.query('select outcome from etl.runs')).toEqual([{ outcome: null }]);
  });
});
