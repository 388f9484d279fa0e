import sql from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { StandingDay } from '../model/day-change.ts';
import type { Moment } from './moment.ts';
import type { Transaction } from './warehouse.ts';

/** What the ledger enters of an answer that was decided on. */
export type Entry = {
  readonly accountId: number;
  readonly day: Day;
  readonly contentHash: string;
  /** Clock of the database just before the request. */
  readonly fetchedAt: string;
  /** Whether the day wasn't over yet when it was asked for. */
  readonly provisional: boolean;
  readonly runId: number;
  readonly night: Day;
};

/** Locks the ledger's row of a window, made first where there is none; and says whether an answer of that time is stale. */
export async function lockEntry(
  transaction: Transaction,
  { accountId, day, fetchedAt }: Pick<Entry, 'accountId' | 'day' | 'fetchedAt'>,
): Promise<Omit<StandingDay, 'rows'> & { readonly stale: boolean }> {
  await transaction.query(sql`
    insert into etl.windows (account_id, day, state) values (${accountId}, ${day}, 'failed')
    on conflict (account_id, day) do nothing
  `);
  const { rows } = await transaction.query<Omit<StandingDay, 'rows'> & { stale: boolean }>(sql`
    select state, held_hash as "heldHash", held_night as "heldNight",
      coalesce(fetched_at >= ${fetchedAt}::timestamptz, false) as stale
    from etl.windows where account_id = ${accountId} and day = ${day} for update
  `);
  return rows[0]!;
}

/** The counts that stand are those of the answer; on other counts than before, they begin to settle anew. */
export async function enterApplied(transaction: Transaction, entry: Entry, at: Moment): Promise<void> {
  await transaction.query(sql`
    update etl.windows
    set state = ${entry.provisional ? 'provisional' : 'loaded'},
      fetched_at = ${entry.fetchedAt}::timestamptz, loaded_at = ${at}, run_id = ${entry.runId},
      same_since_night = case
        when content_hash is distinct from ${entry.contentHash} or state <> 'loaded' then ${entry.night}::date
        else same_since_night end,
      content_hash = ${entry.contentHash}, pulled_night = ${entry.night}::date,
      failed_at = null, failure = null, held_hash = null, held_night = null, held_since = null
    where account_id = ${entry.accountId} and day = ${entry.day}
  `);
}

/** What stood stands; the answer is noted, and the first night on which it came. */
export async function enterHeld(transaction: Transaction, entry: Entry, at: Moment): Promise<void> {
  const again = sql`held_hash is not distinct from ${entry.contentHash}`;
  await transaction.query(sql`
    update etl.windows
    set fetched_at = ${entry.fetchedAt}::timestamptz, pulled_night = ${entry.night}::date,
      held_night = case when ${again} then held_night else ${entry.night}::date end,
      held_since = case when ${again} then held_since else ${at} end,
      held_hash = ${entry.contentHash}, failed_at = null, failure = null
    where account_id = ${entry.accountId} and day = ${entry.day}
  `);
}
