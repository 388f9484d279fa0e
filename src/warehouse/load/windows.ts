import type { Selectable } from 'kysely';
import type { Anomaly } from '../../model/anomaly.ts';
import type { Day } from '../../model/day.ts';
import type { Failure } from '../../model/errors.ts';
import type { CampaignRecord, CountName, ServiceResponse, SummaryEnvelope } from '../../model/records.ts';
import type { CurrentDay, LoadDecision } from '../../model/window.ts';
import { type Fetch, keepFetches } from '../archive/archive.ts';
import type { Queries, Transaction } from '../db/database.ts';
import { asExcluded, clockTime, type Timestamp, tableOf } from '../db/expressions.ts';
import type { Decision, Tables } from '../db/tables.ts';
import {
  type Entry,
  noSums,
  recordApplied,
  recordHeld,
  recordKept,
  type WindowKey,
} from '../ledger/window-entry.ts';
import { applyDayChange, keepPastSums, readCurrentRows } from './campaign-days.ts';
import type { Rejected } from './rejects.ts';

/** A response for a window, to be loaded. */
export type WindowResponse = Entry &
  Rejected & {
    readonly records: readonly CampaignRecord[];
    readonly envelope: SummaryEnvelope;
    /** Counts that most of the campaigns leave out. */
    readonly unreported: readonly CountName[];
    readonly hasCalls: boolean;
    readonly isBeyondLookback: boolean;
    /** The first day within `CATCH_UP_DAYS`. */
    readonly knownSince: Day;
    readonly response: ServiceResponse;
  };

/**
 * Follows the decision on a response, under the lock of its ledger row, and records it in the ledger. Only an applied
 * response changes the rows and the sums of the day.
 *
 * @param at the timestamp that the rows get
 */
export async function followDecision(
  transaction: Transaction,
  entry: Entry,
  decision: LoadDecision,
  at: Timestamp,
): Promise<void> {
  if (decision.decision === 'hold') return await recordHeld(transaction, entry, decision, at);
  if (decision.decision === 'keep') return await recordKept(transaction, entry, at);
  const restated = decision.change.restatements.length;
  if (restated > 0) await keepPastSums(transaction, entry, restated, at);
  await applyDayChange(transaction, entry, decision.change, at);
  await recordApplied(transaction, entry, decision, at);
}

/** Archives a response of a window with its decision. */
export async function archiveResponse(
  transaction: Transaction,
  window: WindowResponse & Pick<Fetch, 'bodyKept'>,
  decision: Decision,
  anomalies: readonly Anomaly[] = [],
): Promise<void> {
  const { unreported, hasCalls, isOver } = window;
  const envelope = { ...window.envelope, unreported, hasCalls, isOver, anomalies };
  await keepFetches(transaction, [{ ...window, walk: null, envelope, decision }]);
}

const unknownDay: CurrentDay = {
  state: 'failed',
  isOver: true,
  contentHash: null,
  anomalies: [],
  sameSinceRunDate: null,
  isSettled: false,
  heldHash: null,
  heldRunDate: null,
  rows: [],
};

/** Reads the current state of a window without a lock. `accountId` is null if there is no account yet. */
export async function readCurrentDay(
  warehouse: Queries,
  accountId: number | null,
  day: Day,
): Promise<CurrentDay> {
  const entry = await warehouse
    .selectFrom('etl.windows')
    .select([
      'state',
      'over as isOver',
      'anomalies',
      'content_hash as contentHash',
      'same_since_run_date as sameSinceRunDate',
      'settled as isSettled',
      'held_hash as heldHash',
      'held_run_date as heldRunDate',
    ])
    .where('account_id', '=', accountId)
    .where('day', '=', day)
    .executeTakeFirst();
  if (accountId === null || entry === undefined) return unknownDay;
  return { ...entry, rows: await readCurrentRows(warehouse, { accountId, day }) };
}

/** Records why windows weren't synced; their rows stay. Returns those whose account wasn't erased meanwhile. */
export async function recordFailures(
  warehouse: Queries,
  windows: readonly WindowKey[],
  { code, detail }: Pick<Failure, 'code' | 'detail'>,
): Promise<WindowKey[]> {
  const failed = tableOf(windows, 'f', {
    account_id: ['integer', ({ accountId }) => accountId],
    day: ['date', ({ day }) => day],
  });
  return await warehouse
    .insertInto('etl.windows')
    .columns(['account_id', 'day', 'state', 'failed_at', 'failure', 'failure_code'])
    .expression((eb) =>
      eb
        .selectFrom('warehouse.accounts as a')
        .innerJoin(failed, 'f.account_id', 'a.account_id')
        .select([
          'a.account_id',
          'f.day',
          eb.val<'failed'>('failed').as('state'),
          clockTime.as('failed_at'),
          eb.val(detail).as('failure'),
          eb.val(code).as('failure_code'),
        ])
        .forKeyShare('a'),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'day'])
        .doUpdateSet(asExcluded(['failed_at', 'failure', 'failure_code'])),
    )
    .returning(['account_id as accountId', 'day'])
    .execute();
}

const windowTables = [
  'warehouse.campaign_day_restatements',
  'etl.campaign_days',
  'etl.past_account_days',
] as const;

/** The last failure of a window: no archived response shows it. */
export type LastFailure = Pick<Selectable<Tables['etl.windows']>, 'failed_at' | 'failure' | 'failure_code'>;

/** Deletes the loaded rows of a window and resets its ledger row. Keeps and returns the last failure. */
export async function clearWindow(
  transaction: Transaction,
  { accountId, day }: WindowKey,
): Promise<LastFailure> {
  for (const table of windowTables)
    await transaction
      .deleteFrom(table)
      .where((eb) => eb.and({ account_id: accountId, day }))
      .execute();
  return await transaction
    .updateTable('etl.windows')
    .set({
      state: 'failed',
      content_hash: null,
      over: true,
      anomalies: JSON.stringify([]),
      provisional_reason: null,
      same_since_run_date: null,
      settled: false,
      held_hash: null,
      held_code: null,
      held_reason: null,
      held_run_date: null,
      held_since: null,
      first_loaded_at: null,
      updated_at: null,
      ...noSums,
    })
    .where((eb) => eb.and({ account_id: accountId, day }))
    .returning(['failed_at', 'failure', 'failure_code'])
    .executeTakeFirstOrThrow();
}

/** Restores a failure that the decisions of a replay overwrote. */
export async function restoreFailure(
  transaction: Transaction,
  { accountId, day }: WindowKey,
  failure: LastFailure,
): Promise<void> {
  await transaction
    .updateTable('etl.windows')
    .set(failure)
    .where((eb) => eb.and({ account_id: accountId, day }))
    .execute();
}
