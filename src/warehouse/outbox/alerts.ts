import { type ExpressionBuilder, type ExpressionWrapper, type SqlBool, sql } from 'kysely';
import type { ActiveAlert } from '../../model/alert.ts';
import type { Day } from '../../model/day.ts';
import type { Queries, Warehouse } from '../db/database.ts';
import { ago, anyOf, asExcluded, noneOf, tableOf, transactionTime } from '../db/expressions.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';

type NamedAlert = Pick<ActiveAlert, 'key' | 'title'>;

/** The alerts that were found on a run date. */
export type FoundAlerts = {
  readonly alerts: readonly (NamedAlert & Pick<ActiveAlert, 'kind' | 'severity'>)[];
  readonly runDate: Day;
  /** Returns whether an alert that wasn't found is over: if not, other settings may know of it. */
  readonly mayEnd: (key: string) => boolean;
  /** If so, the claims of a killed process are free at once. */
  readonly holdsRunLock: boolean;
};

/** News to be sent now: no other process sends it meanwhile. */
export type ClaimedNews = {
  /** Keys of alerts that begin, or are due for a reminder. */
  readonly begun: readonly string[];
  /** Alerts that somebody was notified of, and that are over. */
  readonly over: readonly NamedAlert[];
};

/** A warning that lasts is sent on so many run dates, then weekly. */
const dailyReminders = 7;

/**
 * Records the alerts that were found, and claims what is news: beginnings, and reminders once a run date. Those that weren't found
 * are over: deleted if nobody was notified of them, else kept until somebody is notified of their end, which goes with the next
 * beginning or, if nothing is left, as the all clear. If one recurs, it is a new alert.
 */
export async function claimNews(
  warehouse: Warehouse,
  { alerts, runDate, mayEnd, holdsRunLock }: FoundAlerts,
): Promise<ClaimedNews> {
  const found = new Set(alerts.map(({ key }) => key));
  const active = alerts.filter(({ kind }) => kind !== 'note');
  const warnings = active.filter(({ severity }) => severity === 'warning');
  return await inTransaction(warehouse, async (transaction) => {
    const known = await transaction
      .selectFrom('etl.alerts')
      .select(['alert as key', 'alerted_run_date as alertedOn', 'resolved_run_date as resolvedOn'])
      .execute();
    const gone = known.filter(({ key, resolvedOn }) => resolvedOn === null && !found.has(key));
    const ended = gone.filter(({ key }) => mayEnd(key));
    await endAlerts(
      transaction,
      ended.map(({ key }) => key),
      runDate,
    );
    await recordAlerts(transaction, alerts, runDate, null);
    const begun = await claim(transaction, holdsRunLock, (eb) =>
      eb.and([
        eb('alert', '=', anyOf(active.map(({ key }) => key))),
        eb.or([eb('alerted_run_date', 'is', null), eb('alerted_run_date', '<', runDate)]),
        eb.or([
          eb('alert', '<>', noneOf(warnings.map(({ key }) => key))),
          eb('alerted_run_dates', '<', dailyReminders),
          eb('alerted_run_date', '<=', sql<Day>`${runDate}::date - 7`),
        ]),
      ]),
    );
    const isLeft = gone.some(({ key, alertedOn }) => alertedOn !== null && !mayEnd(key));
    const isAllClear = active.length === 0 && !isLeft;
    const over =
      begun.length > 0 || isAllClear
        ? await claim(transaction, holdsRunLock, (eb) => eb.and([eb('resolved_run_date', 'is not', null)]))
        : [];
    return { begun: begun.map(({ key }) => key), over };
  });
}

/** A process that claimed an alert has sent it by then, or was killed. */
const claimLasts = '10 minutes';

