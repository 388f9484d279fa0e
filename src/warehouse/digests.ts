import sql from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { AccountTotals, DigestKind } from '../model/digest.ts';
import { inTransaction } from './transaction.ts';
import type { Queries, Transaction, Warehouse } from './warehouse.ts';

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
    const digestId = await insertBuilt(transaction, digest);
    if (digestId === null) return false;
    for (const day of digest.earlierDays)
      await waiveDigest(transaction, { ...digest, day, kind: 'first' }, digest.runId);
    await insertDeliveries(transaction, digestId, digest.deliveries);
    return true;
  });
}

async function insertBuilt(transaction: Transaction, digest: BuiltDigest): Promise<number | null> {
  const { rows } = await transaction.query<{ id: number }>(sql`
    insert into etl.digests (name, day, kind, state, incomplete, subject, mime, told, run_id)
    values (${digest.name}, ${digest.day}, ${digest.kind}, 'built', ${digest.incomplete}, ${digest.subject},
      ${digest.mime}, ${JSON.stringify(digest.told)}, ${digest.runId})
    on conflict (name, day, kind) do nothing
    returning digest_id as id
  `);
  return rows[0]?.id ?? null;
}

async function insertDeliveries(
  transaction: Transaction,
  digestId: number,
  deliveries: BuiltDigest['deliveries'],
): Promise<void> {
  await transaction.query(sql`
    insert into etl.deliveries (digest_id, recipient, message_id)
    select ${digestId}::bigint, recipient, message_id
    from unnest(
      ${deliveries.map(({ recipient }) => recipient)}::text[],
      ${deliveries.map(({ messageId }) => messageId)}::text[]) d (recipient, message_id)
  `);
}

/** Decides that a digest is not sent. Gives false where it was built or waived before. */
export async function waiveDigest(
  warehouse: Queries,
  { name, day, kind }: Pick<BuiltDigest, 'name' | 'day' | 'kind'>,
  runId: number | null,
): Promise<boolean> {
  const { rowCount } = await warehouse.query(sql`
    insert into etl.digests (name, day, kind, state, run_id) values (${name}, ${day}, ${kind}, 'waived', ${runId})
    on conflict (name, day, kind) do nothing
  `);
  return rowCount > 0;
}

/** Decides so for many first digests at once, and gives how many were neither built nor waived before. */
export async function waiveDigests(
  warehouse: Queries,
  digests: readonly { readonly name: string; readonly day: Day }[],
  runId: number | null,
): Promise<number> {
  const { rowCount } = await warehouse.query(sql`
    insert into etl.digests (name, day, kind, state, run_id)
    select name, day, 'first', 'waived', ${runId}::bigint
    from unnest(${digests.map(({ name }) => name)}::text[], ${digests.map(({ day }) => day)}::date[]) d (name, day)
    order by name, day
    on conflict (name, day, kind) do nothing
  `);
  return rowCount;
}

/** Takes back that a digest was waived, and its correction. */
export async function unwaiveDigest(warehouse: Queries, name: string, day: Day): Promise<void> {
  await warehouse.query(sql`
    delete from etl.digests where name = ${name} and day = ${day} and state = 'waived'
  `);
}

/** Whether it was decided that no digest of that name and day is sent. */
export async function isWaived(warehouse: Queries, name: string, day: Day): Promise<boolean> {
  const { rowCount } = await warehouse.query(sql`
    select from etl.digests where name = ${name} and day = ${day} and kind = 'first' and state = 'waived'
  `);
  return rowCount > 0;
}

/** Which digests of which days need no building any more. */
export async function settledDigests(warehouse: Queries, since: Day): Promise<{ name: string; day: Day }[]> {
  const { rows } = await warehouse.query<{ name: string; day: Day }>(sql`
    select name, day from etl.digests where kind = 'first' and day >= ${since}
  `);
  return rows;
}

export type ToldDigest = {
  readonly name: string;
  readonly day: Day;
  readonly incomplete: boolean;
  /** The totals that it told. */
  readonly told: readonly AccountTotals[];
};

/** Digests that were sent, or will be, and of which nobody decided yet whether they need a correction. */
export async function uncorrectedDigests(warehouse: Queries, since: Day): Promise<ToldDigest[]> {
  const { rows } = await warehouse.query<ToldDigest>(sql`
    select g.name, g.day, g.incomplete, g.told
    from etl.digests g
    where g.kind = 'first' and g.state = 'built' and g.day >= ${since} and g.told is not null
      and not exists (
        select from etl.digests c where c.name = g.name and c.day = g.day and c.kind = 'corrected')
      and exists (select from etl.deliveries d where d.digest_id = g.digest_id and d.waived_at is null)
    order by g.day, g.name
  `);
  return rows;
}

export type IncompleteDigest = {
  readonly name: string;
  readonly day: Day;
  /** Labels of the accounts that were missing. */
  readonly lacking: readonly string[];
};

/** Digests that went out incomplete and were not corrected yet. */
export async function incompleteDigests(warehouse: Queries, since: Day): Promise<IncompleteDigest[]> {
  const digests = (await uncorrectedDigests(warehouse, since)).filter(({ incomplete }) => incomplete);
  return digests.map(({ name, day, told }) => ({
    ...{ name, day },
    lacking: told.filter(({ state }) => state !== 'loaded').map(({ label }) => label),
  }));
}

/** Attempts of each window that is loaded, from `since` on. */
export async function readDayAttempts(
  warehouse: Queries,
  since: Day,
): Promise<{ account: string; day: Day; attempts: number }[]> {
  const { rows } = await warehouse.query<{ account: string; day: Day; attempts: number }>(sql`
    select a.name as account, d.day, d.attempts
    from warehouse.account_days d join warehouse.accounts a using (account_id)
    where d.day >= ${since}
  `);
  return rows;
}
