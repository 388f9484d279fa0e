import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { DeliveryState } from '../../model/digest.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';
import { openStates, selectDeliveries } from './deliveries.ts';
import { inTransaction } from '../db/transaction.ts';

/**
 * Records the active alerts of a run date, and gives since which run date each is active.
 *
 * @param forget whether those that are not among them are over: not where a run has looked at a part only
 */
export async function recordAlerts(
  warehouse: Warehouse,
  keys: readonly string[],
  runDate: Day,
  forget: boolean,
): Promise<ReadonlyMap<string, Day>> {
  if (keys.length === 0 && !forget) return new Map();
  return await inTransaction(warehouse, async (transaction) => {
    if (forget) await deleteOthers(transaction, keys);
    await sql`
      insert into etl.alerts (alert, since_run_date)
      select key, ${runDate}::date from unnest(${keys}::text[]) key
      on conflict (alert) do nothing
    `.execute(transaction);
    const alerts = await transaction
      .selectFrom('etl.alerts')
      .select(['alert', 'since_run_date as since'])
      .where('alert', '=', anyOf(keys))
      .execute();
    return new Map(alerts.map(({ alert, since }) => [alert, since]));
  });
}

async function deleteOthers(transaction: Transaction, keys: readonly string[]): Promise<void> {
  await transaction
    .deleteFrom('etl.alerts')
    .where('alert', '<>', sql<string>`all(${keys}::text[])`)
    .execute();
}

/** Records that somebody was notified of these alerts, and of these deliveries among them. */
export async function markAlerted(
  warehouse: Warehouse,
  keys: readonly string[],
  deliveries: readonly number[],
  runDate: Day,
): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    await transaction
      .updateTable('etl.alerts')
      .set('alerted_run_date', runDate)
      .where('alert', '=', anyOf(keys))
      .execute();
    await transaction
      .updateTable('etl.deliveries')
      .set('alerted_at', sql<string>`clock_timestamp()`)
      .where('delivery_id', '=', anyOf(deliveries))
      .execute();
  });
}

/** A delivery that somebody ought to know of. */
export type UndeliveredMessage = {
  readonly deliveryId: number;
  readonly digest: string;
  readonly day: Day;
  readonly recipient: string;
  readonly state: DeliveryState;
  readonly reply: string | null;
};

/** Deliveries that were refused or are unknown, and nobody was notified of in the last 31 days; and those that wait. */
export async function undeliveredMessages(warehouse: Queries): Promise<UndeliveredMessage[]> {
  return await selectDeliveries(warehouse)
    .select('d.reply')
    .where((eb) => {
      const untold = eb.and([
        eb('d.state', 'in', ['refused', 'unknown']),
        eb('d.alerted_at', 'is', null),
        eb('d.skipped_at', 'is', null),
        eb('d.changed_at', '>', sql<string>`now() - interval '31 days'`),
      ]);
      return eb.or([eb('d.state', 'in', openStates), untold]);
    })
    .execute();
}
