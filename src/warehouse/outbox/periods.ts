import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type {
  CurrentFigures,
  DigestState,
  Mailed,
  PeriodFigures,
  RequestedFigures,
} from '../../model/digest.ts';
import { type DigestKey, periodOf } from '../../model/period.ts';
import type { RateSums, Sums } from '../../model/records.ts';
import type { Queries } from '../db/database.ts';
import { type Decimal, exactSums, toBigInt } from '../db/exact.ts';
import { knownSum, recordset } from '../db/expressions.ts';
import { isDelivered } from './deliveries.ts';

/** A digest by its identity: a name with another rhythm is another digest. */
export type Rhythm = Pick<DigestKey, 'name' | 'every'>;

/** Reads the state of each digest, in their order. */
export async function readDigestStates(queries: Queries, digests: readonly Rhythm[]): Promise<DigestState[]> {
  const { rows } = await sql<DigestState>`
    select s.day as start, coalesce(n.number, 0) as number, m.built_at as "mailedAt",
      case when not n.delivered then n.mail_id end as "waitingMailId", p.day as "newestDay"
    from ${recordset(digests.map(({ name, every }) => ({ name, every })))}
      d (place integer, name text, every text)
    left join etl.digest_starts s on s.name = d.name and s.every = d.every
    left join lateral (
      select g.mail_id, g.number, ${isDelivered(sql`g.mail_id`)} as delivered from etl.mails g
      where g.name = d.name and g.every = d.every order by g.number desc limit 1) n on true
    left join lateral (
      select g.built_at from etl.mails g
      where g.name = d.name and g.every = d.every and ${isDelivered(sql`g.mail_id`)}
      order by g.number desc limit 1) m on true
    left join lateral (
      select p.day from etl.mailed_periods p
      where p.name = d.name and p.every = d.every and (p.mail_id is null or ${isDelivered(sql`p.mail_id`)})
      order by p.day desc limit 1) p on true
    order by d.place
  `.execute(queries);
  return rows;
}

/** A digest, and the ends of its periods that may be due. */
export type DigestEnds = Rhythm & { readonly ends: readonly Day[] };

/** The last day of a period of one of the given digests. */
export type PeriodEnd = { readonly place: number; readonly day: Day };

/** Returns the ends of periods that were neither mailed nor skipped, in their order. */
export async function readUnmailed(queries: Queries, digests: readonly DigestEnds[]): Promise<PeriodEnd[]> {
  const { rows } = await sql<PeriodEnd>`
    select d.place, e.day
    from ${recordset(digests.map(({ name, every, ends }) => ({ name, every, ends })))}
      d (place integer, name text, every text, ends date[])
    cross join lateral unnest(d.ends) e (day)
    where (
      select true from etl.mailed_periods p
      where p.name = d.name and p.every = d.every and p.day = e.day
        and (p.mail_id is null or ${isDelivered(sql`p.mail_id`)})
      limit 1) is null
    order by d.place, e.day
  `.execute(queries);
  return rows;
}

/** Reads the days that were updated after an instant, and when, in Unix seconds. */
export async function readUpdated(queries: Queries, since: Temporal.Instant) {
  return await queries
    .selectFrom('etl.windows as w')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'w.account_id')
    .select(['a.name as account', 'w.day', sql<number>`extract(epoch from w.updated_at)::float8`.as('at')])
    .where('w.updated_at', '>', since.toString())
    .execute();
}

export type PeriodAccount = DigestKey & { readonly account: string };

type ReadFigures = Omit<PeriodFigures, keyof Sums | 'connectRate'> &
  Decimal<Sums> & { readonly connectRate: Decimal<RateSums> };

const toFigures = <Row extends ReadFigures>(row: Row) => ({
  ...row,
  ...exactSums(row),
  connectRate: { part: toBigInt(row.connectRate.part), attempts: toBigInt(row.connectRate.attempts) },
});

/** Columns of `p`, a row of what was mailed. */
const mailedColumns = sql`p.state, p.content, p.attempts::text, p.busies::text, p.connects::text,
  p.live_answers::text as "liveAnswers", jsonb_build_object(
    'part', p.connect_rate_connects::text, 'attempts', p.connect_rate_attempts::text) as "connectRate"`;

