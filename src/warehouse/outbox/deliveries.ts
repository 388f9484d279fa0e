import { zstdDecompressSync } from 'node:zlib';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { DeliveryOutcome, DeliveryState, DeliveryStep, UndeliveredMessage } from '../../model/digest.ts';
import type { DigestKey, Every } from '../../model/period.ts';
import type { Queries, Warehouse } from '../db/database.ts';
import { ago, anyOf, clockTime, noneOf, tableOf } from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';

/** A digest of the settings, and to whom it goes. */
type Recipients = { readonly name: string; readonly to: readonly string[] };

export type Delivery = {
  readonly deliveryId: number;
  readonly mailId: number;
  readonly digest: string;
  readonly every: Every;
  /** The last day of the period that the mail shows in full. */
  readonly day: Day;
  /** The number of earlier mails of that period, if this mail corrects it; otherwise 0. */
  readonly correction: number;
  readonly recipient: string;
  readonly messageId: string;
  readonly state: DeliveryState;
  /** Where and how the last attempt ended; null if there was none. */
  readonly step: DeliveryStep | null;
  readonly code: number | null;
  /** Its message still exists: old ones are deleted. */
  readonly isMessageKept: boolean;
};

/**
 * Finds by its key that somebody got a mail: its figures then count as mailed. An unknown delivery counts, and so does one
 * that somebody skipped; a mail without deliveries doesn't.
 */
export const isDelivered = (mailId: RawBuilder<unknown>) => sql<SqlBool>`coalesce((
  -- The first one: an exists could hash those of all mails.
  select true from etl.deliveries t
  where t.mail_id = ${mailId}
    and (t.state in ('sending', 'sent', 'written', 'unknown') or t.skipped_at is not null)
  limit 1), false)`;

/** States of deliveries that are still to be sent. */
export const openStates: readonly DeliveryState[] = ['pending', 'failed'];

/** What became of deliveries that somebody skipped by hand: those that were sent, or are being sent, couldn't be stopped. */
export type SkippedDeliveries = { readonly skipped: number; readonly sending: number; readonly sent: number };

/**
 * Skips deliveries that are to be sent, were given up or are unknown: nobody is notified of them any more.
 * Skips those of one digest, or of all if `of` is null.
 */
export async function skipDeliveries(queries: Queries, of: DigestKey | null): Promise<SkippedDeliveries> {
  const { numUpdatedRows } = await queries
    .updateTable('etl.deliveries as d')
    .from('etl.mails as g')
    .set((eb) => {
      const whereOpen = eb.case().when('d.state', 'in', openStates);
      return {
        state: whereOpen.then<DeliveryState>('given_up').else(eb.ref('d.state')).end(),
        reply: whereOpen.then('skipped by hand').else(eb.ref('d.reply')).end(),
        skipped_at: clockTime,
        changed_at: clockTime,
      };
    })
    .whereRef('g.mail_id', '=', 'd.mail_id')
    .where('d.state', 'in', [...openStates, 'given_up', 'unknown'])
    .where('d.skipped_at', 'is', null)
    .where((eb) => (of === null ? eb.lit(true) : eb.and(whereDigest(of))))
    .executeTakeFirst();
  const { sending, sent } = await queries
    .selectFrom('etl.deliveries as d')
    .innerJoin('etl.mails as g', 'g.mail_id', 'd.mail_id')
    .where((eb) => (of === null ? eb.lit(true) : eb.and(whereDigest(of))))
    .where('d.state', 'in', of === null ? ['sending'] : ['sending', 'sent', 'written'])
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('d.state', '=', 'sending').as('sending'),
      fn.countAll<number>().filterWhere('d.state', '<>', 'sending').as('sent'),
    ])
    .executeTakeFirstOrThrow();
  return { skipped: Number(numUpdatedRows), sending, sent };
}

/** The mailbox of an address: its case means nothing. */
export const mailboxOf = (address: string) => address.toLowerCase();

/** A delivery that is not sent: its recipient is gone from the settings. */
type Dropped = { readonly digest: string; readonly recipient: string };

/**
 * Brings the recipients of open mails to those of the settings. A mail is open while a delivery is to be sent, or if
 * nobody got it. Of each digest, those who are new get the newest open mail alone: an address that fails keeps earlier
 * ones open. What is to be sent to those who are gone is deleted, and returned.
 *
 * @param waitingMailIds the newest mails of digests that nobody got
 */
