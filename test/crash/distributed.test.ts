import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addDays } from '../../src/model/day.ts';
import { setUpQueue, startWorker } from '../queue/workers.ts';
import { disagreements } from '../support/agreement.ts';
import { callsheet, ended, startCallsheet } from '../support/callsheet.ts';
import { readContents } from '../support/contents.ts';
import type { SimulatorOptions } from '../support/simulator.ts';
import { openWorld, type World } from '../support/world.ts';

/* What becomes of distributed runs and of their windows. Killed workers: worker-killed.test.ts. */

const days = ['--from', '2026-03-01', '--to', '2026-03-10'];
const backfill = ['backfill', ...days, '--distribute'];

async function openQueue(options: SimulatorOptions = {}): Promise<World> {
  const world = await openWorld(options);
  onTestFinished(world.close);
  await setUpQueue(world.databaseUrl);
  return world;
}

/** A service that responds to so many requests; the others wait until the gate is opened. */
async function openGate(free: number) {
  const gate = Promise.withResolvers<void>();
  let requested = 0;
  const world = await openQueue({
    intercept: async () => {
      if (++requested > free) await gate.promise;
      return undefined;
    },
  });
  return { world, open: () => gate.resolve() };
}

const jobs = async ({ query }: World, state: string) =>
  (await query('select from etl_queue.job where name = $1 and state = $2', ['windows', state])).length;
const loaded = async ({ query }: World) =>
  (await query(`select from etl.windows where state = 'loaded'`)).length;

it('workers leave and count what a run by itself does, errors of the service included', async () => {
  const ofSummary = { operation: 'campaignSummary', times: Number.POSITIVE_INFINITY } as const;
  const faults: NonNullable<SimulatorOptions['faults']> = [
    { ...ofSummary, account: 'coast', kind: 'status-401' },
    { ...ofSummary, day: '2026-03-02', kind: 'status-503' },
    { ...ofSummary, day: '2026-03-03', account: 'north', kind: 'status-400' },
    { ...ofSummary, day: '2026-03-04', account: 'valley', kind: 'html' },
    // A response at the end of the run.
    { ...ofSummary, day: '2026-03-05', account: 'valley', times: 2, kind: 'status-503' },
  ];
  async function leftBy(workers: number) {
    const world = await openQueue({ faults });
    await using crew = new AsyncDisposableStack();
    for (let started = 0; started < workers; started++) crew.use(startWorker(world.environment));
    const args = ['run', ...days, ...(workers > 0 ? ['--distribute'] : [])];
    const { code } = await callsheet(args, world.environment);
    expect(await disagreements(world)).toEqual([]);
    const [run] = await world.query<{ windows: object; failed: string[] }>(
      `select outcome, exit_code, summary->'windows' as windows, array(
         select concat_ws(' ', cause->>'code', sum((cause->>'errors')::int))
         from jsonb_array_elements(summary->'failures') cause group by cause->>'code' order by 1) as failed
       from etl.runs`,
    );
    const { ledger, ...contents } = await readContents(world);
    // Without the words of an error: which window meets it first is a matter of order.
    return { code, run, contents, ledger: ledger.map((line) => line.replace(/ \(.*\).*$/, '')) };
  }
  const alone = await leftBy(0);
  expect(alone.code).toBe(77);
  expect(alone.run!.failed).toHaveLength(3);
  expect(await leftBy(3)).toEqual(alone);
});

it('a worker that met a refused token asks again in the next run', async () => {
  let isRefused = true;
  const world = await openQueue({
    intercept: ({ account }) =>
      isRefused && account === 'coast'
        ? { status: 401, body: '{"error":"The sidtoken is not valid."}' }
        : undefined,
  });
  await using _worker = startWorker(world.environment);
  const codes: unknown[] = [];
  for (const day of ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05']) {
    const { code } = await callsheet(['run', '--day', day, '--distribute'], world.environment);
    codes.push(code);
    isRefused = false;
  }
  expect(codes).toEqual([77, 0, 0, 0]);
  const loaded = await world.query(
    `select day, state from etl.windows join warehouse.accounts using (account_id) where name = 'coast' order by 1`,
  );
  expect(loaded).toMatchObject([{ state: 'failed' }, ...Array(3).fill({ state: 'loaded' })]);
});