async function claim(
  transaction: Queries,
  holdsRunLock: boolean,
  isNews: (eb: ExpressionBuilder<Tables, 'etl.alerts'>) => ExpressionWrapper<Tables, 'etl.alerts', SqlBool>,
): Promise<NamedAlert[]> {
  const claimed = await transaction
    .updateTable('etl.alerts')
    .set({ claimed_at: transactionTime })
    .where(isNews)
    .where((eb) =>
      eb.or([eb.lit(holdsRunLock), eb('claimed_at', 'is', null), eb('claimed_at', '<', ago(claimLasts))]),
    )
    .returning(['alert as key', 'title'])
    .execute();
  return claimed.sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** Records that somebody was notified of what was claimed: an end is then forgotten. */
export async function markNotified(
  warehouse: Queries,
  { begun, over }: ClaimedNews,
  runDate: Day,
): Promise<void> {
  await warehouse
    .updateTable('etl.alerts')
    .set((eb) => ({
      alerted_run_date: runDate,
      alerted_run_dates: eb('alerted_run_dates', '+', 1),
      claimed_at: null,
    }))
    .where('alert', '=', anyOf(begun))
    .execute();
  await warehouse
    .deleteFrom('etl.alerts')
    .where('alert', '=', anyOf(over.map(({ key }) => key)))
    .where('resolved_run_date', 'is not', null)
    .execute();
}

/** Leaves what was claimed, and couldn't be sent, to the next who looks. */
export async function releaseClaims(warehouse: Queries, { begun, over }: ClaimedNews): Promise<void> {
  await warehouse
    .updateTable('etl.alerts')
    .set({ claimed_at: null })
    .where('alert', '=', anyOf([...begun, ...over.map(({ key }) => key)]))
    .execute();
}

/**
 * Records alerts that were found.
 *
 * @param notifiedOn the run date on which somebody was notified of them, without the database; null if nobody was yet
 */
export async function recordAlerts(
  queries: Queries,
  alerts: readonly NamedAlert[],
  runDate: Day,
  notifiedOn: Day | null,
): Promise<void> {
  const given = tableOf(alerts, 'g', {
    alert: ['text', ({ key }) => key],
    title: ['text', ({ title }) => title],
    since_run_date: ['date', () => runDate],
    alerted_run_date: ['date', () => notifiedOn],
    alerted_run_dates: ['integer', () => (notifiedOn === null ? 0 : 1)],
  });
  await queries
    .insertInto('etl.alerts')
    .columns(['alert', 'title', 'since_run_date', 'alerted_run_date', 'alerted_run_dates'])
    .expression((eb) => eb.selectFrom(given).selectAll('g'))
    .onConflict((conflict) =>
      conflict.column('alert').doUpdateSet((eb) => ({
        ...asExcluded(['title']),
        resolved_run_date: null,
        since_run_date: eb.fn.coalesce('etl.alerts.since_run_date', 'excluded.since_run_date'),
        alerted_run_date: eb.fn.coalesce('excluded.alerted_run_date', 'etl.alerts.alerted_run_date'),
        alerted_run_dates: eb('etl.alerts.alerted_run_dates', '+', eb.ref('excluded.alerted_run_dates')),
      })),
    )
    .execute();
}

/** Ends alerts: whoever looks next sends the end, if somebody was notified. */
export async function endAlerts(queries: Queries, keys: readonly string[], runDate: Day): Promise<void> {
  await queries
    .deleteFrom('etl.alerts')
    .where('alert', '=', anyOf(keys))
    .where('alerted_run_date', 'is', null)
    .execute();
  await queries
    .updateTable('etl.alerts')
    .set({ resolved_run_date: runDate, since_run_date: null, alerted_run_dates: 0, dismissed: [] })
    .where('alert', '=', anyOf(keys))
    .where('resolved_run_date', 'is', null)
    .execute();
}

/** Records that somebody dismissed an alert, and the items that it affected then. */
export async function dismissAlert(
  warehouse: Queries,
  { key, title, items }: Pick<ActiveAlert, 'key' | 'title' | 'items'>,
): Promise<void> {
  await warehouse
    .insertInto('etl.alerts')
    .values({ alert: key, title, dismissed: [...items] })
    .onConflict((conflict) => conflict.column('alert').doUpdateSet(asExcluded(['title', 'dismissed'])))
    .execute();
}

/** Reads the recorded alerts, by key. */
export async function readRecordedAlerts(queries: Queries) {
  const rows = await queries
    .selectFrom('etl.alerts')
    .select(['alert as key', 'title', 'since_run_date as since', 'dismissed'])
    .execute();
  return new Map(rows.map(({ key, ...recorded }) => [key, recorded]));
}
