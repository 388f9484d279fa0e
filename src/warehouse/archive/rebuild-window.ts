import { sql, type Updateable } from 'kysely';
import type { CampaignRecord, CountName, Reject, SummaryEnvelope } from '../../model/records.ts';
import type { CountedResponse, CurrentDay, CurrentRow, DayChange, LoadDecision } from '../../model/window.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { recordedTime } from '../db/expressions.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { databaseClock } from '../ledger/runs.ts';
import { type Entry, lockEntry, recordApplied, recordHeld, type WindowKey } from '../ledger/window-entry.ts';
import { sumUpDay } from '../load/account-days.ts';
import { applyDayChange } from '../load/campaign-days.ts';
import { quarantine, releaseReadable } from '../load/rejects.ts';
import { changedIds, readCurrentDay } from '../load/windows.ts';
import { countColumns } from './archive.ts';
import { readCounted } from './read-archive.ts';

/** An archived response, parsed again, with its decision. */
export type DecidedResponse = Entry & {
  readonly id: number;
  /** `undecided`: it couldn't be read when it was received, and is decided now. */
  readonly decision: 'loaded' | 'provisional' | 'held' | 'undecided';
  readonly decidedAt: string;
  readonly records: readonly CampaignRecord[];
  readonly rejects: readonly Reject[];
  readonly envelope: SummaryEnvelope;
  /** Counts that most of the campaigns don't report. */
  readonly unreported: readonly CountName[];
};

/** The responses of a window, in the order of their decisions. */
export type DecidedResponses = {
  readonly responses: readonly DecidedResponse[];
  /** Whether the newest response of all is read now: then the last attempt didn't fail after all. */
  readonly healed: boolean;
};

/** The load decision, and the counts beside the campaigns that announce more of them. */
type DecidedAnew = LoadDecision & { readonly disagreeing: readonly string[] };

/** The decisions of the job. */
export type Decisions = {
  /** What a response changes about the current rows; `final` says that somebody may have read them as final. */
  readonly compare: (current: readonly CurrentRow[], response: DecidedResponse, final: boolean) => DayChange;
  /** The load decision on a response that is `undecided`. */
  readonly decide: (
    current: CurrentDay,
    response: DecidedResponse,
    earlier: readonly CountedResponse[],
  ) => DecidedAnew;
};

/** How many responses of a window were decided anew. */
export type Redecided = { readonly loaded: number; readonly held: number };

/**
 * Builds a window anew from its responses, one after the other, in one transaction: its rows, restatements, sums and
 * ledger entry, each with the timestamp of the decision. Decisions are followed, not made again, but for what is
 * undecided.
 * Without responses it stays as it is.
 *
 * @param read gives the responses; called under the ledger's lock, so that none is decided on in between
 */
export async function rebuildWindow(
  warehouse: Warehouse,
  window: WindowKey,
  read: (reader: Queries) => Promise<DecidedResponses>,
  decisions: Decisions,
): Promise<Redecided> {
  return await inTransaction(warehouse, async (transaction) => {
    await lockEntry(transaction, { ...window, fetchedAt: '-infinity' });
    const { responses, healed } = await read(transaction);
    if (responses.length === 0) {
      await forgetEmptyEntry(transaction, window);
      return { loaded: 0, held: 0 };
    }
    const last = await readLastFailure(transaction, window);
    await clearWindow(transaction, window);
    const redecided = await applyAll(transaction, window, responses, decisions);
    const isRedecided = redecided.loaded + redecided.held > 0;
    if ((last.loaded || isRedecided) && !healed) await updateEntry(transaction, window, last.failure);
    if (healed || last.failure.failure === null) {
      const newest = responses.at(-1)!;
      await releaseReadable(transaction, { ...newest, operation: 'campaignSummary' }, newest.rejects);
    }
    return redecided;
  });
}

async function applyAll(
  transaction: Transaction,
  window: WindowKey,
  responses: readonly DecidedResponse[],
  { compare, decide }: Decisions,
): Promise<Redecided> {
  const redecided = { loaded: 0, held: 0 };
  const lastFollowed = responses.findLastIndex(({ decision }) => decision !== 'undecided');
  let final = false;
  for (const [index, response] of responses.entries()) {
    const isNew = response.decision === 'undecided';
    // What later responses followed is history, and keeps its time; what is the newest state is news of today.
    const decidedAt = isNew && index > lastFollowed ? await databaseClock(transaction) : response.decidedAt;
    const current = await readCurrentDay(transaction, window.accountId, window.day);
    const decided = isNew ? await decideAnew(transaction, current, response, decide) : null;
    const outcome = decided ?? followedOutcome(response, () => compare(current.rows, response, final));
    await applyOutcome(transaction, response, outcome, decidedAt);
    if (outcome.decision === 'apply') final = !response.provisional;
    if (isNew) redecided[outcome.decision === 'hold' ? 'held' : 'loaded']++;
    if (isNew || redecided.loaded > 0) await recordDecision(transaction, response, outcome, decidedAt);
    if (decided !== null) {
      await recordEnvelope(transaction, response, decided.disagreeing);
      await quarantine(transaction, { ...response, operation: 'campaignSummary' }, response.rejects);
    }
  }
  return redecided;
}

