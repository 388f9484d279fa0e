import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { callsheet } from '../support/callsheet.ts';
import { mailsLongAgo, openWorld } from '../support/world.ts';
import { setUpQueue, startWorker } from './workers.ts';

it('a worker that lacks an account reports that for its windows, and syncs those of the others', async () => {
  const world = await openWorld();
  await setUpQueue(world.databaseUrl);
  const accounts: { name: string; sidtoken: string }[] = JSON.parse(
    await readFile(world.environment.ACCOUNTS_FILE!, 'utf8'),
  );
  const fewer = path.join(world.folder, 'fewer.json');
  await writeFile(fewer, JSON.stringify(accounts.filter(({ name }) => name !== 'coast')));
  {
    await using worker = startWorker({ ...world.environment, ACCOUNTS_FILE: fewer });
    const days = ['--from', '2026-03-01', '--to', '2026-03-02', '--no-digest'];
    const { code, stderr } = await callsheet(['run', ...days, '--distribute'], world.environment);
    expect(code).toBe(78);
    const errors = stderr
      .split('\n')
      .flatMap((line) => (line.includes('"level":"error"') ? [JSON.parse(line).msg] : []));
    expect(errors).toEqual([
      'coast, campaigns of 2026-03-01, 2026-03-02: a worker lacks this account in its settings: give all workers the same SIDTOKEN and ACCOUNT_NAME, or ACCOUNTS_FILE, as the run',
    ]);
    worker.child.kill('SIGTERM');
    await worker.exit;
    // Windows of the unknown account come a second time.
    const lines = worker.lines.join('\n');
    expect(lines).toMatch(/"msg":"waiting for windows, \d+ requests at once"/);
    expect(lines).toMatch(/"msg":"\d+ windows done, 0 unfinished"/);
  }
  const states = await world.query(
    `select a.name, w.state, count(*)::int, count(last_expected_day)::int as retired
     from etl.windows w join warehouse.accounts a using (account_id) group by 1, 2 order by 1`,
  );
  expect(states).toEqual([
    { name: 'coast', state: 'failed', count: 2, retired: 0 },
    { name: 'north', state: 'loaded', count: 2, retired: 0 },
    { name: 'valley', state: 'loaded', count: 2, retired: 0 },
  ]);
  const tables = await world.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'etl_queue'`,
  );
  let queue = '';
  for (const { name } of tables)
    queue += JSON.stringify(await world.query(`select * from etl_queue.${name}`));
  expect(queue).toContain('"coast"');
  for (const { sidtoken } of accounts) expect(queue).not.toContain(sidtoken);
  await world.close();
});

it('a worker sends a refused token once in a run', async () => {
  const world = await openWorld();
  await setUpQueue(world.databaseUrl);
  await mailsLongAgo(world);
  world.simulator.revoke(generateDataset().accounts.find(({ name }) => name === 'coast')!.token);
  await using _worker = startWorker(world.environment);
  const days = ['--from', '2026-03-01', '--to', '2026-03-05', '--no-digest'];
  expect(await callsheet(['run', ...days, '--distribute'], world.environment)).toMatchObject({ code: 77 });
  const requested = world.simulator.journal.filter(({ operation }) => operation === 'campaignSummary');
  expect(requested.filter(({ account }) => account === 'coast')).toHaveLength(1);
  expect(requested.filter(({ account }) => account === 'north')).toHaveLength(5);
  await world.close();
});
