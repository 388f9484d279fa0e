import type { ActiveAlert } from '../../model/alert.ts';
import type { Day } from '../../model/day.ts';
import type { Queries, Warehouse } from '../db/database.ts';
import { anyOf, asExcluded, noneOf, tableOf } from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';

export type RecordedAlerts = {
  /** Keys of alerts that nobody was notified of on this run date. */
  readonly unsent: readonly string[];
  /** Titles of alerts that are over, if somebody was notified of the alert but not yet of its end. */
  readonly resolved: readonly string[];
};

/**
 * Records the alerts of a run date, and since when each is active.
 *
 * @param forget whether all other alerts are over: only a whole nightly run looks at everything
 */
export async function recordAlerts(
  warehouse: Warehouse,
  alerts: readonly Pick<ActiveAlert, 'key' | 'title'>[],
  runDate: Day,
  forget: boolean,
): Promise<RecordedAlerts> {
  const keys = alerts.map(({ key }) => key);
  return await inTransaction(warehouse, async (transaction) => {
    if (forget) await resolveOthers(transaction, keys, runDate);
    const given = tableOf(alerts, 'g', {
      alert: ['text', ({ key }) => key],
      title: ['text', ({ title }) => title],
      since_run_date: ['date', () => runDate],
    });
    await transaction
      .insertInto('etl.alerts')
      .columns(['alert', 'title', 'since_run_date'])
      .expression((eb) => eb.selectFrom(given).selectAll('g'))
      .onConflict((conflict) =>
        conflict.column('alert').doUpdateSet((eb) => ({
          ...asExcluded(['title']),
          resolved_run_date: null,
          since_run_date: eb.fn.coalesce('etl.alerts.since_run_date', 'excluded.since_run_date'),
        })),
      )
      .execute();
    const known = await transaction
      .selectFrom('etl.alerts')
      .select(['alert', 'title', 'alerted_run_date as alertedOn', 'resolved_run_date as resolvedOn'])
      .orderBy('alert')
      .execute();
    const sent = new Set(known.filter(({ alertedOn }) => alertedOn === runDate).map(({ alert }) => alert));
    return {
      unsent: keys.filter((key) => !sent.has(key)),
      resolved: known.filter(({ resolvedOn }) => resolvedOn !== null).map(({ title }) => title),
    };
  });
}

/** Deletes alerts that nobody was notified of, and resolves the rest: if one recurs, it is a new alert. */
async function resolveOthers(transaction: Queries, keys: readonly string[], runDate: Day): Promise<void> {
  await transaction
    .deleteFrom('etl.alerts')
    .where('alert', '<>', noneOf(keys))
    .where('alerted_run_date', 'is', null)
    .execute();
  await transaction
    .updateTable('etl.alerts')
    .set({ resolved_run_date: runDate, since_run_date: null, dismissed: [] })
    .where('alert', '<>', noneOf(keys))
    .where('resolved_run_date', 'is', null)
    .execute();
}

/** Records that somebody was notified of these alerts, and of the end of those that are over. */
export async function markAlerted(warehouse: Queries, keys: readonly string[], runDate: Day): Promise<void> {
  await warehouse
    .updateTable('etl.alerts')
    .set('alerted_run_date', runDate)
    .where('alert', '=', anyOf(keys))
    .execute();
  await warehouse.deleteFrom('etl.alerts').where('resolved_run_date', 'is not', null).execute();
}

/** Records that somebody acknowledged an alert, and what it affected then. */
export async function dismissAlert(
  warehouse: Queries,
  { key, title, affects }: Pick<ActiveAlert, 'key' | 'title' | 'affects'>,
): Promise<void> {
  await warehouse
    .insertInto('etl.alerts')
    .values({ alert: key, title, dismissed: [...affects] })
    .onConflict((conflict) => conflict.column('alert').doUpdateSet(asExcluded(['title', 'dismissed'])))
    .execute();
}