export async function followRecipients(
  warehouse: Warehouse,
  digests: readonly Recipients[],
  waitingMailIds: readonly number[],
  newMessageId: () => string,
): Promise<Dropped[]> {
  return await inTransaction(warehouse, async (transaction) => {
    const { rows: newest } = await sql<{ name: string; mailId: number }>`
      select m.name, max(m.mail_id) as "mailId" from etl.mails m
      where m.name = ${anyOf(digests.map(({ name }) => name))} and m.mime is not null and m.mail_id = any(array(
        select o.mail_id from etl.deliveries o where o.state in (${sql.join(openStates)})
        union all
        select unnest(${waitingMailIds}::bigint[])))
      group by m.name
    `.execute(transaction);
    const dropped: Dropped[] = [];
    for (const { name: digest, mailId } of newest) {
      const { to } = digests.find(({ name }) => name === digest)!;
      await insertDeliveries(transaction, mailId, to, newMessageId);
      const gone = await transaction
        .deleteFrom('etl.deliveries as d')
        .using('etl.mails as m')
        .whereRef('m.mail_id', '=', 'd.mail_id')
        .where('m.name', '=', digest)
        .where('d.state', 'in', openStates)
        .where(sql<string>`lower(d.recipient)`, '<>', noneOf(to.map(mailboxOf)))
        .returning('d.recipient')
        .execute();
      for (const { recipient } of gone) dropped.push({ digest, recipient });
    }
    return dropped;
  });
}

/** Gives each of these recipients a delivery of the newest mail about a period. */
export async function addRecipients(
  warehouse: Queries,
  digest: DigestKey,
  recipients: readonly string[],
  newMessageId: () => string,
): Promise<void> {
  const newest = await newestMail(warehouse, digest).where('g.mime', 'is not', null).executeTakeFirst();
  if (newest !== undefined) await insertDeliveries(warehouse, newest.mailId, recipients, newMessageId);
}

/** Selects the newest mail that shows a period in full. */
const newestMail = (warehouse: Queries, digest: DigestKey) =>
  warehouse
    .selectFrom('etl.mails as g')
    .select('g.mail_id as mailId')
    .where((eb) => eb.and(whereDigest(digest)))
    .orderBy('g.number', 'desc')
    .limit(1);

/** Inserts deliveries of a mail to those of the recipients that have none. Each keeps its Message-ID. */
export async function insertDeliveries(
  queries: Queries,
  mailId: number,
  recipients: readonly string[],
  newMessageId: () => string,
): Promise<void> {
  const messages = tableOf(recipients, 'd', {
    recipient: ['text', (recipient) => recipient],
    message_id: ['text', () => newMessageId()],
  });
  await sql`
    insert into etl.deliveries (mail_id, recipient, message_id)
    select ${mailId}::bigint, recipient, message_id from ${messages}
    on conflict (mail_id, lower(recipient)) do nothing
  `.execute(queries);
}

