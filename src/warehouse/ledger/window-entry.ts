import { type ExpressionBuilder, sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Failure } from '../../model/errors.ts';
import type { CurrentDay, DaySums, LoadDecision, WindowResponse } from '../../model/window.ts';
import type { Queries, Transaction } from '../db/database.ts';
import { asExcluded, tableOf, transactionTime } from '../db/expressions.ts';
import type { Tables } from '../db/tables.ts';

/** A window by its key: an account on a day, in the account's zone. */
export type WindowKey = { readonly accountId: number; readonly day: Day };

/** A locked row of the ledger. */
export type LockedEntry = Omit<CurrentDay, 'rows' | 'isReplayOfNewest'> & {
  /** The response's time, compared with that of the last response that was decided on. */
  readonly order: 'newer' | 'same' | 'older';
  /**
   * The recorded `fetched_at`, if it is in the future because the database's clock was wrong; else null. Any
   * response is newer then: otherwise none would be loaded until that time.
   */
  readonly futureFetchedAt: string | null;
  /** An earlier response of the window had this body, and it is archived: read here, to save a round trip. */
  readonly isBodyArchived: boolean;
  /** The window has current rejects. */
  readonly hasRejects: boolean;
};

/**
 * Locks the ledger's row of a window; inserts it first if there is none.
 *
 * @param response the response to be loaded
 */
