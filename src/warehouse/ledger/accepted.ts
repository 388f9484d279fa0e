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

/** Reads the signs of answers that somebody may accept: those of the last days, and of days that wait, however old. */
export async function readObservedSigns(
  queries: Queries,
  accounts: readonly string[] | null,
): Promise<Omit<ObservedSign, 'account'>[]> {
  const { rows } = await sql<{
    readonly anomaly: Anomaly | null;
    readonly sign: string | null;
    readonly operation: ObservedSign['operation'];
    readonly kind: ObservedSign['kind'];
  }>`
    with accounts as (
      select account_id from warehouse.accounts
      where last_expected_day is null and (${accounts}::text[] is null or name = any(${accounts}::text[]))),
    windows as (
      select w.anomalies, w.error_sign, w.day
      from accounts a join etl.windows w using (account_id)
      where w.state = 'provisional' or w.held_hash is not null or w.day > (select max(run_date) from etl.runs) - 62)
    select distinct k.anomaly, null as sign, 'campaignSummary' as operation, 'anomaly' as kind
    from windows w cross join lateral jsonb_array_elements(w.anomalies) k (anomaly)
    union all
    select distinct null::jsonb, w.error_sign, 'campaignSummary', 'empty' from windows w where w.error_sign is not null
    union all
    select distinct null::jsonb, unnest(s.signs), 'getClients', case s.verdict when 'remarked' then 'remark' else 'empty' end
    from accounts a join etl.walk_states s using (account_id)
  `.execute(queries);
  return [
    ...rows.map(({ anomaly, sign, ...of }) => (anomaly === null ? { ...of, sign: sign! } : signOf(anomaly))),
    ...always,
  ];
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
  const { rows } = await sql<{
    readonly account: string;
    readonly day: Day | null;
    readonly operation: ObservedSign['operation'];
    readonly kind: ObservedSign['kind'];
    readonly text: string | null;
    readonly anomaly: Anomaly | null;
  }>`
    select a.name as account, w.day, 'campaignSummary' as operation, 'empty' as kind, w.error_sign as text, null::jsonb as anomaly
    from etl.windows w join warehouse.accounts a using (account_id) where w.error_sign is not null
    union all
    select a.name, w.day, 'campaignSummary', 'anomaly', null, k.anomaly
    from etl.windows w
    join warehouse.accounts a using (account_id)
    cross join lateral jsonb_array_elements(w.anomalies) k (anomaly)
    where w.state <> 'failed' and coalesce(k.anomaly ->> 'confirmedBy', 'figures') = 'figures'
    union all
    select s.account, null, 'getClients', case s.verdict when 'remarked' then 'remark' else 'empty' end, unnest(s.signs), null
    from etl.walk_states s
    order by day
  `.execute(queries);
  const accepted = await readAccepted(queries, service);
  const open = rows
    .filter(({ anomaly }) => anomaly === null || anomaly.confirmedBy === null || anomaly.code === 'remark')
    .map(({ text, anomaly, account, day, ...of }) => {
      const sign = anomaly === null ? { ...of, sign: text! } : signOf(anomaly);
      return { sign, anomaly, account, day };
    })
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