async function decideAnew(
  transaction: Transaction,
  current: CurrentDay,
  response: DecidedResponse,
  decide: Decisions['decide'],
): Promise<DecidedAnew> {
  const earlier = await readCounted(transaction, response.accountId, response.envelope);
  return decide(current, response, earlier);
}

function followedOutcome({ decision }: DecidedResponse, compare: () => DayChange): LoadDecision {
  if (decision === 'held') return { decision: 'hold', because: 'it was held' };
  return { decision: 'apply', change: compare() };
}

async function applyOutcome(
  transaction: Transaction,
  response: DecidedResponse,
  outcome: LoadDecision,
  decidedAt: string,
): Promise<void> {
  const at = recordedTime(decidedAt);
  if (outcome.decision === 'hold') {
    await recordHeld(transaction, response, at);
    return;
  }
  await applyDayChange(transaction, response, outcome.change, at);
  await sumUpDay(transaction, response, response.provisional, at);
  await recordApplied(transaction, response, at);
}

/** Of a response that was followed nothing is another but what it still wrote, once earlier ones wrote it before. */
async function recordDecision(
  transaction: Transaction,
  { id, provisional, catchUpLeft }: DecidedResponse,
  outcome: LoadDecision,
  decidedAt: string,
): Promise<void> {
  const isHeld = outcome.decision === 'hold';
  const applied = provisional ? 'provisional' : 'loaded';
  await sql`
    update etl.responses
    set decision = ${isHeld ? 'held' : applied}, decided_at = ${decidedAt}::timestamptz, catch_up_left = ${catchUpLeft},
      written_ids = ${isHeld ? [] : changedIds(outcome.change)}
    where response_id = ${id}
  `.execute(transaction);
}

/** What is beside the campaigns is known once a response can be read: it may make the day suspicious. */
async function recordEnvelope(
  transaction: Transaction,
  { id, envelope, unreported }: DecidedResponse,
  disagreeing: readonly string[],
): Promise<void> {
  await sql`
    update etl.responses
    set rows = ${envelope.rows}, counts = ${JSON.stringify(envelope.counts)}::jsonb, notice = ${envelope.notice},
      disagreeing = ${disagreeing}, unreported = ${unreported.map((name) => countColumns[name])}
    where response_id = ${id}
  `.execute(transaction);
}

/** What no response says of a window: how its last attempt failed. Of one that was never loaded it stays as it is. */
async function readLastFailure(transaction: Transaction, { accountId, day }: WindowKey) {
  const { content_hash, ...failure } = await transaction
    .selectFrom('etl.windows')
    .select(['failed_at', 'failure', 'failure_code', 'content_hash'])
    .where((eb) => eb.and({ account_id: accountId, day }))
    .executeTakeFirstOrThrow();
  return { loaded: content_hash !== null, failure };
}

/** The row that the lock needed: a window that was never attempted is missing, and not failed. */
async function forgetEmptyEntry(transaction: Transaction, { accountId, day }: WindowKey): Promise<void> {
  await transaction
    .deleteFrom('etl.windows')
    .where((eb) => eb.and({ account_id: accountId, day, state: 'failed' }))
    .where('failed_at', 'is', null)
    .where('held_hash', 'is', null)
    .execute();
}

const windowTables = [
  'warehouse.campaign_day_restatements',
  'warehouse.campaign_days',
  'warehouse.account_days',
] as const;

async function clearWindow(transaction: Transaction, window: WindowKey): Promise<void> {
  const { accountId, day } = window;
  for (const table of windowTables)
    await transaction
      .deleteFrom(table)
      .where((eb) => eb.and({ account_id: accountId, day }))
      .execute();
  await updateEntry(transaction, window, {
    state: 'failed',
    content_hash: null,
    same_since_run_date: null,
    catch_up_left: null,
    held_hash: null,
    held_run_date: null,
    held_since: null,
  });
}

async function updateEntry(
  transaction: Transaction,
  { accountId, day }: WindowKey,
  columns: Updateable<Tables['etl.windows']>,
): Promise<void> {
  await transaction
    .updateTable('etl.windows')
    .set(columns)
    .where((eb) => eb.and({ account_id: accountId, day }))
    .execute();
}
