import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Queries, Warehouse } from '../db/database.ts';
import { ago, anyOf, clockTime, noneOf } from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';
import { type Delivery, openStates, selectDeliveries } from './deliveries.ts';

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
    if (forget) await transaction.deleteFrom('etl.alerts').where('alert', '<>', noneOf(keys)).execute();
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
      .set('alerted_at', clockTime)
      .where('delivery_id', '=', anyOf(deliveries))
      .execute();
  });
}

/** Those of these alerts that nobody was notified of on this run date. */
export async function unalerted(
  warehouse: Queries,
  keys: readonly string[],
  runDate: Day,
): Promise<string[]> {
  const alerted = await warehouse
    .selectFrom('etl.alerts')
    .select('alert')
    .where('alert', '=', anyOf(keys))
    .where('alerted_run_date', '=', runDate)
    .execute();
  return keys.filter((key) => alerted.every(({ alert }) => alert !== key));
}

/** A delivery that somebody ought to know of. */
export type UndeliveredMessage = Pick<Delivery, 'deliveryId' | 'digest' | 'day' | 'recipient' | 'state'> & {
  readonly reply: string | null;
};

/** Deliveries that were refused or are unknown, and nobody was notified of in the last 31 days; and those that wait. */
export async function undeliveredMessages(warehouse: Queries): Promise<UndeliveredMessage[]> {
  return await selectDeliveries(warehouse)
    .select(['d.delivery_id as deliveryId', 'd.reply'])
    .where((eb) => {
      const unalerted = eb.and([
        eb('d.state', 'in', ['refused', 'unknown']),
        eb('d.alerted_at', 'is', null),
        eb('d.skipped_at', 'is', null),
        eb('d.changed_at', '>', ago('31 days')),
      ]);
      return eb.or([eb('d.state', 'in', openStates), unalerted]);
    })
    .execute();
}
