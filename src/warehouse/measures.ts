import sql from 'sql-template-tag';
import type { DeliveryState } from '../model/digest.ts';
import type { Queries } from './warehouse.ts';

/** How many windows of an account are in each state, and have each flag. */
export type WindowMeasure = {
  readonly account: string;
  readonly states: Readonly<Record<'loaded' | 'provisional' | 'failed' | 'missing', number>>;
  readonly flags: Readonly<Record<'held' | 'suspicious' | 'settling' | 'restated', number>>;
};

export async function measureWindows(warehouse: Queries): Promise<WindowMeasure[]> {
  const { rows } = await warehouse.query<WindowMeasure>(sql`
    select c.account,
      json_build_object(
        'loaded', count(*) filter (where c.state = 'loaded'),
        'provisional', count(*) filter (where c.state = 'provisional'),
        'failed', count(*) filter (where c.state = 'failed'),
        'missing', count(*) filter (where c.state = 'missing')) as states,
      json_build_object(
        'held', count(*) filter (where c.held),
        'suspicious', count(*) filter (where c.suspicious),
        'settling', count(*) filter (where c.settling),
        'restated', count(*) filter (where c.restated)) as flags
    from warehouse.coverage c join warehouse.accounts a using (account_id)
    where a.until is null
    group by c.account order by c.account
  `);
  return rows;
}

/** Answers of the service, by operation and by what was decided on them; `status` is null where none came. */
export type RequestMeasure = {
  readonly operation: string;
  readonly status: number | null;
  readonly decided: string;
  readonly requests: number;
};

export async function measureRequests(warehouse: Queries): Promise<RequestMeasure[]> {
  const { rows } = await warehouse.query<RequestMeasure>(sql`
    select operation, status, decided, count(*) as requests
    from etl.fetches group by 1, 2, 3 order by 1, 2, 3
  `);
  return rows;
}

export type AccountMeasure = {
  readonly account: string;
  /** Campaign rows that stand, of all loaded days. */
  readonly rows: number;
  readonly rejects: number;
};

export async function measureAccounts(warehouse: Queries): Promise<AccountMeasure[]> {
  const { rows } = await warehouse.query<AccountMeasure>(sql`
    select a.name as account,
      (select coalesce(sum(campaigns), 0)::bigint from warehouse.account_days d where d.account_id = a.account_id) as rows,
      (select count(*) from etl.rejects r where r.account_id = a.account_id) as rejects
    from warehouse.accounts a where a.until is null order by a.name
  `);
  return rows;
}

export async function measureRuns(warehouse: Queries): Promise<{ outcome: string; runs: number }[]> {
  const { rows } = await warehouse.query<{ outcome: string; runs: number }>(sql`
    select outcome, count(*) as runs from etl.runs where outcome is not null group by outcome order by outcome
  `);
  return rows;
}

/** Which states a delivery may be in that hasn't arrived. */
export const unsentStates: readonly DeliveryState[] = ['pending', 'sending', 'failed', 'refused', 'unknown'];
