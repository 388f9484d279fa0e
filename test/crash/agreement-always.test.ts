import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { sendRunAlerts } from '../../src/job/alerts/send-alerts.ts';
import type { Run } from '../../src/job/run/run.ts';
import { createRunStats } from '../../src/job/run/run-stats.ts';
import { needsAction } from '../../src/model/alert.ts';
import { fill } from '../server/fill.ts';
import { callsheet } from '../support/callsheet.ts';
import { atInstant, never } from '../support/nights.ts';
import { agreedAlerts } from '../support/renderings.ts';
import { rounds } from '../support/rounds.ts';
import { openWorld, type World } from '../support/world.ts';

type Problem = (world: World, ago: number, account: string) => Promise<unknown>;

const change =
  (set: string): Problem =>
  (world, ago, account) =>
    world.query(
      `update etl.windows w set ${set} from warehouse.accounts a
       where a.account_id = w.account_id and a.name = $1 and w.day = (now() at time zone 'UTC')::date - $2::int`,
      [account, ago],
    );

const mail =
  (state: string): Problem =>
  (world, ago, account) =>
    world.query(
      `with digest as (
         insert into etl.digests (name, every, day, kind, state, subject, mime)
         values ('Daily ' || $3, 'day', (now() at time zone 'UTC')::date - $2::int, 'first', 'built', 'x', 'x')
         on conflict (name, every, day, kind) do update set subject = 'x' returning digest_id)
       insert into etl.deliveries (digest_id, recipient, message_id, state)
       select digest_id, $1::text || '@example.com', gen_random_uuid()::text, $1::text from digest on conflict do nothing`,
      [state, ago, account],
    );

const run =
  (columns: string, values: string): Problem =>
  (world) =>
    world.query(
      `insert into etl.runs (kind, command, run_date, host, process_id, exclusive, ${columns})
       values ('nightly', 'run', (now() at time zone 'UTC')::date, 'here', 1, true, ${values})`,
    );

const walk =
  (columns: string, values: string): Problem =>
  (world, _, account) =>
    world.query(
      `insert into etl.walks (account_id, run_date, day, started_at, ${columns})
       select account_id, (now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date, now(), ${values}
       from warehouse.accounts where name = $1`,
      [account],
    );

const failed = (state: string, code: string) =>
  change(`state = '${state}', failed_at = now(), failure = 'it <failed>', failure_code = '${code}'`);

const problems: Readonly<Record<string, Problem>> = {
  'a refused token': failed('failed', 'TOKEN_REFUSED'),
  'a re-pull that failed': failed('loaded', 'SERVICE_UNAVAILABLE'),
  'a day fetched before it was over': change(`state = 'provisional'`),
  'a held response': change(`held_hash = 'abc', held_since = now(), held_run_date = day + 2`),
  'a gap': (world, ago, account) =>
    world.query(
      `delete from etl.windows w using warehouse.accounts a where a.account_id = w.account_id and a.name = $1
       and w.day between (now() at time zone 'UTC')::date - $2::int and (now() at time zone 'UTC')::date - $2::int + 2`,
      [account, ago],
    ),
  'a record in quarantine': (world, ago, account) =>
    world.query(
      `insert into etl.rejects (account_id, operation, day, payload, payload_sha256, reason)
       select account_id, 'campaignSummary', (now() at time zone 'UTC')::date - $2::int, '{"attempts": "12"}', sha256('1'), 'it <is> odd'
       from warehouse.accounts where name = $1 on conflict do nothing`,
      [account, ago],
    ),
  'refused mail': mail('refused'),
  'unknown mail': mail('unknown'),
  'mail that waits': mail('failed'),
  'a killed run': run('finished_at', 'null'),
  'an interrupted run': run('finished_at, outcome, exit_code', `now(), 'interrupted', 143`),
  'a run that an error ended': run(
    'finished_at, outcome, exit_code, summary',
    `now(), 'failed', 69, '{"ended": "it broke", "endedCode": "WAREHOUSE_UNAVAILABLE"}'`,
  ),
  'an incomplete walk': walk('verdict, reason', `'incomplete', 'page 3 is page 2 again'`),
  'clients that are missing': walk('verdict, decided_at, implausible_missing', `'complete', now(), 180`),
  'an account that retired': (world, _, account) =>
    world.query('update warehouse.accounts set until = since where name = $1', [account]),
};

const kind = fc.constantFrom(...Object.keys(problems));
const account = fc.constantFrom('north', 'south "west"');
const problem = fc.tuple(kind, fc.integer({ min: 1, max: 60 }), account);

/** The alert mail of a run that ends now; null where there is none. */
async function alertMail(world: World): Promise<string | null> {
  const settings = { ALERT_TO: 'ops@example.com' };
  const now = Temporal.Now.instant().toString();
  await atInstant(
    world,
    now,
    (app) => {
      const ending = { id: -1, runDate: now.slice(0, 10), stats: createRunStats(), signal: never };
      return sendRunAlerts({ ...app, ...ending } as Run, true);
    },
    settings,
  );
  const [name] = await readdir(world.outbox).catch(() => []);
  if (name === undefined) return null;
  return (await PostalMime.parse(await readFile(path.join(world.outbox, name)))).text!;
}

test('whatever the warehouse says, mail, page, status and metrics agree, and what is dismissed is a note', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(problem, { maxLength: 7 }), fc.nat(9), async (found, chosen) => {
      const world = await openWorld();
      try {
        await fill(world, ['north', 'south "west"']);
        for (const [name, ago, of] of found) await problems[name]!(world, ago, of);
        const active = (await agreedAlerts(world, world.environment)).filter(needsAction);
        const text = await alertMail(world);
        expect(text === null).toBe(active.length === 0);
        for (const { title, cause } of active) expect(text).toContain(`${title}\n  ${cause}`);
        const dismissed = active[chosen % Math.max(active.length, 1)];
        if (dismissed === undefined) return;
        await callsheet(['status', '--dismiss', dismissed.key], world.environment);
        const after = (await agreedAlerts(world, world.environment)).filter(needsAction);
        expect(after.map(({ key }) => key)).toEqual(
          active.map(({ key }) => key).filter((key) => key !== dismissed.key),
        );
      } finally {
        await world.close();
      }
    }),
    { numRuns: rounds(10), examples: [[[], 0]] },
  );
});
