import { sql } from 'kysely';
import type { Day } from '../model/day.ts';
import type { DeliveryOutcome, DeliveryState } from '../model/digest.ts';
import type { Warehouse } from './tables.ts';
import { inTransaction } from './transaction.ts';

export type BuiltDigest = {
  readonly name: string;
  readonly day: Day;
  readonly incomplete: boolean;
  readonly subject: string;
  /** The frozen message without To and Message-ID. */
  readonly mime: string;
  readonly runId: number | null;
  /** Days that this digest names and that get none of their own: waived with it, or after a crash nobody would name them. */
  readonly earlierDays: readonly Day[];
  readonly deliveries: readonly { readonly recipient: string; readonly messageId: string }[];
};

export type Delivery = {
  readonly deliveryId: number;
  readonly digest: string;
  readonly day: Day;
  readonly recipient: string;
  readonly messageId: string;
  readonly state: DeliveryState;
};

/** Freezes a digest with its deliveries; gives false where that digest was built or waived before. */
export async function freezeDigest(warehouse: Warehouse, digest: BuiltDigest): Promise<boolean> {
  return await inTransaction(warehouse, async (transaction) => {
    const row = await transaction
      .insertInto('etl.digests')
      .values({
        name: digest.name,
        day: digest.day,
        kind: 'first',
        state: 'built',
        incomplete: digest.incomplete,
        subject: digest.subject,
        mime: digest.mime,
        run_id: digest.runId,
      })
      .onConflict((conflict) => conflict.columns(['name', 'day', 'kind']).doNothing())
      .returning('digest_id')
      .executeTakeFirst();
    if (row === undefined) return false;
    for (const day of digest.earlierDays) await waiveDigest(transaction, digest.name, day, digest.runId);
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

/** Decides that no digest of that name and day is sent. Gives false where it was built or waived before. */
export async function waiveDigest(
  warehouse: Warehouse,
  name: string,
  day: Day,
  runId: number | null,
): Promise<boolean> {
  const result = await warehouse
    .insertInto('etl.digests')
    .values({ name, day, kind: 'first', state: 'waived', run_id: runId })
    .onConflict((conflict) => conflict.columns(['name', 'day', 'kind']).doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
}

/** Takes back that a digest was waived; gives false where it wasn't. */
export async function unwaiveDigest(warehouse: Warehouse, name: string, day: Day): Promise<boolean> {
  const result = await warehouse
    .deleteFrom('etl.digests')
    .where('name', '=', name)
    .where('day', '=', day)
    .where('state', '=', 'waived')
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

/** Whether it was decided that no digest of that name and day is sent. */
export async function isWaived(warehouse: Warehouse, name: string, day: Day): Promise<boolean> {
  const digests = await warehouse
    .selectFrom('etl.digests')
    .select('digest_id')
    .where('name', '=', name)
    .where('day', '=', day)
    .where('state', '=', 'waived')
    .execute();
  return digests.length > 0;
}

/** Waives what is still to be sent of a digest that was built; gives the number of deliveries. */
export async function waiveDeliveries(warehouse: Warehouse, name: string, day: Day): Promise<number> {
  const { numAffectedRows } = await sql`
    update etl.deliveries d
    set state = 'refused', reply = 'waived by hand', changed_at = clock_timestamp()
    from etl.digests g
    where g.digest_id = d.digest_id and g.name = ${name} and g.day = ${day} and d.state in ('pending', 'failed')
  `.execute(warehouse);
  return Number(numAffectedRows ?? 0);
}

/** Which digests of which days need no building any more. */
export async function settledDigests(
  warehouse: Warehouse,
  since: Day,
): Promise<{ name: string; day: Day }[]> {
  return await warehouse
    .selectFrom('etl.digests')
    .select(['name', 'day'])
    .where('day', '>=', since)
    .execute();
}

/** A crash while sending leaves it open whether the message went out: only a person may repeat it. */
export async function markInterrupted(warehouse: Warehouse): Promise<number> {
  const result = await warehouse
    .updateTable('etl.deliveries')
    .set({ state: 'unknown', reply: 'the run ended while sending', changed_at: sql`clock_timestamp()` })
    .where('state', '=', 'sending')
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Deliveries to try now, oldest day first. */
export async function openDeliveries(warehouse: Warehouse): Promise<Delivery[]> {
  return await deliveries(warehouse).where('d.state', 'in', ['pending', 'failed']).execute();
}

/** The deliveries of one digest, whatever their state. */
export async function deliveriesOf(warehouse: Warehouse, name: string, day: Day): Promise<Delivery[]> {
  return await deliveries(warehouse).where('g.name', '=', name).where('g.day', '=', day).execute();
}

function deliveries(warehouse: Warehouse) {
  return warehouse
    .selectFrom('etl.deliveries as d')
    .innerJoin('etl.digests as g', 'g.digest_id', 'd.digest_id')
    .select([
      'd.delivery_id as deliveryId',
      'g.name as digest',
      'g.day',
      'd.recipient',
      'd.message_id as messageId',
      'd.state',
    ])
    .orderBy('g.day')
    .orderBy('d.delivery_id');
}

/** Claims a delivery in the state it was read in, and gives its message; null where another took it. */
export async function claimDelivery(warehouse: Warehouse, delivery: Delivery): Promise<string | null> {
  const { rows } = await sql<{ mime: string }>`
    update etl.deliveries d
    set state = 'sending', attempts = attempts + 1, changed_at = clock_timestamp()
    from etl.digests g
    where g.digest_id = d.digest_id and d.delivery_id = ${delivery.deliveryId} and d.state = ${delivery.state}
    returning g.mime
  `.execute(warehouse);
  return rows[0]?.mime ?? null;
}

export async function noteOutcome(
  warehouse: Warehouse,
  delivery: Delivery,
  outcome: DeliveryOutcome,
): Promise<void> {
  await warehouse
    .updateTable('etl.deliveries')
    .set({ state: outcome.state, reply: outcome.reply, changed_at: sql`clock_timestamp()` })
    .where('delivery_id', '=', delivery.deliveryId)
    .execute();
}
