import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { DeliveryState } from '../../model/digest.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';
import { openStates, selectDeliveries } from './deliveries.ts';
import { inTransaction } from '../db/transaction.ts';

/**
 * Records the troubles of a night, and gives since which night each is there.
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
    if (forget) await forgetOthers(transaction, keys);
    await sql`
      insert into etl.alerts (trouble, since_night)
      select key, ${night}::date from unnest(${keys}::text[]) key
      on conflict (trouble) do nothing
    `.execute(transaction);
    const troubles = await transaction
      .selectFrom('etl.alerts')
      .select(['trouble', 'since_night as since'])
      .where('trouble', '=', anyOf(keys))
      .execute();
    return new Map(troubles.map(({ trouble, since }) => [trouble, since]));
  });
}

async function forgetOthers(transaction: Transaction, keys: readonly string[]): Promise<void> {
  await transaction
    .deleteFrom('etl.alerts')
    .where('trouble', '<>', sql<string>`all(${keys}::text[])`)
    .execute();
}

/** Records that somebody was notified of these troubles, and of these deliveries among them. */
export async function noteTold(
  warehouse: Warehouse,
  keys: readonly string[],
  deliveries: readonly number[],
  night: Day,
): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    await transaction
      .updateTable('etl.alerts')
      .set('told_night', night)
      .where('trouble', '=', anyOf(keys))
      .execute();
    await transaction
      .updateTable('etl.deliveries')
      .set('told_at', sql<string>`clock_timestamp()`)
      .where('delivery_id', '=', anyOf(deliveries))
      .execute();
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

/** Deliveries that were refused or are unknown, and nobody was notified of in the last 31 days; and those that wait. */
export async function troubledDeliveries(warehouse: Queries): Promise<TroubledDelivery[]> {
  return await selectDeliveries(warehouse)
    .select('d.reply')
    .where((eb) => {
      const untold = eb.and([
        eb('d.state', 'in', ['refused', 'unknown']),
        eb('d.told_at', 'is', null),
        eb('d.waived_at', 'is', null),
        eb('d.changed_at', '>', sql<string>`now() - interval '31 days'`),
      ]);
      return eb.or([eb('d.state', 'in', openStates), untold]);
    })
    .execute();
}
