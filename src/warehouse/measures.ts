import { sql } from 'kysely';
import type { DeliveryState } from '../model/digest.ts';
import type { Warehouse } from './tables.ts';

/** How many windows of an account are in each state, and have each flag. */
export type WindowMeasure = {
  readonly account: string;
  readonly states: Readonly<Record<'loaded' | 'provisional' | 'failed' | 'missing', number>>;
  readonly flags: Readonly<Record<'held' | 'suspicious' | 'settling' | 'restated', number>>;
};

export async function measureWindows(warehouse: Warehouse): Promise<WindowMeasure[]> {
  const { rows } = await sql<WindowMeasure>`
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
  `.execute(warehouse);
  return rows;
}

/** Answers of the service, by operation and by what was decided on them; `status` is null where none came. */
export type RequestMeasure = {
  readonly operation: string;
  readonly status: number | null;
  readonly decided: string;
  readonly requests: number;
};

export async function measureRequests(warehouse: Warehouse): Promise<RequestMeasure[]> {
  const { rows } = await sql<RequestMeasure>`
    select operation, status, decided, count(*) as requests
    from etl.fetches group by 1, 2, 3 order by 1, 2, 3
  `.execute(warehouse);
  return rows;
}

export type AccountMeasure = {
  readonly account: string;
  /** Campaign rows that stand, of all loaded days. */
  readonly rows: number;
  readonly rejects: number;
};

export async function measureAccounts(warehouse: Warehouse): Promise<AccountMeasure[]> {
  const { rows } = await sql<AccountMeasure>`
    select a.name as account,
      (select coalesce(sum(campaigns), 0)::bigint from warehouse.account_days d where d.account_id = a.account_id) as rows,
      (select count(*) from etl.rejects r where r.account_id = a.account_id) as rejects
    from warehouse.accounts a where a.until is null order by a.name
  `.execute(warehouse);
  return rows;
}

export async function measureRuns(warehouse: Warehouse): Promise<{ outcome: string; runs: number }[]> {
  const { rows } = await sql<{ outcome: string; runs: number }>`
    select outcome, count(*) as runs from etl.runs where outcome is not null group by outcome order by outcome
  `.execute(warehouse);
  return rows;
}

/** Which states a delivery may be in that hasn't arrived. */
export const unsentStates: readonly DeliveryState[] = ['pending', 'sending', 'failed', 'refused', 'unknown'];