it('the windows of a run that was killed are not requested twice where it is repeated before they are synced', async () => {
  const world = await openQueue();
  const run = ['run', ...days, '--no-digest', '--distribute'];
  const child = startCallsheet(run, world.environment);
  child.stdout.resume();
  child.stderr.resume();
  const exit = once(child, 'exit');
  await expect.poll(() => jobs(world, 'created')).toBe(30);
  child.kill('SIGKILL');
  expect(await exit).toEqual([null, 'SIGKILL']);

  const again = ended(startCallsheet(run, world.environment));
  await expect.poll(() => world.query('select from etl.runs')).toHaveLength(2);
  await using _worker = startWorker(world.environment);
  expect(await again).toMatchObject({ code: 0 });
  const requests = world.simulator.journal.filter(({ operation }) => operation === 'campaignSummary');
  expect(requests).toHaveLength(30);
  const [stats] = await world.query(`select summary->'windows' as windows from etl.runs where run_id = 2`);
  expect(stats).toMatchObject({ windows: { loaded: 30, failed: 0 } });
  expect(await disagreements(world)).toEqual([]);
});

it('a run that is interrupted while workers sync its windows ends at once, and leaves no job of its own behind', async () => {
  const { world, open } = await openGate(4);
  await using _worker = startWorker(world.environment, '--concurrency', '2');
  const child = startCallsheet(backfill, world.environment);
  const ending = ended(child);
  await expect.poll(() => loaded(world)).toBe(4);
  expect(await jobs(world, 'created')).toBeGreaterThan(0);
  child.kill('SIGINT');
  expect(await ending).toMatchObject({ code: 130 });
  for (const state of ['created', 'retry', 'active'])
    expect([state, await jobs(world, state)]).toEqual([state, 0]);
  expect(await world.query('select outcome from etl.runs')).toEqual([{ outcome: 'interrupted' }]);
  open();
  expect(await callsheet(backfill, world.environment)).toMatchObject({ code: 0 });
  expect(await loaded(world)).toBe(30);
  expect(await disagreements(world)).toEqual([]);
});

describe('a worker that gets SIGTERM', () => {
  it('finishes what is in flight, takes no further window, and another worker syncs the rest', async () => {
    const { world, open } = await openGate(0);
    const ending = ended(startCallsheet(backfill, world.environment));
    await using first = startWorker(world.environment, '--concurrency', '2');
    await expect.poll(() => jobs(world, 'active')).toBe(4);
    first.child.kill('SIGTERM');
    open();
    expect(await first.exit).toEqual([143, null]);
    expect([await loaded(world), await jobs(world, 'active')]).toEqual([4, 0]);
    await using _second = startWorker(world.environment);
    expect(await ending).toMatchObject({ code: 0 });
    expect(await loaded(world)).toBe(30);
    expect(await disagreements(world)).toEqual([]);
    expect(world.simulator.journal, 'nothing was requested twice').toHaveLength(30);
  });

  it('returns windows to the queue whose response is late', async () => {
    const { world, open } = await openGate(0);
    const child = startCallsheet(backfill, world.environment);
    const ending = ended(child);
    await using worker = startWorker(world.environment, '--concurrency', '2');
    await expect.poll(() => jobs(world, 'active')).toBe(4);
    worker.child.kill('SIGTERM');
    expect(await worker.exit).toEqual([143, null]);
    expect([await jobs(world, 'active'), await jobs(world, 'retry')]).toEqual([0, 4]);
    child.kill('SIGTERM');
    expect(await ending).toMatchObject({ code: 143 });
    open();
  });
});

it('a window that no worker can finish is reported by its run, and synced by the next one', async () => {
  const world = await openQueue();
  const today = Temporal.Now.plainDateISO('UTC').toString();
  const day = addDays(today, -2);
  // The warehouse refuses it in a way that may pass, at each try.
  await world.query(`
    create function etl.refuse() returns trigger language plpgsql as
      $$ begin if new.day = '${day}' and new.state <> 'failed' then raise 'away' using errcode = '57P03'; end if; return new; end $$;
    create trigger refuse before update on etl.windows for each row execute function etl.refuse()`);
  await using _worker = startWorker(world.environment);
  const range = ['--from', addDays(today, -3), '--to', addDays(today, -1), '--account', 'north'];
  const running = callsheet(['backfill', ...range, '--distribute'], world.environment);
  // Its back-off is half a minute in all: it is brought forward, try by try.
  const hurry = setInterval(
    () => void world.query(`update etl_queue.job set start_after = now() where state = 'retry'`),
    100,
  );
  const { code, stderr } = await running;
  clearInterval(hurry);
  expect(code).toBe(75);
  const detail = "no worker could finish it (the database can't be used (57P03: away))";
  const line = `account north, campaigns of ${day}: ${detail}: look at the workers' logs, then run again`;
  expect(stderr).toContain(JSON.stringify(line).slice(1, -1));

  await world.query('drop trigger refuse on etl.windows');
  expect(await callsheet(['run', '--account', 'north'], world.environment)).toMatchObject({ code: 0 });
  const [left] = await world.query<{ state: string }>('select state from etl.windows where day = $1', [day]);
  expect(left).toEqual({ state: 'loaded' });
});
