import { zstdCompressSync } from 'node:zlib';
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { CurrentFigures, PeriodState } from '../../model/digest.ts';
import type { DigestKey } from '../../model/period.ts';
import type { Queries, Warehouse } from '../db/database.ts';
import { anyOf, recordset, tableOf } from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';
import { insertDeliveries, isDelivered, type SkippedDeliveries, skipDeliveries } from './deliveries.ts';

/** The figures of an account in a period of a mail, by its last day. */
export type MailedFigures = CurrentFigures & { readonly day: Day };

export type BuiltMail = DigestKey & {
  /** One more than that of the newest mail that its plan knew. */
  readonly number: number;
  /** It corrects what was mailed of its period. */
  readonly isCorrection: boolean;
  readonly subject: string;
  /** The frozen message without To and Message-ID. */
  readonly mime: string;
  readonly runId: number | null;
  /** Time at which its figures were read: the whole mail is of that instant. */
  readonly builtAt: string;
  readonly mailed: readonly MailedFigures[];
  readonly recipients: readonly string[];
};

/**
 * Freezes a mail with its figures and its deliveries. Then deletes the earlier mails of this digest that nobody got:
 * the new one has their content. Returns false if another run was faster, or if somebody has skipped a period of it by hand
 * since it was planned.
 */
export async function freezeMail(
  warehouse: Warehouse,
  mail: BuiltMail,
  newMessageId: () => string,
): Promise<boolean> {
  const { name, every, number, day, isCorrection, subject, mime, runId, builtAt } = mail;
  return await inTransaction(warehouse, async (transaction) => {
    // Waits for a skip by hand, which waits for this.
    await sql`lock table etl.mails in row exclusive mode`.execute(transaction);
    const skipped = await transaction
      .selectFrom('etl.mailed_periods')
      .select('day')
      .where((eb) => eb.and({ name, every }))
      .where('day', '=', anyOf([...new Set([day, ...mail.mailed.map((each) => each.day)])]))
      .where((eb) =>
        eb.and(['mail_id', 'account_id', 'content'].map((column) => eb(sql.ref(column), 'is', null))),
      )
      .executeTakeFirst();
    if (skipped !== undefined) return false;
    const inserted = await transaction
      .insertInto('etl.mails')
      .values({
        name,
        every,
        number,
        day,
        correction: isCorrection ? timesMailed(mail) : 0,
        subject,
        mime: zstdCompressSync(mime),
        run_id: runId,
        built_at: builtAt,
      })
      .onConflict((conflict) => conflict.columns(['name', 'every', 'number']).doNothing())
      .returning('mail_id as id')
      .executeTakeFirst();
    if (inserted === undefined) return false;
    await insertMailedPeriods(transaction, mail, inserted.id);
    await transaction
      .deleteFrom('etl.mails as m')
      .where((eb) => eb.and({ 'm.name': name, 'm.every': every }))
      .where('m.number', '<', number)
      // The others have all been sent: mails of history aren't read.
      .where(
        'm.mail_id',
        '=',
        sql<number>`any(array(
          select d.mail_id from etl.deliveries d where d.state not in ('sent', 'written')
          union all
          select g.mail_id from etl.mails g
          where g.name = ${name} and g.every = ${every} and g.number = ${number - 1}))`,
      )
      .where((eb) => eb.not(isDelivered(sql.ref('m.mail_id'))))
      .execute();
    await insertDeliveries(transaction, inserted.id, mail.recipients, newMessageId);
    return true;
  });
}

/** The number of delivered mails with a period. */
const timesMailed = ({ name, every, day }: DigestKey) => sql<number>`(
  select count(distinct p.mail_id) from etl.mailed_periods p
  where p.name = ${name} and p.every = ${every} and p.day = ${day} and ${isDelivered(sql`p.mail_id`)})`;

