import { type Insertable, sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { AccountTotals, DigestKind } from '../../model/digest.ts';
import type { DigestKey } from '../../model/period.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { tableOf } from '../db/expressions.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';

export type BuiltDigest = DigestKey & {
  readonly kind: DigestKind;
  readonly incomplete: boolean;
  readonly mayBeLow: boolean;
  readonly subject: string;
  /** The frozen message without To and Message-ID. */
  readonly mime: string;
  /** The totals that it reports. */
  readonly reported: readonly AccountTotals[];
  readonly runId: number | null;
  /**
   * Last days of earlier periods that this digest names, because they get no digest of their own. They are
   * skipped in the same transaction: after a crash no later digest would name them.
   */
  readonly earlierDays: readonly Day[];
  readonly deliveries: readonly { readonly recipient: string; readonly messageId: string }[];
};

/** Freezes a digest with its deliveries. Returns false if it was built or skipped before. */
export async function freezeDigest(warehouse: Warehouse, digest: BuiltDigest): Promise<boolean> {
  const { name, every } = digest;
  return await inTransaction(warehouse, async (transaction) => {
    const inserted = await insertDigest(transaction, {
      name,
      every,
      day: digest.day,
      kind: digest.kind,
      state: 'built',
      incomplete: digest.incomplete,
      figures_may_be_low: digest.mayBeLow,
      subject: digest.subject,
      mime: digest.mime,
      reported: JSON.stringify(digest.reported),
      run_id: digest.runId,
    });
    if (inserted === undefined) return false;
    const skipped = digest.earlierDays.map((day) => ({ name, every, day }));
    await skipDigests(transaction, skipped, digest.runId);
    await insertDeliveries(transaction, inserted.id, digest.deliveries);
    return true;
  });
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

async function insertDeliveries(
  transaction: Transaction,
  digestId: number,
  deliveries: BuiltDigest['deliveries'],
): Promise<void> {
  const messages = tableOf(deliveries, 'd', {
    recipient: ['text', ({ recipient }) => recipient],
    message_id: ['text', ({ messageId }) => messageId],
  });
  await sql`
    insert into etl.deliveries (digest_id, recipient, message_id)
    select ${digestId}::bigint, recipient, message_id from ${messages}
  `.execute(transaction);
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

/** Skips many first digests at once. Returns how many were neither built nor skipped before. */
export async function skipDigests(
  warehouse: Queries,
  digests: readonly DigestKey[],
  runId: number | null,
): Promise<number> {
  const skipped = tableOf(digests, 'd', {
    name: ['text', ({ name }) => name],
    every: ['text', ({ every }) => every],
    day: ['date', ({ day }) => day],
  });
  const { numAffectedRows } = await sql`
    insert into etl.digests (name, every, day, kind, state, run_id)
    select name, every, day, 'first', 'skipped', ${runId}::bigint from ${skipped}
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

/** Returns whether a digest was built or skipped; undefined if neither. */
export async function stateOfDigest(
  warehouse: Queries,
  { name, every, day }: DigestKey,
): Promise<'built' | 'skipped' | undefined> {
  const digest = await warehouse
    .selectFrom('etl.digests')
    .select('state')
    .where((eb) => eb.and({ name, every, day, kind: 'first' }))
    .executeTakeFirst();
  return digest?.state;
}

/** Returns the digests that end on `since` or later and need no building any more. */
export async function settledDigests(warehouse: Queries, since: Day): Promise<DigestKey[]> {
  return await warehouse
    .selectFrom('etl.digests')
    .select(['name', 'every', 'day'])
    .where('kind', '=', 'first')
    .where('day', '>=', since)
    .execute();
}

/** Returns the period after which each digest begins: that of its first row. */
export async function readDigestStarts(queries: Queries): Promise<DigestKey[]> {
  return await queries
    .selectFrom('etl.digests')
    .distinctOn(['name', 'every'])
    .select(['name', 'every', 'day'])
    .where('kind', '=', 'first')
    .orderBy('name')
    .orderBy('every')
    .orderBy('digest_id')
    .execute();
}
