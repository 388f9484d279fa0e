import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { callsheet } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

/** Forty accounts, of which the service has one: its figures are the same for all of them. */
const [{ token, name: owner }] = generateDataset().accounts as [{ token: string; name: string }];
const names = Array.from({ length: 40 }, (_, index) => `office-${String(index).padStart(2, '0')}`);
const tokenOf = (name: string) => `${token}-${name}`;

let world: World;
let folder: string;
afterEach(async () => {
  await world.close();
  await rm(folder, { recursive: true });
});

async function openForty(isDown: (account: string) => boolean): Promise<World['environment']> {
  folder = await mkdtemp(path.join(tmpdir(), 'callsheet-forty-'));
  const file = path.join(folder, 'accounts.json');
  await writeFile(file, JSON.stringify(names.map((name) => ({ name, sidtoken: tokenOf(name) }))), {
    mode: 0o600,
  });
  world = await openWorld({
    tokens: { [owner]: names.map(tokenOf) },
    intercept: ({ params }) => {
      const account = params.get('sidtoken')!.slice(token.length + 1);
      return isDown(account) ? { status: 503, body: 'maintenance' } : undefined;
    },
  });
  return { ...world.environment, ACCOUNTS_FILE: file, RETRIES: '0', ALERT_TO: 'ops@example.com' };
}

const linesOf = (stderr: string): { level: string; msg: string }[] =>
  stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

it('an outage of forty accounts ends a run after sixteen windows and sixteen lists, with a line and an alert for the cause', async () => {
  const environment = await openForty(() => true);
  const { code, stderr } = await callsheet(['run'], environment);
  expect(code).toBe(69);
  expect(world.simulator.journal.length).toBeLessThan(2 * (16 + 8));
  const errors = linesOf(stderr).filter(({ level }) => level === 'error');
  expect(errors.map(({ msg }) => msg).toSorted()).toEqual([
    expect.stringMatching(/^[12]\d accounts, clients: .*503/),
    expect.stringMatching(/^40 accounts, campaigns of .*503/),
    expect.stringMatching(/^alert: Service unavailable \(status 503\): 40 accounts, .*client lists$/),
  ]);
  expect(linesOf(stderr).length).toBeLessThan(15);
  const status = JSON.parse((await callsheet(['status', '--json'], environment)).stdout);
  expect(status.alerts).toMatchObject([{ key: 'SERVICE_UNAVAILABLE/503', kind: 'to check' }]);
  expect(status.accounts.filter(({ gaps }: { gaps: string[] }) => gaps.length === 1)).toHaveLength(40);
});

it('the next runs begin with other accounts, until only those are left for which the service is down', async () => {
  const down = names.slice(0, 20);
  const environment = await openForty((account) => down.includes(account));
  for (let run = 1; run <= 3; run++) await callsheet(['run', '--no-digest'], environment);
  const loaded = await world.query<{ name: string }>(
    `select a.name from warehouse.accounts a join etl.windows w using (account_id) where w.state <> 'failed' order by 1`,
  );
  expect(loaded.map(({ name }) => name)).toEqual(names.slice(20));
});