async function insertMailedPeriods(
  queries: Queries,
  { name, every, builtAt, mailed }: BuiltMail,
  mailId: number,
): Promise<void> {
  const known = mailed.filter(({ accountId }) => accountId !== null);
  const rows = tableOf(known, 't', {
    day: ['date', ({ day }) => day],
    account_id: ['integer', ({ accountId }) => accountId],
    state: ['text', ({ state }) => state],
    content: ['text', ({ content }) => content],
    lacking_days: ['text', ({ lackingDays }) => `{${lackingDays.join()}}`],
    attempts: ['numeric', ({ attempts }) => attempts],
    busies: ['numeric', ({ busies }) => busies],
    connects: ['numeric', ({ connects }) => connects],
    live_answers: ['numeric', ({ liveAnswers }) => liveAnswers],
    connect_rate_connects: ['numeric', ({ connectRate }) => connectRate.part],
    connect_rate_attempts: ['numeric', ({ connectRate }) => connectRate.attempts],
  });
  await sql`
    insert into etl.mailed_periods (name, every, mail_id, decided_at, day, account_id, state, content, lacking_days,
      attempts, busies, connects, live_answers, connect_rate_connects, connect_rate_attempts)
    select ${name}, ${every}, ${mailId}::bigint, ${builtAt}::timestamptz, day, account_id, state, content,
      lacking_days::date[], attempts, busies, connects, live_answers, connect_rate_connects, connect_rate_attempts
    from ${rows}
  `.execute(queries);
}

/** Records where new digests begin; one that has begun stays as it is. */
export async function recordStarts(queries: Queries, starts: readonly DigestKey[]): Promise<void> {
  if (starts.length === 0) return;
  await queries
    .insertInto('etl.digest_starts')
    .values([...starts])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** A decision not to mail a period any more: for one account (null: all), with this content (null: any). */
export type SkippedPeriod = DigestKey & {
  readonly accountId: number | null;
  readonly content: string | null;
};

/** Records such decisions; each replaces an earlier one. */
export async function skipPeriods(queries: Queries, skipped: readonly SkippedPeriod[]): Promise<void> {
  const rows = tableOf(skipped, 's', {
    name: ['text', ({ name }) => name],
    every: ['text', ({ every }) => every],
    day: ['date', ({ day }) => day],
    account_id: ['integer', ({ accountId }) => accountId],
    content: ['text', ({ content }) => content],
  });
  await sql`
    insert into etl.mailed_periods (name, every, day, account_id, state, content)
    select name, every, day, account_id, 'skipped', content from ${rows}
    order by name, every, day, account_id
    on conflict (name, every, day, coalesce(account_id, 0)) where mail_id is null
    do update set content = excluded.content, decided_at = clock_timestamp()
  `.execute(queries);
}

/**
 * Skips periods, and the deliveries of a digest (null: of all). A run that builds a mail meanwhile either freezes it before, so
 * that its deliveries are skipped, or doesn't.
 */
export async function skipByHand(
  warehouse: Warehouse,
  skipped: readonly SkippedPeriod[],
  of: DigestKey | null,
): Promise<SkippedDeliveries> {
  return await inTransaction(warehouse, async (transaction) => {
    await sql`lock table etl.mails in share mode`.execute(transaction);
    await skipPeriods(transaction, skipped);
    return await skipDeliveries(transaction, of);
  });
}

/** Takes back all decisions that a period isn't mailed. */
export async function unskipPeriod(queries: Queries, { name, every, day }: DigestKey): Promise<void> {
  await queries
    .deleteFrom('etl.mailed_periods')
    .where((eb) => eb.and({ name, every, day }))
    .where('mail_id', 'is', null)
    .execute();
}

/** Reads what became of each period; null if nothing was built or skipped. */
export async function readPeriodStates(
  queries: Queries,
  periods: readonly DigestKey[],
): Promise<(PeriodState | null)[]> {
  const { rows } = await sql<{ state: PeriodState | null }>`
    select
      case when g.mail_id is not null then 'built'
        when t.mail_id is not null then 'sent with another'
        when t.state is not null then 'skipped' end as state
    from ${recordset(periods)} k (place integer, name text, every text, day date)
    left join lateral (
      select m.mail_id from etl.mails m
      where m.day = k.day and m.name = k.name and m.every = k.every
      order by m.number desc limit 1) g on true
    left join lateral (
      select p.mail_id, p.state from etl.mailed_periods p
      where p.name = k.name and p.every = k.every and p.day = k.day
      order by p.mail_id desc nulls last limit 1) t on true
    order by k.place
  `.execute(queries);
  return rows.map(({ state }) => state);
}
