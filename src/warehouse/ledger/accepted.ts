import { sql } from 'kysely';
import { type Accepted, canBeEmpty, isAccepted, type ObservedSign, signId } from '../../model/accepted.ts';
import { type Anomaly, signOf } from '../../model/anomaly.ts';
import type { Day } from '../../model/day.ts';
import type { Queries } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';

/** What a person accepted, and when. */
export type AcceptedRow = Accepted & { readonly acceptedAt: string };

/** Reads what people accepted of the service at an address, oldest first. */
export async function readAccepted(queries: Queries, service: string): Promise<AcceptedRow[]> {
  return await queries
    .selectFrom('etl.accepted as c')
    .leftJoin('warehouse.accounts as a', 'a.account_id', 'c.account_id')
    .select(['c.kind', 'c.operation', 'c.sign', 'a.name as account', 'c.accepted_at as acceptedAt'])
    .where('c.service', '=', service)
    .orderBy('c.accepted_id')
    .execute();
}

/** Records that a sign is accepted for these accounts; null for all. */
export async function insertAccepted(
  queries: Queries,
  service: string,
  { kind, operation, sign }: Omit<Accepted, 'account'>,
  accounts: readonly string[] | null,
): Promise<void> {
  const ids =
    accounts === null
      ? [null]
      : (
          await queries
            .selectFrom('warehouse.accounts')
            .select('account_id')
            .where('name', '=', anyOf(accounts))
            .orderBy('account_id')
            .execute()
        ).map((each) => each.account_id);
  await queries
    .insertInto('etl.accepted')
    .values(
      ids.map((accountId) => ({
        kind,
        operation,
        sign,
        service,
        account_id: accountId,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Takes back that a sign is accepted, for these accounts or, with null, for all. Returns how many rows there were. */
export async function deleteAccepted(
  queries: Queries,
  service: string,
  { kind, operation, sign }: Omit<Accepted, 'account'>,
  accounts: readonly string[] | null,
): Promise<number> {
  const deleted = await queries
    .deleteFrom('etl.accepted')
    .where((eb) => eb.and({ kind, operation, sign, service }))
    .where((eb) =>
      accounts === null
        ? eb.lit(true)
        : eb(
            'account_id',
            'in',
            eb.selectFrom('warehouse.accounts').select('account_id').where('name', '=', anyOf(accounts)),
          ),
    )
    .returning('accepted_id')
    .execute();
  return deleted.length;
}

/** Accounts may have the same campaigns on purpose: this is no sign of a single answer. */
const always: Omit<ObservedSign, 'account'>[] = [
  { kind: 'anomaly', operation: 'campaignSummary', sign: 'same_campaigns' },
];

/** A text or an anomaly of an answer, which somebody may accept; without a day, of a client list. */
type Said = Pick<ObservedSign, 'operation' | 'kind'> & {
  readonly account: string;
  readonly day: Day | null;
  readonly text: string | null;
  readonly anomaly: Anomaly | null;
};

/** Selects what the answers of the last days said, and those of days that wait, however old. */
const said = (accounts: readonly string[] | null) => sql`(
  with windows as (
    select a.name as account, w.day, w.error_sign, w.anomalies
    from warehouse.accounts a join etl.windows w using (account_id)
    where a.last_expected_day is null
      and (w.state = 'provisional' or w.held_hash is not null or w.error_sign is not null
        or w.day > (select max(run_date) from etl.runs) - 62))
  select * from (
    select account, day, 'campaignSummary' as operation, 'empty' as kind, error_sign as text, null::jsonb as anomaly
    from windows where error_sign is not null
    union all
    select account, day, 'campaignSummary', 'anomaly', null, k.anomaly
    from windows cross join lateral jsonb_array_elements(anomalies) k (anomaly)
    union all
    select account, null, 'getClients', case verdict when 'remarked' then 'remark' else 'empty' end, unnest(signs), null
    from etl.walk_states) s
  where ${accounts}::text[] is null or account = any(${accounts}::text[]))`;

const signIn = ({ operation, kind, text, anomaly }: Omit<Said, 'account' | 'day'>) =>
  anomaly === null ? { operation, kind, sign: text! } : signOf(anomaly);

/** Reads the signs that somebody may accept. */
export async function readObservedSigns(
  queries: Queries,
  accounts: readonly string[] | null,
): Promise<Omit<ObservedSign, 'account'>[]> {
  const { rows } = await sql<Omit<Said, 'account' | 'day'>>`
    select distinct operation, kind, text, anomaly from ${said(accounts)} s`.execute(queries);
  return [...rows.map(signIn), ...always];
}

/** What a person may say about the loaded days, and those that answered so. */
export type WaitingSign = {
  /** As it came last. */
  readonly sign: Omit<ObservedSign, 'account'>;
  /** Several came, with other numbers: it is accepted whatever these are. */
  readonly isStarred: boolean;
  /** The anomaly; null for an answer without records, and for a client list. */
  readonly anomaly: Anomaly | null;
  /** Null for a client list. */
  readonly days: number | null;
};

/** Reads what the days and client lists wait for that nobody has accepted yet, the most frequent first. */
export async function readWaitingSigns(queries: Queries, service: string): Promise<WaitingSign[]> {
  const { rows } = await sql<Said>`select * from ${said(null)} s order by day`.execute(queries);
  const accepted = await readAccepted(queries, service);
  const open = rows
    .filter(
      ({ anomaly }) =>
        anomaly === null ||
        anomaly.confirmedBy === null ||
        (anomaly.code === 'remark' && anomaly.confirmedBy === 'figures'),
    )
    .map((row) => ({ ...row, sign: signIn(row) }))
    .filter(({ sign, account }) => !isAccepted(accepted, { ...sign, account }))
    .filter(({ sign }) => sign.kind !== 'empty' || canBeEmpty(sign.sign));
  return [...Map.groupBy(open, ({ sign }) => signId(sign)).values()]
    .map((all): WaitingSign => {
      const { sign, anomaly, day } = all.at(-1)!;
      return {
        sign,
        isStarred: new Set(all.map((each) => each.sign.sign)).size > 1,
        anomaly,
        days: day === null ? null : all.length,
      };
    })
    .toSorted((one, other) => (other.days ?? 0) - (one.days ?? 0));
}

/** Reads the ids of the answers without records whose alert has been active since an earlier run date. */
export async function readAlertedSigns(queries: Queries, runDate: Day): Promise<ReadonlySet<string>> {
  const alerted = await queries
    .selectFrom('etl.alerts')
    .select(sql<string>`split_part(alert, '/', 2)`.as('id'))
    .where('alert', 'like', 'UNKNOWN\\_ANSWER/%')
    .where('since_run_date', '<', runDate)
    .execute();
  return new Set(alerted.map(({ id }) => id));
}
