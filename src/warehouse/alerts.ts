import sql from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { DeliveryState } from '../model/digest.ts';
import { inTransaction } from './transaction.ts';
import type { Queries, Warehouse } from './warehouse.ts';

/**
 * Enters the troubles of a night, and gives since which night each is there.
 *
 * @param forget whether those that are not among them are over: not where a run has looked at a part only
 */
export async function enterTroubles(
  warehouse: Warehouse,
  keys: readonly string[],
  night: Day,
  forget: boolean,
): Promise<ReadonlyMap<string, Day>> {
  if (keys.length === 0 && !forget) return new Map();
  return await inTransaction(warehouse, async (transaction) => {
    if (forget) await transaction.query(sql`delete from etl.alerts where trouble <> all(${keys}::text[])`);
    await transaction.query(sql`
      insert into etl.alerts (trouble, since_night) select key, ${night}::date from unnest(${keys}::text[]) key
      on conflict (trouble) do nothing
    `);
    const { rows } = await transaction.query<{ trouble: string; since: Day }>(sql`
      select trouble, since_night as since from etl.alerts where trouble = any(${keys}::text[])
    `);
    return new Map(rows.map(({ trouble, since }) => [trouble, since]));
  });
}

/** Notes that somebody was told of these troubles, and of these deliveries among them. */
export async function noteTold(
  warehouse: Warehouse,
  keys: readonly string[],
  deliveries: readonly number[],
  night: Day,
): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    await transaction.query(sql`
      update etl.alerts set told_night = ${night}::date where trouble = any(${keys}::text[])
    `);
    await transaction.query(sql`
      update etl.deliveries set told_at = clock_timestamp() where delivery_id = any(${deliveries}::bigint[])
    `);
  });
}

/** A delivery that somebody ought to know of. */
export type TroubledDelivery = {
  readonly deliveryId: number;
  readonly digest: string;
  readonly day: Day;
  readonly recipient: string;
  readonly state: DeliveryState;
  readonly reply: string | null;
};

/** Deliveries that were refused or are unknown, and nobody was told of in the last 31 days; and those that wait. */
export async function troubledDeliveries(warehouse: Queries): Promise<TroubledDelivery[]> {
  const { rows } = await warehouse.query<TroubledDelivery>(sql`
    select d.delivery_id as "deliveryId", g.name as digest, g.day, d.recipient, d.state, d.reply
    from etl.deliveries d join etl.digests g using (digest_id)
    where d.state in ('pending', 'failed') or d.state in ('refused', 'unknown')
      and d.told_at is null and d.waived_at is null and d.changed_at > now() - interval '31 days'
    order by g.day, d.delivery_id
  `);
  return rows;
}
