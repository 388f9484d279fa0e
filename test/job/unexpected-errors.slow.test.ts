import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { setUpQueue, startWorker } from '../queue/workers.ts';
import { callsheet, type Ended } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

const today = Temporal.Now.plainDateISO('UTC');
const days = [2, 1].map((ago) => today.subtract({ days: ago }).toString());
const { token } = generateDataset().accounts.find(({ name }) => name === 'coast')!;

/** Lets the database raise an exception of no kind that anybody expects, where a new row meets the condition. */
async function breakRows(world: World, table: string, condition: string): Promise<void> {
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

/** What a run with such an error leaves, and what the next one does once its cause is gone. */
describe('an error that nobody expected inside a window, a list, a digest or a message', () => {
  let world: World;
  let ended: Ended;
  let again: Ended;
  let windows: string[];
  let deliveries: string[];
  let listed: string[];
  let alert: string;

  beforeAll(async () => {
    world = await openWorld();
    const digests = path.join(world.folder, 'digests.json');
    const names = ['Unbuilt', 'Unsent', 'North'];
    const entries = names.map((name) => ({
      name,
      to: [`${name}@example.com`.toLowerCase()],
      accounts: ['north'],
    }));
    await writeFile(digests, JSON.stringify(entries));
    const { DIGEST_TO: _, ...others } = world.environment;
    const environment = { ...others, DIGESTS_FILE: digests, ALERT_TO: 'ops@example.com' };
    await world.query(
      `insert into etl.digest_starts (name, every, day) select n, 'day', $1::date - 1 from unnest($2::text[]) n`,
      [days[0], names],
    );
    await world.query(
      `insert into warehouse.accounts (name, label, time_zone, first_expected_day) select n, n, 'UTC', $1 from unnest($2::text[]) n`,
      [days[0], ['coast', 'north', 'valley']],
    );
    await breakRows(world, 'etl.campaign_days', `new.day = '${days[0]}' and ${isAccount('coast')}`);
    await breakRows(world, 'warehouse.clients', isAccount('valley'));
    await breakRows(world, 'etl.mails', `new.name = 'Unbuilt'`);
    await breakRows(
      world,
      'etl.deliveries',
      `new.recipient = 'unsent@example.com' and new.state = 'sending'`,
    );
    ended = await callsheet(['run'], environment);
    windows = await lines(
      `select a.name || ' ' || w.day || ' ' || w.state as line
       from etl.windows w join warehouse.accounts a using (account_id)`,
    );
    deliveries = await lines(
      `select g.name || ' ' || g.day || ' ' || d.state as line from etl.deliveries d join etl.mails g using (mail_id)`,
    );
    listed = await lines(
      `select distinct a.name as line from warehouse.clients join warehouse.accounts a using (account_id)`,
    );
    const file = (await readdir(world.outbox)).find((name) => name.includes('alert'))!;
    alert = (await readFile(path.join(world.outbox, file), 'utf8')).replaceAll(/=\r?\n/g, '');
    for (const table of ['etl.campaign_days', 'warehouse.clients', 'etl.mails', 'etl.deliveries'])
      await world.query(`drop trigger broken on ${table}`);
    again = await callsheet(['run'], environment);
  });
  afterAll(() => world.close());

  const lines = async (query: string) =>
    (await world.query<{ line: string }>(`${query} order by 1`)).map(({ line }) => line);

  it('ends the run with 1, at the end, and leaves the others as they would be without it', () => {
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    const states = ['coast', 'north', 'valley'].flatMap((name) =>
      days.map((day) => `${name} ${day} ${name === 'coast' && day === days[0] ? 'failed' : 'loaded'}`),
    );
    expect(windows).toEqual(states);
    expect(listed).toEqual(['coast', 'north']);
    // The mail of the newest day has the others, too.
    expect(deliveries).toEqual([`North ${days[1]} written`, `Unsent ${days[1]} pending`]);
  });

  it('is one line each that names what it was about, without a secret, and with its stack in a field', () => {
    const found = errorsOf(ended).filter(
      ({ msg }) => msg.includes('internal error') && !msg.startsWith('alert: '),
    );
    const reason = 'internal error of Callsheet (nobody expected this of [redacted])';
    const advice = 'report it with the stack in the log; the rest continues';
    const subjects = [
      `account coast, campaigns of ${days[0]}`,
      'account valley, clients',
      `digest Unbuilt of ${days[1]}`,
      `digest Unsent of ${days[1]} to unsent@example.com`,
    ];
    expect(found.map(({ msg }) => msg).sort()).toEqual(
      subjects.map((subject) => `${subject}: ${reason}: ${advice}`),
    );
    for (const { stack } of found) expect(stack).toMatch(/nobody expected this[\s\S]*\n +at /);
    expect(ended.stderr).not.toContain(token);
  });

  it('is an alert with commands that help', () => {
    expect(alert).toMatch(/Internal error of Callsheet: coast and valley, \d{1,2} \w{3,4}, client list/);
    expect(alert).toMatch(
      / {2}1\. Report it as an issue of Callsheet, with the error's stack in the run's log\.\r?\n {2}2\. Then: {2}npm start -- run\r?\n/,
    );
    expect(alert).toMatch(
      / {2}1\. Report it as an issue of Callsheet, with the error's stack in the run's log\.\r?\n {2}2\. To try again: {2}npm start -- run\r?\n/,
    );
  });

  it('is over once its cause is', async () => {
    expect(again).toMatchObject({ code: 0 });
    expect(await world.query(`select from etl.windows where state <> 'loaded'`)).toEqual([]);
    expect(await world.query('select distinct state from etl.deliveries')).toEqual([{ state: 'written' }]);
  });
});

it('an unexpected error inside a window of a worker is that of the window', async () => {
  const world = await openWorld();
  await setUpQueue(world.databaseUrl);
  await breakRows(world, 'etl.campaign_days', isAccount('coast'));
  await using worker = startWorker(world.environment);
  const command = ['run', '--day', days[0]!, '--distribute', '--no-digest'];
  const ended = await callsheet(command, world.environment);
  expect(ended.code).toBe(1);
  const subject = `account coast, campaigns of ${days[0]}: internal error of Callsheet`;
  expect(errorsOf(ended).map(({ msg }) => msg)).toContainEqual(expect.stringContaining(subject));
  expect(worker.lines.find((logged) => logged.includes('nobody expected this'))).toContain('"stack"');
  expect(worker.lines.join('\n')).not.toContain(token);
  await world.close();
});
