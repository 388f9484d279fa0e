import { type Insertable, sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { AccountTotals, DigestKind } from '../../model/digest.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { tableOf } from '../db/expressions.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';

export type BuiltDigest = {
  readonly name: string;
  readonly day: Day;
  readonly kind: DigestKind;
  readonly incomplete: boolean;
  readonly subject: string;
  /** The frozen message without To and Message-ID. */
  readonly mime: string;
  /** The totals that it reports. */
  readonly reported: readonly AccountTotals[];
  readonly runId: number | null;
  /** Days that this digest names and that get none of their own: skipped with it, or after a crash nobody would name them. */
  readonly earlierDays: readonly Day[];
  readonly deliveries: readonly { readonly recipient: string; readonly messageId: string }[];
};

/** Freezes a digest with its deliveries; gives false where that digest was built or skipped before. */
export async function freezeDigest(warehouse: Warehouse, digest: BuiltDigest): Promise<boolean> {
  return await inTransaction(warehouse, async (transaction) => {
    const inserted = await insertDigest(transaction, {
      name: digest.name,
      day: digest.day,
      kind: digest.kind,
      state: 'built',
      incomplete: digest.incomplete,
      subject: digest.subject,
      mime: digest.mime,
      reported: JSON.stringify(digest.reported),
      run_id: digest.runId,
    });
    if (inserted === undefined) return false;
    const skipped = digest.earlierDays.map((day) => ({ name: digest.name, day }));
    await skipDigests(transaction, skipped, digest.runId);
    await insertDeliveries(transaction, inserted.id, digest.deliveries);
    return true;
  });
}

/** Inserts a digest and gives its key; undefined where it was built or skipped before. */
async function insertDigest(queries: Queries, digest: Insertable<Tables['etl.digests']>) {
  return await queries
    .insertInto('etl.digests')
    .values(digest)
    .onConflict((conflict) => conflict.columns(['name', 'day', 'kind']).doNothing())
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

/** Decides that a digest is not sent. Gives false where it was built or skipped before. */
export async function skipDigest(
  warehouse: Queries,
  { name, day, kind }: Pick<BuiltDigest, 'name' | 'day' | 'kind'>,
  runId: number | null,
): Promise<boolean> {
  const inserted = await insertDigest(warehouse, { name, day, kind, state: 'skipped', run_id: runId });
  return inserted !== undefined;
}

/** Decides so for many first digests at once, and gives how many were neither built nor skipped before. */
export async function skipDigests(
  warehouse: Queries,
  digests: readonly { readonly name: string; readonly day: Day }[],
  runId: number | null,
): Promise<number> {
  const skipped = tableOf(digests, 'd', {
    name: ['text', ({ name }) => name],
    day: ['date', ({ day }) => day],
  });
  const { numAffectedRows } = await sql`
    insert into etl.digests (name, day, kind, state, run_id)
    select name, day, 'first', 'skipped', ${runId}::bigint from ${skipped}
    order by name, day
    on conflict (name, day, kind) do nothing
  `.execute(warehouse);
  return Number(numAffectedRows);
}

/** Takes back that a digest was skipped, and its correction. */
export async function unskipDigest(warehouse: Queries, name: string, day: Day): Promise<void> {
  await warehouse
    .deleteFrom('etl.digests')
    .where((eb) => eb.and({ name, day, state: 'skipped' }))
    .execute();
}

/** Whether it was decided that no digest of that name and day is sent. */
export async function isSkipped(warehouse: Queries, name: string, day: Day): Promise<boolean> {
  const skipped = await warehouse
    .selectFrom('etl.digests')
    .select('digest_id')
    .where((eb) => eb.and({ name, day, kind: 'first', state: 'skipped' }))
    .executeTakeFirst();
  return skipped !== undefined;
}

/** Which digests of which days need no building any more. */
export async function settledDigests(warehouse: Queries, since: Day): Promise<{ name: string; day: Day }[]> {
  return await warehouse
    .selectFrom('etl.digests')
    .select(['name', 'day'])
    .where('kind', '=', 'first')
    .where('day', '>=', since)
    .execute();
}

type Start = { readonly name: string; readonly dueFrom: Day | null };

/** The digests that are recorded, and from which day on each is due. */
export async function readDigestStarts(queries: Queries): Promise<Start[]> {
  return await queries.selectFrom('etl.digest_starts').select(['name', 'due_from as dueFrom']).execute();
}

/** Records a digest that is new to the settings. */
export async function recordDigestStart(queries: Queries, { name, dueFrom }: Start): Promise<void> {
  await queries
    .insertInto('etl.digest_starts')
    .values({ name, due_from: dueFrom })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

/** Deletes a digest that is gone from the settings: should it come back, it starts again. */
export async function forgetDigestStart(queries: Queries, name: string): Promise<void> {
  await queries.deleteFrom('etl.digest_starts').where('name', '=', name).execute();
}