/** Marks deliveries that a crash interrupted as unknown: perhaps sent, so only a person may repeat them. */
export async function markInterrupted(warehouse: Queries): Promise<number> {
  const { numUpdatedRows } = await warehouse
    .updateTable('etl.deliveries')
    .set({
      state: 'unknown',
      reply: 'the run ended while sending',
      step: null,
      code: null,
      changed_at: clockTime,
    })
    .where('state', '=', 'sending')
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Returns the deliveries of these digests to attempt now, the newest mail first. */
export async function openDeliveries(
  warehouse: Queries,
  digests: readonly Recipients[],
): Promise<Delivery[]> {
  return await deliveries(warehouse)
    .where('d.state', 'in', openStates)
    .where('g.name', '=', anyOf(digests.map(({ name }) => name)))
    .execute();
}

const whereDigest = ({ name, every, day }: DigestKey) => ({
  'g.name': name,
  'g.every': every,
  'g.day': day,
});

/** Returns the deliveries of the newest mail about a period, in any state. */
export async function deliveriesOf(warehouse: Queries, digest: DigestKey): Promise<Delivery[]> {
  return await deliveries(warehouse).where('d.mail_id', 'in', newestMail(warehouse, digest)).execute();
}

function deliveries(warehouse: Queries) {
  return selectDeliveries(warehouse).select([
    'd.delivery_id as deliveryId',
    'd.mail_id as mailId',
    'g.correction',
    'd.message_id as messageId',
    'd.step',
    'd.code',
    sql<boolean>`g.mime is not null`.as('isMessageKept'),
  ]);
}

/** Selects deliveries `d` of mails `g`, the newest mail first. */
function selectDeliveries(warehouse: Queries) {
  return warehouse
    .selectFrom('etl.deliveries as d')
    .innerJoin('etl.mails as g', 'g.mail_id', 'd.mail_id')
    .select(['g.name as digest', 'g.every', 'g.day', 'd.recipient', 'd.state'])
    .orderBy('g.mail_id', 'desc')
    .orderBy('d.delivery_id');
}

/** Claims a delivery if its state is unchanged, and returns its message; null if another process took it. */
export async function claimDelivery(warehouse: Queries, delivery: Delivery): Promise<string | null> {
  const claimed = await warehouse
    .updateTable('etl.deliveries as d')
    .from('etl.mails as g')
    .set((eb) => ({
      state: 'sending',
      attempts: eb('d.attempts', '+', 1),
      // Sent again by hand, it has all its run dates before it.
      ...(!openStates.includes(delivery.state) && { failed_run_dates: [] }),
      skipped_at: null,
      changed_at: clockTime,
    }))
    .whereRef('g.mail_id', '=', 'd.mail_id')
    .where('d.delivery_id', '=', delivery.deliveryId)
    .where('d.state', '=', delivery.state)
    .where('g.mime', 'is not', null)
    .returning('g.mime')
    .executeTakeFirst();
  return claimed?.mime == null ? null : zstdDecompressSync(claimed.mime).toString();
}

export async function recordOutcome(
  warehouse: Queries,
  delivery: Delivery,
  outcome: DeliveryOutcome,
  runDate: Day,
): Promise<void> {
  await warehouse
    .updateTable('etl.deliveries')
    .set({ ...ended(outcome, runDate), changed_at: clockTime })
    .where('delivery_id', '=', delivery.deliveryId)
    .execute();
}

/**
 * Records the outcome of another delivery for those that weren't attempted because of it.
 *
 * @param runDate null if they keep their state: nothing was asked about them
 */
export async function recordUnattempted(
  warehouse: Queries,
  unattempted: readonly Delivery[],
  outcome: DeliveryOutcome,
  runDate: Day | null,
): Promise<void> {
  const { reply, step, code } = outcome;
  await warehouse
    .updateTable('etl.deliveries')
    .set(runDate === null ? { reply, step, code } : { ...ended(outcome, runDate), changed_at: clockTime })
    .where('delivery_id', '=', anyOf(unattempted.map(({ deliveryId }) => deliveryId)))
    .where('state', 'in', openStates)
    .execute();
}

const ended = ({ state, reply, step, code }: DeliveryOutcome, runDate: Day) => ({
  state,
  reply,
  step,
  code,
  ...(state === 'failed' && {
    failed_run_dates: sql<Day[]>`case when ${runDate}::date = any(failed_run_dates) then failed_run_dates
      else failed_run_dates || ${runDate}::date end`,
  }),
});

/** Gives up deliveries that failed on so many run dates: they aren't retried automatically. Returns their number. */
export async function giveUp(warehouse: Queries, maxFailedRunDates: number): Promise<number> {
  const { numUpdatedRows } = await warehouse
    .updateTable('etl.deliveries')
    .set({ state: 'given_up', changed_at: clockTime })
    .where('state', '=', 'failed')
    .where(sql<number>`cardinality(failed_run_dates)`, '>=', maxFailedRunDates)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/**
 * Returns mail to recipients of the settings that has not arrived, as far as is known. Mail that was given up or is unknown is
 * left out if the recipient has or will get a later mail of that period; unknown mail also after 31 days.
 */
export async function unsentMail(
  queries: Queries,
  digests: readonly Recipients[],
): Promise<UndeliveredMessage[]> {
  const unsent = await selectDeliveries(queries)
    .select(['d.reply', 'd.step', 'd.code', 'g.run_id as run'])
    .where('d.state', 'not in', ['sent', 'written'])
    .where('d.skipped_at', 'is', null)
    .where((eb) => eb.or([eb('d.state', '<>', 'unknown'), eb('d.changed_at', '>', ago('31 days'))]))
    .where((eb) => eb.or([eb('d.state', 'not in', ['given_up', 'unknown']), eb.not(isMailedLater)]))
    .execute();
  const current = new Set(digests.flatMap(({ name, to }) => to.map((each) => mailboxKey(name, each))));
  return unsent.filter(({ digest, recipient }) => current.has(mailboxKey(digest, recipient)));
}

const mailboxKey = (digest: string, recipient: string) => `${mailboxOf(recipient)} ${digest}`;

/** A later mail of the same period goes to the recipient of delivery `d` of mail `g`. */
const isMailedLater = sql<boolean>`exists (
  select from etl.mailed_periods p join etl.deliveries later on later.mail_id = p.mail_id
  where p.name = g.name and p.every = g.every and p.day = g.day and p.mail_id > g.mail_id
    and lower(later.recipient) = lower(d.recipient) and later.skipped_at is null)`;
