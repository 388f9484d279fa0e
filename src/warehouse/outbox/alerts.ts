import type { ActiveAlert } from '../../model/alert.ts';
import type { Day } from '../../model/day.ts';
import type { Queries, Warehouse } from '../db/database.ts';
import { anyOf, asExcluded, tableOf } from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';

/** The beginning of an alert, its reminder on a further run date, or its end: what somebody is to be notified of. */
export type AlertNews = {
  readonly key: string;
  readonly title: string;
  readonly isOver: boolean;
};

export type RecordedNews = {
  readonly news: readonly AlertNews[];
  /** Keys of alerts that other settings still know: this run can't tell whether they are over. */
  readonly unknown: readonly string[];
};

/**
 * Records the alerts of a run date, and since when each is active. Those that it doesn't list are over: deleted if nobody was
 * notified of them, else kept until somebody is notified of their end. If one recurs, it is a new alert.
 *
 * @param mayEnd whether this run can tell that an alert is over
 */
export async function recordAlerts(
  warehouse: Warehouse,
  alerts: readonly Pick<ActiveAlert, 'key' | 'title'>[],
  runDate: Day,
  mayEnd: (key: string) => boolean,
): Promise<RecordedNews> {
  const keys = new Set(alerts.map(({ key }) => key));
  return await inTransaction(warehouse, async (transaction) => {
    const before = await transaction.selectFrom('etl.alerts').select('alert').execute();
    const gone = before.map(({ alert }) => alert).filter((key) => !keys.has(key));
    await endAlerts(transaction, gone.filter(mayEnd), runDate);
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
    const news = known.map(({ alert, title, resolvedOn }) => ({
      key: alert,
      title,
      isOver: resolvedOn !== null,
    }));
    const told = new Set(known.filter(({ alertedOn }) => alertedOn === runDate).map(({ alert }) => alert));
    return {
      news: news.filter(({ key, isOver }) => isOver || (keys.has(key) && !told.has(key))),
      unknown: news.filter(({ key, isOver }) => !isOver && !keys.has(key)).map(({ key }) => key),
    };
  });
}

async function endAlerts(transaction: Queries, keys: readonly string[], runDate: Day): Promise<void> {
  await transaction
    .deleteFrom('etl.alerts')
    .where('alert', '=', anyOf(keys))
    .where('alerted_run_date', 'is', null)
    .execute();
  await transaction
    .updateTable('etl.alerts')
    .set({ resolved_run_date: runDate, since_run_date: null, dismissed: [] })
    .where('alert', '=', anyOf(keys))
    .where('resolved_run_date', 'is', null)
    .execute();
}

/** Records that somebody was notified: an end is then forgotten. */
export async function markTold(warehouse: Queries, news: readonly AlertNews[], runDate: Day): Promise<void> {
  const keysWhere = (isOver: boolean) =>
    anyOf(news.filter((each) => each.isOver === isOver).map(({ key }) => key));
  await warehouse
    .updateTable('etl.alerts')
    .set('alerted_run_date', runDate)
    .where('alert', '=', keysWhere(false))
    .execute();
  await warehouse
    .deleteFrom('etl.alerts')
    .where('alert', '=', keysWhere(true))
    .where('resolved_run_date', 'is not', null)
    .execute();
}

/** Records an alert that somebody was notified of without the database, so that its end is news. */
export async function recordTold(
  warehouse: Queries,
  { key, title }: Pick<ActiveAlert, 'key' | 'title'>,
  runDate: Day,
): Promise<void> {
  await warehouse
    .insertInto('etl.alerts')
    .values({ alert: key, title, since_run_date: runDate, alerted_run_date: runDate })
    .onConflict((conflict) => conflict.column('alert').doUpdateSet(asExcluded(['title', 'alerted_run_date'])))
    .execute();
}

/** Records an alert that a process found between two runs: the next run tells it. */
export async function recordUntold(
  warehouse: Queries,
  { key, title }: Pick<ActiveAlert, 'key' | 'title'>,
  runDate: Day,
): Promise<void> {
  await warehouse
    .insertInto('etl.alerts')
    .values({ alert: key, title, since_run_date: runDate })
    .onConflict((conflict) =>
      conflict.column('alert').doUpdateSet((eb) => ({
        ...asExcluded(['title']),
        resolved_run_date: null,
        since_run_date: eb.fn.coalesce('etl.alerts.since_run_date', 'excluded.since_run_date'),
      })),
    )
    .execute();
}

/** Ends an alert between two runs: the next run tells the end, if somebody was notified. */
export async function endAlert(warehouse: Warehouse, key: string, runDate: Day): Promise<void> {
  await inTransaction(warehouse, (transaction) => endAlerts(transaction, [key], runDate));
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
