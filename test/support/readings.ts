import { zstdDecompressSync } from 'node:zlib';
import { expect } from 'vitest';
import { statusOf } from '../../src/cli/print-status.ts';
import { readState } from '../../src/job/alerts/read-alerts.ts';
import { readMetricSamples } from '../../src/warehouse/queries/metric-samples.ts';
import { readRestatedFigures } from '../../src/warehouse/queries/restatements.ts';
import { atInstant } from './nights.ts';
import type { World } from './world.ts';

/** Keys that depend on how many rows other accounts have. */
const unstableKeys = /^(?!account_id|client_id|callset_id|listed_by_account_id).*_id$|^id$|^walk$/;

/**
 * Reads all data of an account as lines: its rows in each table and view, its digest, its status, alerts and
 * days. The lines have no timestamps, and no keys that depend on other accounts.
 */
export async function readingsOf(
  world: Pick<World, 'environment' | 'query'>,
  account: string,
  days: readonly string[],
): Promise<string[]> {
  const tables = await world.query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.columns
     where table_schema in ('warehouse', 'etl') and column_name = 'account_id' and table_name <> 'mailed_periods' order by 1`,
  );
  const lines: string[] = [];
  for (const { name } of tables) {
    const rows = await world.query<{ row: object }>(
      `select to_jsonb(t) as row from ${name} t join warehouse.accounts a using (account_id) where a.name = $1`,
      [account],
    );
    lines.push(...rows.map(({ row }) => `${name} ${lineOf(row)}`).sort());
  }
  const digests = await world.query<{ mime: Buffer | null }>(
    `select g.name, g.every, g.day::text, g.number, g.correction, g.mime, d.recipient, d.state as delivery, (
       select jsonb_agg(jsonb_build_array(p.day, p.state, p.content, p.attempts, p.connects) order by p.day)
       from etl.mailed_periods p where p.mail_id = g.mail_id) as mailed
     from etl.mails g left join etl.deliveries d using (mail_id) where g.name like upper($1) || ' %' order by 3, 4, 7`,
    [account],
  );
  lines.push(
    ...digests.map(({ mime, ...row }) => {
      const message = mime === null ? null : zstdDecompressSync(mime).toString();
      return `digest ${lineOf({ ...row, mime: message })}`;
    }),
  );
  lines.push(...(await readersOf(world, account, days)));
  const found = new Set(lines.map((line) => line.split(' ', 1)[0]));
  for (const what of [
    'etl.campaign_days',
    'etl.windows',
    'warehouse.account_days',
    'warehouse.clients',
    ...readers,
  ])
    expect(found, what).toContain(what);
  return lines;
}

const readers = ['status', 'concerns', 'alert', 'day', 'quarantine', 'restated', 'metric'];

/** Reads what status, alerts, page and metrics say of the account on the evening of the last of these days. */
async function readersOf(
  world: Pick<World, 'environment' | 'query'>,
  account: string,
  days: readonly string[],
) {
  return await atInstant(world, `${days.at(-1)}T23:00:00Z`, async (app) => {
    const { warehouse } = app;
    const own = (what: string, rows: readonly object[]) =>
      rows.filter((row) => nameIn(row) === account).map((row) => `${what} ${lineOf(row)}`);
    const { alerts, accounts } = await readState(warehouse, app);
    const samples = await readMetricSamples(warehouse);
    return [
      ...own('status', accounts.map(statusOf)),
      ...own('concerns', accounts),
      // One alert is about all accounts that its cause hit: here it is compared by its key.
      ...alerts.filter((each) => each.accounts.includes(account)).map(({ key }) => `alert ${key}`),
      ...own('day', await coverageOf(world, days)),
      ...own(
        'quarantine',
        accounts.flatMap(({ name, quarantined }) => quarantined.map((each) => ({ ...each, name }))),
      ).sort(),
      ...own('restated', await readRestatedFigures(warehouse)),
      ...samples
        .filter(({ labels }) => labels.account === account)
        // Those above a billion are instants.
        .map(({ metric, value }) => `metric ${metric} ${Number(value) > 1e9 ? 'some time' : value}`),
    ];
  });
}

/** What the warehouse says of these days. */
const coverageOf = (world: Pick<World, 'query'>, days: readonly string[]) =>
  world.query(
    `select a.name as account, c.day::text, c.state, c.held, c.settling, c.restated, c.reason, d.listed_campaigns, d.attempts
     from warehouse.coverage c join warehouse.accounts a using (account_id)
     left join warehouse.account_days d using (account_id, day)
     where c.day between $1 and $2 and a.last_expected_day is null order by 2`,
    [days[0], days.at(-1)],
  );

function nameIn(row: object): string {
  const { account, name } = row as { account?: string; name?: string };
  return account ?? name ?? '';
}

function lineOf(row: unknown): string {
  const text = JSON.stringify(row, (key, value: unknown) => {
    if (unstableKeys.test(key) || key === 'accountId') return undefined;
    return key === 'account_id' || key === 'listed_by_account_id' ? value !== null : value;
  });
  return (
    (text ?? 'nothing')
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:[\d.]+(Z|[+-]\d\d(:\d\d)?)?/g, 'some time')
      .replaceAll(/Date: [^\\]*|=\\r\\n|Updated [^.]*\.|_NmP-[0-9a-f]+-/g, '')
      // When a response was held first, by the clock of the database.
      .replaceAll(/on \d+ \w+, \d\d:\d\d UTC/g, 'some time')
      // Each world has its own folder of settings.
      .replaceAll(/callsheet-world-\w+/g, 'callsheet-world')
  );
}
