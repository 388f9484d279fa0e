import { type KyselyPlugin, type RawNode, sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { readAccountDays } from '../../../src/warehouse/queries/account-days.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { warehouse } = await openTestWarehouse();
beforeAll(async () => {
  for (const table of ['warehouse.accounts', 'etl.windows', 'etl.complete_through'])
    await sql`alter table ${sql.table(table)} set (autovacuum_enabled = off)`.execute(warehouse);
});

type Plan = { readonly Plans?: readonly Plan[]; readonly 'Actual Loops': number } & Record<string, number>;

/** Rows that a plan's steps returned or left out. */
const rowsOf = (plan: Plan): number => {
  const { 'Actual Loops': loops, Plans: inner = [] } = plan;
  const counted = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Join Filter'];
  const own = counted.reduce((sum, name) => sum + (plan[name] ?? 0) * loops, 0);
  return inner.reduce((sum, each) => sum + rowsOf(each), own);
};

/** Explains a statement in place of its result. */
const explained: KyselyPlugin = {
  transformQuery({ node }) {
    const { sqlFragments } = node as RawNode;
    const [beginning, ...rest] = sqlFragments;
    return { ...(node as RawNode), sqlFragments: [`explain (analyze, format json) ${beginning}`, ...rest] };
  },
  transformResult: async ({ result }) => result,
};

/** Rows that the reading handles, once there are so many accounts, whose last 31 days are provisional. */
async function rowsHandled(accounts: number): Promise<number> {
  await sql`insert into warehouse.accounts (name, label, time_zone, first_expected_day)
    select 'office-' || n, 'Office', 'UTC', '2026-02-01'
    from generate_series((select count(*) from warehouse.accounts) + 1, ${accounts}::integer) n`.execute(
    warehouse,
  );
  await sql`insert into etl.windows (account_id, day, state, anomalies)
    select account_id, date '2026-02-01' + n, 'provisional', '[{"code": "remark", "sign": "note: oh", "confirmedBy": null}]'
    from warehouse.accounts, generate_series(0, 30) n
    on conflict do nothing`.execute(warehouse);
  const now = Temporal.Instant.from('2026-03-04T09:00:00Z');
  const [plan] = (await readAccountDays(warehouse.withPlugin(explained), now, 31)) as unknown as {
    readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[];
  }[];
  return rowsOf(plan!['QUERY PLAN'][0]!.Plan);
}

it('the days of four times as many accounts take no more than their share, before Postgres has statistics', async () => {
  const few = await rowsHandled(250);
  expect(few).toBeGreaterThan(250 * 31);
  expect((await rowsHandled(1_000)) / few).toBeLessThan(5);
});