/** Reads what readers last got of each of these, and what these mails have that nobody got yet; undefined where that is nothing. */
export async function readMailed(
  queries: Queries,
  requested: readonly PeriodAccount[],
  waitingMailIds: readonly number[],
): Promise<{ readonly mailed: Mailed | undefined; readonly waiting: PeriodFigures | undefined }[]> {
  type Row = { mailed: (ReadFigures & Pick<Mailed, 'skipped'>) | null; waiting: ReadFigures | null };
  const isOfPeriod = sql`p.name = q.name and p.every = q.every and p.day = q.day and p.account_id = a.account_id`;
  const { rows } = await sql<Row>`
    select m.figures as mailed, w.figures as waiting
    from ${recordset(requested)} q (place integer, name text, every text, day date, account text)
    left join warehouse.accounts a on a.name = q.account
    left join lateral (
      select to_jsonb(f) as figures from (
        select q.account, a.label, ${mailedColumns}, array(
          select s.content from etl.mailed_periods s
          where s.name = q.name and s.every = q.every and s.day = q.day and s.mail_id is null
            and s.decided_at > p.decided_at and coalesce(s.account_id, a.account_id) = a.account_id) as skipped
        from etl.mailed_periods p
        where ${isOfPeriod} and p.mail_id is not null and ${isDelivered(sql`p.mail_id`)}
        order by p.mail_id desc limit 1) f) m on true
    left join lateral (
      select to_jsonb(f) as figures from (
        select q.account, a.label, ${mailedColumns} from etl.mailed_periods p
        where ${isOfPeriod} and p.mail_id = any(${waitingMailIds}::bigint[]) limit 1) f) w on true
    order by q.place
  `.execute(queries);
  return rows.map(({ mailed, waiting }) => ({
    mailed: mailed === null ? undefined : (toFigures(mailed) as Mailed),
    waiting: waiting === null ? undefined : (toFigures(waiting) as PeriodFigures),
  }));
}

/** Reads the figures of each account in its period, in the order of the arguments. */
export async function readCurrent(
  queries: Queries,
  requested: readonly RequestedFigures[],
): Promise<CurrentFigures[]> {
  type Row = ReadFigures & Omit<CurrentFigures, keyof PeriodFigures>;
  const { rows } = await sql<Row>`
    select q.account, coalesce(a.label, q.account) as label, a.account_id as "accountId", l.days as "lackingDays",
      case when f.days = 0 then 'absent' when cardinality(l.days) > 0 then 'incomplete'
        when f.provisional then 'provisional' else 'whole' end as state,
      f.content, f.attempts, f.busies, f.connects, f."liveAnswers", f."connectRate",
      q.every = 'day' and cardinality(l.days) = 0 and not f.provisional and f.silent and f.known
        and not b.called as "isQuiet", b.silent = 2 as "wasQuiet"
    from ${recordset(requested.map((each) => ({ ...each, first: periodOf(each.every, each.day).from })))}
      q (place integer, every text, first date, day date, account text, since date)
    left join warehouse.accounts a on a.name = q.account
    cross join lateral (
      select array(
        select e.day::text from (
          select greatest(q.first, q.since) + n as day
          from generate_series(0, q.day - greatest(q.first, q.since)) n) e
        where not exists (
          select from etl.windows w
          where w.account_id = a.account_id and w.day = e.day and w.day between q.first and q.day
            and w.state <> 'failed' and w.day_ended)
        order by e.day) as days
      -- Once, not for each column that asks for it.
      offset 0) l
    cross join lateral (
      select count(*) as days, coalesce(bool_or(w.state = 'provisional'), false) as provisional,
        coalesce(bool_and(coalesce(w.attempts = 0, false)), false) as silent,
        -- Of an account that listed no campaign on three days, nobody knows whether its days are without calls.
        -- The first ones, in the order of the key: an exists could hash those of all accounts, and a limit alone read them.
        (select min(k.callset_id) from etl.campaigns k where k.account_id = a.account_id) is not null
          or (
            select count(*) from (
              select from etl.windows k where k.account_id = a.account_id and k.state <> 'failed'
              order by k.day limit 3) k) < 3
          or exists (
            select from etl.alerts d where d.alert = 'NO_CAMPAIGNS_YET' and a.name = any(d.dismissed)) as known,
        encode(sha256(convert_to(coalesce(
          string_agg(w.day || ' ' || w.content_hash, ',' order by w.day), ''), 'UTF8')), 'hex') as content,
        ${knownSum('attempts')} as attempts, ${knownSum('busies')} as busies, ${knownSum('connects')} as connects,
        ${knownSum('live_answers')} as "liveAnswers", jsonb_build_object(
          'part', sum(w.connect_rate_connects)::text, 'attempts', sum(w.connect_rate_attempts)::text) as "connectRate"
      from etl.windows w
      where w.account_id = a.account_id and w.day between q.first and q.day and w.state <> 'failed') f
    cross join lateral (
      select count(*) filter (where b.state = 'loaded' and b.attempts = 0) as silent,
        coalesce(bool_or(b.attempts <> 0), false) as called
      from etl.windows b
      where b.account_id = a.account_id and b.day in (q.day - 7, q.day - 14) and b.state <> 'failed') b
    order by q.place
  `.execute(queries);
  return rows.map((row) => toFigures(row) as CurrentFigures);
}

/** Reads the ends of periods that were mailed in part. */
export async function readMailedInPart(queries: Queries, digests: readonly Rhythm[]): Promise<PeriodEnd[]> {
  const { rows } = await sql<PeriodEnd>`
    select distinct d.place, p.day
    from etl.mailed_periods p
    join ${recordset(digests.map(({ name, every }) => ({ name, every })))}
      d (place integer, name text, every text) on d.name = p.name and d.every = p.every
    where p.state in ('provisional', 'incomplete', 'absent')
    order by p.day, d.place
  `.execute(queries);
  return rows;
}
