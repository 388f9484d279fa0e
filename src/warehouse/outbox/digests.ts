import { type Insertable, sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { AccountTotals, DigestKind, UntoldDigest } from '../../model/digest.ts';
import type { DigestKey, Every } from '../../model/period.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { tableOf } from '../db/expressions.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { insertDeliveries } from './deliveries.ts';
import { keptTotals, reportedTotals } from './reported.ts';
import { isTold } from './told.ts';

/** A period as a mail reports it. */
export type ReportedPeriod = {
  /** Its last day. */
  readonly day: Day;
  readonly kind: DigestKind;
  readonly incomplete: boolean;
  readonly isProvisional: boolean;
  readonly reported: readonly AccountTotals[];
};

export type BuiltDigest = ReportedPeriod & {
  readonly name: string;
  readonly every: Every;
  readonly subject: string;
  /** The frozen message without To and Message-ID. */
  readonly mime: string;
  readonly runId: number | null;
  /** When its figures were read: all that the mail tells is of that instant. */
  readonly builtAt: string;
  /** Earlier periods and corrections that the message has in a table. */
  readonly earlier: readonly ReportedPeriod[];
  readonly recipients: readonly string[];
  /** Digests that nobody got: the message tells their content. */
  readonly supersedes: readonly UntoldDigest[];
};

/**
 * Freezes a digest with its deliveries, and records the earlier periods and corrections in it as sent with it.
 * Deletes the digests that it supersedes. Returns false if it was built or skipped before.
 */
export async function freezeDigest(
  warehouse: Warehouse,
  digest: BuiltDigest,
  newMessageId: () => string,
): Promise<boolean> {
  const { name, every, runId, builtAt, subject, mime, earlier, recipients, supersedes } = digest;
  const rowOf = ({ day, kind, incomplete, isProvisional, reported }: ReportedPeriod) => ({
    name,
    every,
    day,
    kind,
    state: 'built' as const,
    incomplete,
    provisional: isProvisional,
    reported: keptTotals(reported),
    run_id: runId,
    built_at: builtAt,
  });
  return await inTransaction(warehouse, async (transaction) => {
    for (const each of supersedes) await deleteUntold(transaction, each);
    const inserted = await insertDigest(transaction, { ...rowOf(digest), subject, mime });
    if (inserted === undefined) return false;
    for (const each of earlier) await insertDigest(transaction, { ...rowOf(each), sent_with: inserted.id });
    await insertDeliveries(transaction, inserted.id, recipients, newMessageId);
    return true;
  });
}

/** Deletes a digest that nobody got, with its deliveries and what was to be sent with it. */
async function deleteUntold(
  transaction: Transaction,
  { name, every, day, kind }: UntoldDigest,
): Promise<void> {
  const taken = await transaction
    .selectFrom('etl.digests as g')
    .select((eb) => eb.fn.coalesce('g.sent_with', 'g.digest_id').as('id'))
    .where((eb) => eb.and({ 'g.name': name, 'g.every': every, 'g.day': day, 'g.kind': kind }))
    .where((eb) => eb.not(isTold('g')))
    .executeTakeFirst();
  if (taken === undefined) return;
  await transaction.deleteFrom('etl.deliveries').where('digest_id', '=', taken.id).execute();
  await transaction.deleteFrom('etl.digests').where('sent_with', '=', taken.id).execute();
  await transaction.deleteFrom('etl.digests').where('digest_id', '=', taken.id).execute();
}

/** The columns that identify a digest. */
const byPeriod = ['name', 'every', 'day', 'kind'] as const;

/** Inserts a digest and returns its key; undefined if it was built or skipped before. */
async function insertDigest(queries: Queries, digest: Insertable<Tables['etl.digests']>) {
  return await queries
    .insertInto('etl.digests')
    .values(digest)
    .onConflict((conflict) => conflict.columns(byPeriod).doNothing())
    .returning('digest_id as id')
    .executeTakeFirst();
}

/** Records that a digest is not sent. Returns false if it was built or skipped before. */
export async function skipDigest(
  warehouse: Queries,
  { name, every, day, kind }: DigestKey & Pick<BuiltDigest, 'kind'>,
  runId: number | null,
): Promise<boolean> {
  const inserted = await insertDigest(warehouse, { name, every, day, kind, state: 'skipped', run_id: runId });
  return inserted !== undefined;
}

/** Skips many digests at once. Returns how many were neither built nor skipped before. */
export async function skipDigests(
  warehouse: Queries,
  digests: readonly DigestKey[],
  kind: DigestKind,
  runId: number | null,
): Promise<number> {
  const skipped = tableOf(digests, 'd', {
    name: ['text', ({ name }) => name],
    every: ['text', ({ every }) => every],
    day: ['date', ({ day }) => day],
  });
  const { numAffectedRows } = await sql`
    insert into etl.digests (name, every, day, kind, state, run_id)
    select name, every, day, ${kind}, 'skipped', ${runId}::bigint from ${skipped}
    order by name, every, day
    on conflict (name, every, day, kind) do nothing
  `.execute(warehouse);
  return Number(numAffectedRows);
}

/** Takes back the skipping of a digest and of its correction. */
export async function unskipDigest(warehouse: Queries, { name, every, day }: DigestKey): Promise<void> {
  await warehouse
    .deleteFrom('etl.digests')
    .where((eb) => eb.and({ name, every, day, state: 'skipped' }))
    .execute();
}

/** Forgets that a period, or its correction, was sent with another one: a mail of its own is built. */
export async function detachDigest(warehouse: Queries, { name, every, day }: DigestKey): Promise<void> {
  await warehouse
    .deleteFrom('etl.digests')
    .where((eb) => eb.and({ name, every, day }))
    .where('sent_with', 'is not', null)
    .execute();
}

export type DigestState = {
  /** Built as a mail of its own, sent with that of another period, or skipped. */
  readonly state: 'built' | 'sent with another' | 'skipped';
  /** The totals that the first one reported, if this is its correction; otherwise null. */
  readonly before: readonly AccountTotals[] | null;
};

/** Returns the state of the correction if it was built, else of the first digest; undefined if there is neither. */
export async function stateOfDigest(
  warehouse: Queries,
  { name, every, day }: DigestKey,
): Promise<DigestState | undefined> {
  const digests = await warehouse
    .selectFrom('etl.digests')
    .select(['kind', 'state', 'sent_with', 'reported'])
    .where((eb) => eb.and({ name, every, day }))
    .execute();
  const corrected = digests.find(({ kind, state }) => kind === 'corrected' && state === 'built');
  const first = digests.find(({ kind }) => kind === 'first');
  const newest = corrected ?? first;
  if (newest === undefined) return undefined;
  const isWithin = newest.state === 'built' && newest.sent_with !== null;
  return {
    state: isWithin ? 'sent with another' : newest.state,
    before: corrected === undefined || first?.reported == null ? null : reportedTotals(first.reported),
  };
}
