import type { ActiveAlert } from '../../model/alert.ts';
import type { Day } from '../../model/day.ts';
import type { Queries, Warehouse } from '../db/database.ts';
import { anyOf, asExcluded, noneOf, tableOf } from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';

export type RecordedAlerts = {
  /** Keys of those that nobody was notified of on this run date. */
  readonly unsent: readonly string[];
  /** Titles of those that are over, where somebody was notified of them, but not yet of their end. */
  readonly resolved: readonly string[];
};

/**
 * Records the alerts of a run date, so that it is known since when each is active.
 *
 * @param forget whether those that are not among them are over: only a whole nightly run looks at everything
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

/** What nobody was notified of is forgotten at once; should the rest begin again, that is another alert. */
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

/** Records that somebody acknowledged an alert, with what it affects by now. */
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
