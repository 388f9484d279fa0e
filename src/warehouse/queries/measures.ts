import { type NotNull, sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type { DeliveryState } from '../../model/digest.ts';
import type { Queries } from '../db/database.ts';

/** How many windows of each account are in each state, and have each flag. */
export async function measureWindows(queries: Queries) {
  return await queries
    .selectFrom('warehouse.coverage as c')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'c.account_id')
    .select(({ fn }) => {
      const windows = fn.countAll<number>();
      return [
        'c.account',
        jsonBuildObject({
          loaded: windows.filterWhere('c.state', '=', 'loaded'),
          provisional: windows.filterWhere('c.state', '=', 'provisional'),
          failed: windows.filterWhere('c.state', '=', 'failed'),
          missing: windows.filterWhere('c.state', '=', 'missing'),
        }).as('states'),
        jsonBuildObject({
          held: windows.filterWhere('c.held', '=', true),
          suspicious: windows.filterWhere('c.suspicious', '=', true),
          settling: windows.filterWhere('c.settling', '=', true),
          restated: windows.filterWhere('c.restated', '=', true),
        }).as('flags'),
      ];
    })
    .where('a.until', 'is', null)
    .groupBy('c.account')
    .orderBy('c.account')
    .execute();
}

/** Responses of the service, by operation and load decision; `status` is null where there was none. */
export async function measureRequests(queries: Queries) {
  return await queries
    .selectFrom('etl.responses')
    .select(({ fn }) => ['operation', 'status', 'decision', fn.countAll<number>().as('requests')])
    .groupBy(['operation', 'status', 'decision'])
    .orderBy('operation')
    .orderBy('status')
    .orderBy('decision')
    .execute();
}

/** Current campaign rows of each account, of all loaded days, and its records in quarantine, each once. */
export async function measureAccounts(queries: Queries) {
  return await queries
    .selectFrom('warehouse.accounts as a')
    .select((eb) => [
      'a.name as account',
      eb
        .selectFrom('warehouse.account_days as d')
        .select(sql<number>`coalesce(sum(d.campaigns), 0)::bigint`.as('campaigns'))
        .whereRef('d.account_id', '=', 'a.account_id')
        .$asScalar()
        .$notNull()
        .as('rows'),
      eb
        .selectFrom('etl.rejects as r')
        .select(eb.fn.countAll<number>().as('records'))
        .whereRef('r.account_id', '=', 'a.account_id')
        .$asScalar()
        .$notNull()
        .as('rejects'),
    ])
    .where('a.until', 'is', null)
    .orderBy('a.name')
    .execute();
}

/** Runs that have ended, by outcome. */
export async function measureRuns(queries: Queries) {
  return await queries
    .selectFrom('etl.runs')
    .select(({ fn }) => ['outcome', fn.countAll<number>().as('runs')])
    .where('outcome', 'is not', null)
    .groupBy('outcome')
    .orderBy('outcome')
    .$narrowType<{ outcome: NotNull }>()
    .execute();
}

/** Which states a delivery may be in that hasn't arrived. */
export const unsentStates: readonly DeliveryState[] = ['pending', 'sending', 'failed', 'refused', 'unknown'];
