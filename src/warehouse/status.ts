import sql from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { DeliveryState } from '../model/digest.ts';
import type { Queries } from './warehouse.ts';

/** How an account stands. Days are lists, oldest first. */
export type AccountStatus = {
  readonly account: string;
  readonly timeZone: string;
  readonly since: Day | null;
  /** Last day up to which every day is loaded and over; null where not even the first is. */
  readonly completeThrough: Day | null;
  /** Days up to yesterday that are missing, failed or provisional. */
  readonly gaps: readonly Day[];
  readonly held: readonly Day[];
  readonly suspicious: readonly Day[];
  /** How many days have not been told the same in two nights running. */
  readonly settling: number;
  /** Records in quarantine in the last seven days. */
  readonly quarantined: number;
};

export async function accountStatuses(warehouse: Queries): Promise<AccountStatus[]> {
  const { rows } = await warehouse.query<AccountStatus>(sql`
    select a.name as account, a.time_zone as "timeZone", a.since,
      coalesce(min(c.day) filter (where c.state <> 'loaded') - 1, max(c.day)) as "completeThrough",
      coalesce(array_agg(c.day::text order by c.day) filter (where c.state <> 'loaded'), '{}') as gaps,
      coalesce(array_agg(c.day::text order by c.day) filter (where c.held), '{}') as held,
      coalesce(array_agg(c.day::text order by c.day) filter (where c.suspicious), '{}') as suspicious,
      count(*) filter (where c.settling) as settling,
      (select count(*) from etl.rejects r
        where r.account_id = a.account_id and r.rejected_at > now() - interval '7 days') as quarantined
    from warehouse.accounts a
    left join warehouse.coverage c using (account_id)
    where a.until is null
    group by a.account_id, a.name, a.time_zone, a.since
    order by a.name
  `);
  return rows.map((row) => ({ ...row, completeThrough: notBefore(row.since, row.completeThrough) }));
}

const notBefore = (since: Day | null, day: Day | null) =>
  since === null || day === null || day < since ? null : day;

export type RunStatus = {
  readonly run: number;
  readonly command: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** Null while it works, or if it was killed. */
  readonly outcome: string | null;
  readonly exitCode: number | null;
};

export async function lastRuns(warehouse: Queries, count: number): Promise<RunStatus[]> {
  const { rows } = await warehouse.query<RunStatus>(sql`
    select run_id as run, command, started_at as "startedAt", finished_at as "finishedAt", outcome,
      exit_code as "exitCode"
    from etl.runs order by run_id desc limit ${count}
  `);
  return rows;
}

export type UnsentStatus = {
  readonly digest: string;
  readonly day: Day;
  readonly recipient: string;
  readonly state: DeliveryState;
  readonly reply: string | null;
};

/** Mail that has not arrived for all that is known; of what was refused or is unknown, that of the last 31 days. */
export async function unsentMail(warehouse: Queries): Promise<UnsentStatus[]> {
  const { rows } = await warehouse.query<UnsentStatus>(sql`
    select g.name as digest, g.day, d.recipient, d.state, d.reply
    from etl.deliveries d join etl.digests g using (digest_id)
    where d.state not in ('sent', 'written') and d.waived_at is null
      and (d.state not in ('refused', 'unknown') or d.changed_at > now() - interval '31 days')
    order by g.day, d.delivery_id
  `);
  return rows;
}
