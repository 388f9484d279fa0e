import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { setUpQueue, startWorker } from '../queue/workers.ts';
import { callsheet, type Ended } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

const today = Temporal.Now.plainDateISO('UTC');
const days = [2, 1].map((ago) => today.subtract({ days: ago }).toString());
const dataset = generateDataset();
const token = dataset.accounts.find(({ name }) => name === 'coast')!.token;

let world: World;
let environment: World['environment'];
beforeAll(async () => {
  world = await openWorld();
  const digests = path.join(world.folder, 'digests.json');
  await writeFile(
    digests,
    JSON.stringify([
      { name: 'Unbuilt', to: ['ana@example.com'], accounts: ['north'] },
      { name: 'Unsent', to: ['ben@example.com'], accounts: ['north'] },
      { name: 'North', to: ['cleo@example.com'], accounts: ['north'] },
    ]),
  );
  const { DIGEST_TO: _, ...others } = world.environment;
  environment = {
    ...others,
    DIGESTS_FILE: digests,
    ALERT_TO: 'ops@example.com',
  };
});
afterAll(() => world.close());

const brokenTables = ['etl.campaign_days', 'warehouse.clients', 'etl.digests', 'etl.deliveries'];

/** Lets the database raise an exception of no kind that anybody expects, where a new row meets the condition. */
async function breakRows(table: string, condition: string): Promise<void> {
  const name = table.replace('.', '_');
  await world.query(`
    create function public.break_${name}() returns trigger language plpgsql as $$
    begin
      if ${condition} then raise exception E'nobody expected this\\nof ${token}'; end if;
      return new;
    end $$`);
  await world.query(
    `create trigger broken before insert or update on ${table} for each row execute function public.break_${name}()`,
  );
}

const isAccount = (name: string) =>
  `new.account_id = (select account_id from warehouse.accounts where name = '${name}')`;

const errorsOf = ({ stderr }: Ended): { msg: string; stack?: string }[] =>
  stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level === 'error');

describe('an error that nobody expected', () => {
  let ended: Ended;
  beforeAll(async () => {
    await world.query(
      `insert into etl.digests (name, day, kind, state) select n, $1::date - 1, 'first', 'skipped' from unnest($2::text[]) n`,
      [days[0], ['Unbuilt', 'Unsent', 'North']],
    );
    await breakRows('etl.campaign_days', `new.day = '${days[0]}' and ${isAccount('coast')}`);
    await breakRows('warehouse.clients', isAccount('valley'));
    await breakRows('etl.digests', `new.name = 'Unbuilt'`);
    await breakRows('etl.deliveries', `new.recipient = 'ben@example.com' and new.state = 'sending'`);
    await world.query(
      `insert into warehouse.accounts (name, label, time_zone, since) select n, n, 'UTC', $1 from unnest($2::text[]) n`,
      [days[0], ['coast', 'north', 'valley']],
    );
    ended = await callsheet(['run'], environment);
  });

  it('inside one window, list, digest or message ends the run with 1, at the end', () => {
    expect(ended).toMatchObject({ code: 1, stdout: '' });
  });

  it('is reported in one line that names account and day, without a secret, and with its stack in a field', () => {
    const errors = errorsOf(ended);
    const reason = 'an internal error of Callsheet (nobody expected this of [redacted])';
    const advice = 'report it with the stack in the log; the others go on';
    const subjects = [
      'account valley, clients',
      `account coast, campaigns of ${days[0]}`,
      // The mail of the newest day has the others, too.
      `digest Unbuilt of ${days[1]}`,
      `digest Unsent of ${days[1]} to ben@example.com`,
    ];
    const lines = errors
      .map(({ msg }) => msg)
      .filter((line) => line.includes('internal error') && !line.startsWith('alert: '));
    expect(lines.sort()).toEqual(subjects.map((subject) => `${subject}: ${reason}: ${advice}`).sort());
    for (const { msg, stack } of errors)
      if (lines.includes(msg)) expect(stack).toMatch(/nobody expected this[\s\S]*\n +at /);
    expect(ended.stderr).not.toContain(token);
  });

  it('leaves the other windows, lists, digests and messages as they would be without it', async () => {
    const windows = await world.query(
      `select a.name, w.day::text, w.state, w.failure like '%nobody expected this of [redacted]%' as failure
       from etl.windows w join warehouse.accounts a using (account_id) order by 1, 2`,
    );
    expect(windows).toEqual(
      ['coast', 'north', 'valley'].flatMap((name) =>
        days.map((day) =>
          name === 'coast' && day === days[0]
            ? { name, day, state: 'failed', failure: true }
            : { name, day, state: 'loaded', failure: null },
        ),
      ),
    );
    const listed = await world.query<{ name: string }>(
      'select distinct a.name from warehouse.clients join warehouse.accounts a using (account_id) order by 1',
    );
    expect(listed.map(({ name }) => name)).toEqual(['coast', 'north']);
    const sent = await world.query(
      `select g.name, g.day::text, d.state from etl.deliveries d join etl.digests g using (digest_id) order by 1, 2`,
    );
    expect(sent).toEqual([
      { name: 'North', day: days[1], state: 'written' },
      { name: 'Unsent', day: days[1], state: 'pending' },
    ]);
  });

  it('is an alert with a command that helps', async () => {
    const name = (await readdir(world.outbox)).find((file) => file.includes('alert'))!;
    const alert = (await readFile(path.join(world.outbox, name), 'utf8')).replaceAll(/=\r?\n/g, '');
    expect(alert).toContain(`Internal error of Callsheet: coast and valley, ${days[0]}, client list`);
    expect(alert).toMatch(
      /Report it, with the stack in the log of the run\.\r?\n {2}Then: {2}npm start -- run\r?\n/,
    );
    expect(alert).toContain(`npm start -- digest --day ${days[1]} --digest Unbuilt`);
    expect(alert).toMatch(/1 message not sent yet: .*Unsent of /);
  });

  it('is over once its cause is', async () => {
    for (const table of brokenTables) await world.query(`drop trigger broken on ${table}`);
    const again = await callsheet(['run'], environment);
    expect(again).toMatchObject({ code: 0 });
    expect(await world.query(`select from etl.windows where state <> 'loaded'`)).toEqual([]);
    expect(await world.query(`select from etl.deliveries where state <> 'written'`)).toEqual([]);
    expect(await world.query('select from etl.deliveries')).toHaveLength(3);
  });
});

it('an unexpected error inside a window of a worker is that of the window', async () => {
  await setUpQueue(world.databaseUrl);
  await world.query(
    `create trigger broken before insert or update on etl.campaign_days for each row execute function public.break_etl_campaign_days()`,
  );
  await world.query(`delete from etl.campaign_days where day = '${days[0]}'`);
  await using worker = startWorker(environment);
  const command = ['run', '--day', days[0]!, '--distribute', '--no-digest'];
  const ended = await callsheet(command, environment);
  expect(ended.code).toBe(1);
  const line = expect.stringContaining(
    `account coast, campaigns of ${days[0]}: an internal error of Callsheet`,
  );
  expect(errorsOf(ended).map(({ msg }) => msg)).toEqual([line, expect.stringMatching(/^alert: /)]);
  expect(worker.lines.find((logged) => logged.includes('nobody expected this'))).toContain('"stack"');
  expect(worker.lines.join('\n')).not.toContain(token);
});
