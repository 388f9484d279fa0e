import { sql, type Transaction } from 'kysely';
import type { Day } from '../model/day.ts';
import type { StandingDay, Verdict } from '../model/day-change.ts';
import type { CampaignRecord, Reject } from '../model/records.ts';
import { applyDayChange, readStandingRows, sumUpDay } from './campaign-days.ts';
import { followCampaigns } from './campaigns.ts';
import { quarantine } from './rejects.ts';
import type { Tables, Warehouse } from './tables.ts';
import { inTransaction } from './transaction.ts';

/** An answer on its way into the warehouse. */
export type WindowAnswer = {
  readonly accountId: number;
  readonly day: Day;
  readonly records: readonly CampaignRecord[];
  /** Records of the answer that couldn't be read. */
  readonly rejects: readonly Reject[];
  readonly contentHash: string;
  /** Clock of the database just before the request. */
  readonly fetchedAt: string;
  /** Whether the day wasn't over yet when it was asked for. */
  readonly provisional: boolean;
  readonly runId: number;
  readonly night: Day;
};

/** What became of an answer, and what stood before it. */
export type Loaded = {
  readonly before: StandingDay;
  readonly outcome: Verdict | { readonly decision: 'stale' };
};

/**
 * Loads a window and enters it in the ledger, in one transaction.
 * It begins with the ledger's row, locked, and goes on only if the answer is newer than the last that was decided
 * on: so any machine may load any window at any time, and the newest answer wins.
 *
 * @param judge decides what becomes of the answer; pure, handed in by the job
 */
export async function loadWindow(
  warehouse: Warehouse,
  answer: WindowAnswer,
  judge: (standing: StandingDay) => Verdict,
): Promise<Loaded> {
  const { accountId, day } = answer;
  return await inTransaction(warehouse, async (transaction) => {
    const entry = await lockEntry(transaction, answer);
    const before = { ...entry, rows: await readStandingRows(transaction, accountId, day) };
    if (entry.stale) return { before, outcome: { decision: 'stale' } };
    const verdict = judge(before);
    await quarantine(transaction, { ...answer, operation: 'campaignSummary' }, answer.rejects);
    if (verdict.decision === 'hold') {
      await enterHeld(transaction, answer);
    } else {
      await applyDayChange(transaction, accountId, day, verdict.change);
      await sumUpDay(transaction, accountId, day, answer.provisional);
      await enterApplied(transaction, answer);
      await followCampaigns(transaction, accountId, day, verdict.change);
    }
    return { before, outcome: verdict };
  });
}

/** What stands of a window now, without a lock: to look at. Null is an account that isn't there yet. */
export async function readStandingDay(
  warehouse: Warehouse,
  accountId: number | null,
  day: Day,
): Promise<StandingDay> {
  const { rows } = await sql<Omit<StandingDay, 'rows'>>`
    select state, held_hash as "heldHash", held_night as "heldNight"
    from etl.windows where account_id = ${accountId} and day = ${day}
  `.execute(warehouse);
  const entry = rows[0] ?? { state: 'failed', heldHash: null, heldNight: null };
  return { ...entry, rows: accountId === null ? [] : await readStandingRows(warehouse, accountId, day) };
}

async function lockEntry(transaction: Transaction<Tables>, { accountId, day, fetchedAt }: WindowAnswer) {
  await sql`
    insert into etl.windows (account_id, day, state) values (${accountId}, ${day}, 'failed')
    on conflict (account_id, day) do nothing
  `.execute(transaction);
  const { rows } = await sql<Omit<StandingDay, 'rows'> & { stale: boolean }>`
    select state, held_hash as "heldHash", held_night as "heldNight",
      coalesce(fetched_at >= ${fetchedAt}::timestamptz, false) as stale
    from etl.windows where account_id = ${accountId} and day = ${day} for update
  `.execute(transaction);
  return rows[0]!;
}

/** The counts that stand are those of the answer; on other counts than before, they begin to settle anew. */
async function enterApplied(transaction: Transaction<Tables>, answer: WindowAnswer): Promise<void> {
  await sql`
    update etl.windows w
    set state = ${answer.provisional ? 'provisional' : 'loaded'},
      fetched_at = ${answer.fetchedAt}::timestamptz, loaded_at = now(), run_id = ${answer.runId},
      same_since_night = case
        when content_hash is distinct from ${answer.contentHash} or state <> 'loaded' then ${answer.night}::date
        else same_since_night end,
      content_hash = ${answer.contentHash}, pulled_night = ${answer.night}::date,
      failed_at = null, failure = null, held_hash = null, held_night = null, held_since = null,
      suspicious = ${!answer.provisional} and (${usuallyHasCalls(answer)}) and exists (
        select from warehouse.account_days d
        where d.account_id = w.account_id and d.day = w.day
          and d.attempts + d.busies + d.connects + d.live_answers = 0)
    where account_id = ${answer.accountId} and day = ${answer.day}
  `.execute(transaction);
}

/** The same weekday of the four weeks before: at least two are loaded, and all that are had calls. */
function usuallyHasCalls({ accountId, day }: WindowAnswer) {
  return sql<boolean>`
    select count(*) >= 2 and bool_and(attempts > 0) from warehouse.account_days
    where account_id = ${accountId} and not provisional
      and day in (${day}::date - 7, ${day}::date - 14, ${day}::date - 21, ${day}::date - 28)`;
}

/** What stood stands; the answer is noted, and the first night on which it came. */
async function enterHeld(transaction: Transaction<Tables>, answer: WindowAnswer): Promise<void> {
  const again = sql<boolean>`held_hash is not distinct from ${answer.contentHash}`;
  await sql`
    update etl.windows
    set fetched_at = ${answer.fetchedAt}::timestamptz, pulled_night = ${answer.night}::date,
      held_night = case when ${again} then held_night else ${answer.night}::date end,
      held_since = case when ${again} then held_since else now() end,
      held_hash = ${answer.contentHash}, failed_at = null, failure = null
    where account_id = ${answer.accountId} and day = ${answer.day}
  `.execute(transaction);
}

/** Notes that a window could not be pulled. What stood of it stays. */
export async function noteFailure(
  warehouse: Warehouse,
  window: { readonly accountId: number; readonly day: Day },
  failure: string,
): Promise<void> {
  await sql`
    insert into etl.windows as w (account_id, day, state, failed_at, failure)
    values (${window.accountId}, ${window.day}, 'failed', clock_timestamp(), ${failure})
    on conflict (account_id, day) do update set failed_at = excluded.failed_at, failure = excluded.failure
  `.execute(warehouse);
}
