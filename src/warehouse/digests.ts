import { sql } from 'kysely';
import type { Day } from '../model/day.ts';
import type { AccountTotals, DigestKind } from '../model/digest.ts';
import type { Warehouse } from './tables.ts';
import { inTransaction } from './transaction.ts';

export type BuiltDigest = {
  readonly name: string;
  readonly day: Day;
  readonly kind: DigestKind;
  readonly incomplete: boolean;
  readonly subject: string;
  /** The frozen message without To and Message-ID. */
  readonly mime: string;
  /** The totals that it tells. */
  readonly told: readonly AccountTotals[];
  readonly runId: number | null;
  /** Days that this digest names and that get none of their own: waived with it, or after a crash nobody would name them. */
  readonly earlierDays: readonly Day[];
  readonly deliveries: readonly { readonly recipient: string; readonly messageId: string }[];
};

/** Freezes a digest with its deliveries; gives false where that digest was built or waived before. */
export async function freezeDigest(warehouse: Warehouse, digest: BuiltDigest): Promise<boolean> {
  return await inTransaction(warehouse, async (transaction) => {
    const row = await transaction
      .insertInto('etl.digests')
      .values({
        name: digest.name,
        day: digest.day,
        kind: digest.kind,
        state: 'built',
        incomplete: digest.incomplete,
        subject: digest.subject,
        mime: digest.mime,
        told: JSON.stringify(digest.told),
        run_id: digest.runId,
      })
      .onConflict((conflict) => conflict.columns(['name', 'day', 'kind']).doNothing())
      .returning('digest_id')
      .executeTakeFirst();
    if (row === undefined) return false;
    for (const day of digest.earlierDays)
      await waiveDigest(transaction, { ...digest, day, kind: 'first' }, digest.runId);
    await transaction
      .insertInto('etl.deliveries')
      .values(
        digest.deliveries.map(({ recipient, messageId }) => ({
          digest_id: row.digest_id,
          recipient,
          message_id: messageId,
        })),
      )
      .execute();
    return true;
  });
}

/** Decides that a digest is not sent. Gives false where it was built or waived before. */
export async function waiveDigest(
  warehouse: Warehouse,
  { name, day, kind }: Pick<BuiltDigest, 'name' | 'day' | 'kind'>,
  runId: number | null,
): Promise<boolean> {
  const result = await warehouse
    .insertInto('etl.digests')
    .values({ name, day, kind, state: 'waived', run_id: runId })
    .onConflict((conflict) => conflict.columns(['name', 'day', 'kind']).doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
}

/** Decides so for many first digests at once, and gives how many were neither built nor waived before. */
export async function waiveDigests(
  warehouse: Warehouse,
  digests: readonly { readonly name: string; readonly day: Day }[],
  runId: number | null,
): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into etl.digests (name, day, kind, state, run_id)
    select name, day, 'first', 'waived', ${runId}::bigint
    from unnest(${digests.map(({ name }) => name)}::text[], ${digests.map(({ day }) => day)}::date[]) d (name, day)
    order by name, day
    on conflict (name, day, kind) do nothing
  `.execute(warehouse);
  return Number(numAffectedRows ?? 0);
}

/** Takes back that a digest was waived, and its correction. */
export async function unwaiveDigest(warehouse: Warehouse, name: string, day: Day): Promise<void> {
  await warehouse
    .deleteFrom('etl.digests')
    .where('name', '=', name)
    .where('day', '=', day)
    .where('state', '=', 'waived')
    .execute();
}

/** Whether it was decided that no digest of that name and day is sent. */
export async function isWaived(warehouse: Warehouse, name: string, day: Day): Promise<boolean> {
  const digests = await warehouse
    .selectFrom('etl.digests')
    .select('digest_id')
    .where('name', '=', name)
    .where('day', '=', day)
    .where('kind', '=', 'first')
    .where('state', '=', 'waived')
    .execute();
  return digests.length > 0;
}

/** Which digests of which days need no building any more. */
export async function settledDigests(
  warehouse: Warehouse,
  since: Day,
): Promise<{ name: string; day: Day }[]> {
  return await warehouse
    .selectFrom('etl.digests')
    .select(['name', 'day'])
    .where('kind', '=', 'first')
    .where('day', '>=', since)
    .execute();
}

export type ToldDigest = {
  readonly name: string;
  readonly day: Day;
  readonly incomplete: boolean;
  /** The totals that it told. */
  readonly told: readonly AccountTotals[];
};

/** Digests that were sent, or will be, and of which nobody decided yet whether they need a correction. */
export async function uncorrectedDigests(warehouse: Warehouse, since: Day): Promise<ToldDigest[]> {
  const { rows } = await sql<ToldDigest>`
    select g.name, g.day, g.incomplete, g.told
    from etl.digests g
    where g.kind = 'first' and g.state = 'built' and g.day >= ${since} and g.told is not null
      and not exists (
        select from etl.digests c where c.name = g.name and c.day = g.day and c.kind = 'corrected')
      and exists (select from etl.deliveries d where d.digest_id = g.digest_id and d.waived_at is null)
    order by g.day, g.name
  `.execute(warehouse);
  return rows;
}

export type IncompleteDigest = {
  readonly name: string;
  readonly day: Day;
  /** Labels of the accounts that were missing. */
  readonly lacking: readonly string[];
};

/** Digests that went out incomplete and were not corrected yet. */
export async function incompleteDigests(warehouse: Warehouse, since: Day): Promise<IncompleteDigest[]> {
  const digests = (await uncorrectedDigests(warehouse, since)).filter(({ incomplete }) => incomplete);
  return digests.map(({ name, day, told }) => ({
    ...{ name, day },
    lacking: told.filter(({ state }) => state !== 'loaded').map(({ label }) => label),
  }));
}

/** Attempts of each window that is loaded, from `since` on. */
export async function readDayAttempts(
  warehouse: Warehouse,
  since: Day,
): Promise<{ account: string; day: Day; attempts: number }[]> {
  return await warehouse
    .selectFrom('warehouse.account_days as d')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'd.account_id')
    .select(['a.name as account', 'd.day', 'd.attempts'])
    .where('d.day', '>=', since)
    .execute();
}