export async function lockEntry(
  transaction: Transaction,
  { accountId, day, fetchedAt, response }: WindowKey & Pick<WindowResponse, 'fetchedAt' | 'response'>,
): Promise<LockedEntry> {
  const bodySha256 = typeof response === 'number' ? null : response.sha256;
  await transaction
    .insertInto('etl.windows')
    .columns(['account_id', 'day', 'state'])
    .expression((eb) =>
      eb
        .selectFrom('warehouse.accounts')
        .select(['account_id', sql<Day>`${day}::date`.as('day'), eb.val<'failed'>('failed').as('state')])
        .where('account_id', '=', accountId)
        // Locks the account before the window, as `forget` does: the foreign key of an existing row doesn't.
        .forKeyShare(),
    )
    .onConflict((conflict) => conflict.columns(['account_id', 'day']).doNothing())
    .execute();
  return await transaction
    .selectFrom('etl.windows')
    .select([
      ...currentDay,
      sql<LockedEntry['order']>`
        case when fetched_at <= clock_timestamp() and fetched_at > ${fetchedAt}::timestamptz then 'older'
          when fetched_at <= clock_timestamp() and fetched_at = ${fetchedAt}::timestamptz then 'same'
          else 'newer' end`.as('order'),
      sql<string | null>`case when fetched_at > clock_timestamp() then fetched_at end`.as('futureFetchedAt'),
      // ARCHIVE_DAYS is 2 at least: a body that is younger isn't pruned before this transaction ends.
      sql<boolean>`exists (
        select from etl.responses f join etl.response_bodies b using (sha256)
        where f.account_id = ${accountId} and f.day = ${day}::date and f.sha256 = ${bodySha256}
          and b.referenced_at > now() - interval '36 hours')`.as('isBodyArchived'),
      sql<boolean>`exists (
        select from etl.rejects r
        where r.account_id = ${accountId} and r.day = ${day}::date and r.current)`.as('hasRejects'),
    ])
    .where((eb) => eb.and({ account_id: accountId, day }))
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/** Fewer attempts may be the same on two days by chance. */
export const minSameAttempts = 20;

const currentDay = [
  'state',
  'day_ended as isOver',
  'anomalies',
  'held_hash as heldHash',
  'content_hash as contentHash',
  'same_since_run_date as sameSinceRunDate',
  'settled as isSettled',
  sql<string | null>`(
    select b.content_hash from etl.windows b
    where b.account_id = windows.account_id and b.day = windows.day - 1
      and b.state <> 'failed' and b.day_ended and b.attempts >= ${minSameAttempts})`.as('hashOfDayBefore'),
] as const;

/** Reads a window without a lock; null if it was never attempted. */
export async function readEntry(
  queries: Queries,
  { accountId, day }: WindowKey,
): Promise<Omit<CurrentDay, 'rows' | 'isReplayOfNewest'> | null> {
  const entry = await queries
    .selectFrom('etl.windows')
    .select(currentDay)
    .where((eb) => eb.and({ account_id: accountId, day }))
    .executeTakeFirst();
  return entry ?? null;
}

/** A failure is over once a newer response came; an older response, replayed or late, leaves it. */
const olderFailureCleared = ({ fetchedAt }: Pick<WindowResponse, 'fetchedAt'>) => {
  const unlessOlder = (column: string) =>
    sql<string | null>`case when failed_at > ${fetchedAt}::timestamptz then ${sql.ref(column)} end`;
  return {
    failed_at: unlessOlder('failed_at'),
    error: unlessOlder('error'),
    error_code: unlessOlder('error_code'),
    error_status: unlessOlder('error_status'),
    error_sign: unlessOlder('error_sign'),
    failed_run_date: unlessOlder('failed_run_date'),
  };
};

/** Records that the response's counts are the current ones, and their sums; if they changed, settling starts again. */
export async function recordApplied(
  transaction: Transaction,
  response: WindowResponse,
  { anomalies, provisional, change }: AppliedDecision,
): Promise<void> {
  const isChanged = [change.appeared, change.updated, change.withdrawn].some((rows) => rows.length > 0);
  const state = provisional === null ? 'loaded' : 'provisional';
  // Counts of a day that wasn't over say nothing of those of the whole day.
  const isSameAsBefore = (eb: ExpressionBuilder<Tables, 'etl.windows'>) =>
    eb.and([eb('content_hash', 'is not distinct from', response.contentHash), eb('day_ended', '=', true)]);
  await transaction
    .updateTable('etl.windows')
    .set((eb) => ({
      state,
      fetched_at: response.fetchedAt,
      synced_at: transactionTime,
      first_loaded_at: eb.fn.coalesce('first_loaded_at', transactionTime),
      dismissed_at: null,
      confirmed_at: provisional === null ? eb.fn.coalesce('confirmed_at', transactionTime) : null,
      updated_at: eb
        .case()
        .when(
          eb.or([
            eb.lit(isChanged),
            eb('state', '<>', state),
            eb('provisional_reason', 'is distinct from', provisional),
            eb('held_hash', 'is not', null),
          ]),
        )
        .then(transactionTime)
        .else(eb.ref('updated_at'))
        .end(),
      ...sumColumns(change.sums),
      run_id: response.runId,
      same_since_run_date: eb
        .case()
        .when(eb.not(isSameAsBefore(eb)))
        .then(sql<Day>`${response.runDate}::date`)
        .else(eb.ref('same_since_run_date'))
        .end(),
      settled: eb
        .and([
          eb.lit(provisional === null),
          eb.or([
            eb.lit(response.isOutsideCatchUp),
            eb.and([isSameAsBefore(eb), eb('same_since_run_date', '<', response.runDate)]),
          ]),
        ])
        .$castTo<boolean>(),
      content_hash: response.contentHash,
      day_ended: response.isOver,
      unreported: sql`${[...response.unreported]}::text[]`,
      anomalies: JSON.stringify(anomalies),
      provisional_reason: provisional,
      synced_run_date: response.runDate,
      ...olderFailureCleared(response),
      ...nothingHeld,
      held_since: null,
    }))
    .where((eb) => eb.and({ account_id: response.accountId, day: response.day }))
    .execute();
}

const nothingHeld = { held_hash: null, held_code: null, held_reason: null };

type AppliedDecision = Extract<LoadDecision, { readonly decision: 'apply' }>;

/** Records a response that says nothing new of its day, unless a newer one came. */
export async function recordUnchanged(
  queries: Queries,
  { accountId, day, fetchedAt, runDate }: WindowKey & Pick<WindowResponse, 'fetchedAt' | 'runDate'>,
): Promise<void> {
  await queries
    .updateTable('etl.windows')
    .set({ fetched_at: fetchedAt, synced_run_date: runDate, ...olderFailureCleared({ fetchedAt }) })
    .where((eb) => eb.and({ account_id: accountId, day }))
    .where('fetched_at', '<', fetchedAt)
    .execute();
}

const sumColumns = ({ campaigns, activeCampaigns, attemptsUnreportedCampaigns, counts, rates }: DaySums) => ({
  listed_campaigns: campaigns,
  active_campaigns: activeCampaigns,
  attempts_unreported_campaigns: attemptsUnreportedCampaigns,
  attempts: counts.attempts,
  busies: counts.busies,
  connects: counts.connects,
  live_answers: counts.liveAnswers,
  connect_rate_connects: rates.connects.part,
  connect_rate_attempts: rates.connects.attempts,
  live_answer_rate_live_answers: rates.liveAnswers.part,
  live_answer_rate_attempts: rates.liveAnswers.attempts,
  busy_rate_busies: rates.busies.part,
  busy_rate_attempts: rates.busies.attempts,
});

/**
 * Records a response that left the day as it is: it is held, or ignored, because the service doesn't keep the day or the loaded
 * response has fuller figures. Of an ignored one nothing is held any more.
 */
export async function recordUnapplied(
  transaction: Transaction,
  response: WindowResponse,
  decision: Exclude<LoadDecision, AppliedDecision>,
): Promise<void> {
  const held =
    decision.decision === 'ignore'
      ? nothingHeld
      : { held_hash: response.contentHash, held_code: decision.code, held_reason: decision.because };
  const isHeldAgain = sql<boolean>`held_hash is not distinct from ${held.held_hash}`;
  await transaction
    .updateTable('etl.windows')
    .set({
      fetched_at: response.fetchedAt,
      synced_run_date: response.runDate,
      // Another answer than the loaded one: a later run date didn't repeat that.
      same_since_run_date: sql<Day>`case state when 'provisional' then ${response.runDate}::date else same_since_run_date end`,
      updated_at: sql`case when ${isHeldAgain} then updated_at else ${transactionTime} end`,
      held_since: sql`case when ${isHeldAgain} then held_since when ${held.held_hash !== null} then ${transactionTime} end`,
      ...olderFailureCleared(response),
      ...held,
    })
    .where((eb) => eb.and({ account_id: response.accountId, day: response.day }))
    .execute();
}

/** What was refused, and isn't requested by a later run, stays refused. */
const unlessRefused = (column: 'error' | 'error_code' | 'error_status' | 'error_sign') =>
  sql<string>`case when excluded.error_code = 'NOT_REQUESTED' and etl.windows.error_code = 'TOKEN_REFUSED'
    then ${sql.ref(`etl.windows.${column}`)} else ${sql.ref(`excluded.${column}`)} end`;

/**
 * Records why windows weren't synced; their rows stay. A failure is stale like a response: it changes nothing that was requested
 * after it, by the database's clock. Returns the windows whose account wasn't erased meanwhile, and that nothing newer came for.
 */
export async function recordFailures(
  warehouse: Queries,
  windows: readonly (WindowKey & { readonly requestedAt: string })[],
  runDate: Day,
  {
    code,
    detail,
    status,
    sign = null,
  }: Pick<Failure, 'code' | 'detail' | 'status'> & Partial<Pick<Failure, 'sign'>>,
): Promise<WindowKey[]> {
  const failed = tableOf(windows, 'f', {
    account_id: ['integer', ({ accountId }) => accountId],
    day: ['date', ({ day }) => day],
    requested_at: ['timestamptz', ({ requestedAt }) => requestedAt],
  });
  return await warehouse
    .insertInto('etl.windows')
    .columns([
      'account_id',
      'day',
      'state',
      'failed_at',
      'error',
      'error_code',
      'error_status',
      'error_sign',
      'failed_run_date',
    ])
    .expression((eb) =>
      eb
        .selectFrom('warehouse.accounts as a')
        .innerJoin(failed, 'f.account_id', 'a.account_id')
        .select([
          'a.account_id',
          'f.day',
          eb.val<'failed'>('failed').as('state'),
          'f.requested_at as failed_at',
          eb.val(detail).as('error'),
          eb.val(code).as('error_code'),
          eb.val(status).as('error_status'),
          eb.val(sign).as('error_sign'),
          sql<Day>`${runDate}::date`.as('failed_run_date'),
        ])
        .forKeyShare('a'),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'day'])
        .doUpdateSet({
          ...asExcluded(['failed_at', 'failed_run_date']),
          error: unlessRefused('error'),
          error_code: unlessRefused('error_code'),
          error_status: unlessRefused('error_status'),
          error_sign: unlessRefused('error_sign'),
        })
        .where((eb) =>
          eb.or([
            eb('etl.windows.fetched_at', 'is', null),
            eb('etl.windows.fetched_at', '<', sql<string>`excluded.failed_at`),
          ]),
        ),
    )
    .returning(['account_id as accountId', 'day'])
    .execute();
}
