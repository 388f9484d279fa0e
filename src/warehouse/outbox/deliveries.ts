import { zstdDecompressSync } from 'node:zlib';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { DeliveryCause, DeliveryOutcome, DeliveryState } from '../../model/digest.ts';
import type { DigestKey, Every } from '../../model/period.ts';
import type { Queries, Warehouse } from '../db/database.ts';
import { anyOf, clockTime, tableOf } from '../db/expressions.ts';
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
  /** The obstacle of the last attempt; null if there was none. */
  readonly cause: DeliveryCause | null;
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

/**
 * Skips deliveries that are to be sent, were refused or are unknown: nobody is notified of them any more.
 * Skips those of one digest, or of all if `of` is null. Returns their number.
 */
export async function skipDeliveries(warehouse: Queries, of: DigestKey | null): Promise<number> {
  const { numUpdatedRows } = await warehouse
    .updateTable('etl.deliveries as d')
    .from('etl.mails as g')
    .set((eb) => {
      const whereOpen = eb.case().when('d.state', 'in', openStates);
      return {
        state: whereOpen.then<DeliveryState>('refused').else(eb.ref('d.state')).end(),
        reply: whereOpen.then('skipped by hand').else(eb.ref('d.reply')).end(),
        skipped_at: clockTime,
        changed_at: clockTime,
      };
    })
    .whereRef('g.mail_id', '=', 'd.mail_id')
    .where('d.state', 'in', [...openStates, 'refused', 'unknown'])
    .where('d.skipped_at', 'is', null)
    .where((eb) => (of === null ? eb.lit(true) : eb.and(whereDigest(of))))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** The mailbox of an address: its case means nothing. */
const mailboxOf = (address: string) => address.toLowerCase();

/**
 * Brings the recipients of open mails to those of the settings. A mail is open while a delivery is to be sent, or if
 * nobody got it: each of today's recipients without a delivery gets one, and what is to be sent to others is deleted.
 *
 * @param waitingMailIds the newest mails of digests that nobody got
 */
export async function followRecipients(
  warehouse: Warehouse,
  digests: readonly Recipients[],
  waitingMailIds: readonly number[],
  newMessageId: () => string,
): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    const { rows: open } = await sql<OpenDelivery>`
      select m.mail_id as "mailId", m.name, d.delivery_id as "deliveryId", d.recipient, d.state
      from etl.mails m left join etl.deliveries d on d.mail_id = m.mail_id
      where m.name = ${anyOf(digests.map(({ name }) => name))} and m.mime is not null and m.mail_id = any(array(
        select o.mail_id from etl.deliveries o where o.state in (${sql.join(openStates)})
        union all
        select unnest(${waitingMailIds}::bigint[])))
    `.execute(transaction);
    const byMail = Map.groupBy(open, ({ mailId }) => mailId);
    const ofSettings = new Map(digests.map(({ name, to }) => [name, to]));
    for (const [mailId, deliveries] of byMail) {
      const to = ofSettings.get(deliveries[0]!.name)!;
      await insertDeliveries(transaction, mailId, to, newMessageId);
      const current = new Set(to.map(mailboxOf));
      const gone = deliveries.filter(
        ({ recipient, state }) =>
          recipient !== null && openStates.includes(state!) && !current.has(mailboxOf(recipient)),
      );
      await transaction
        .deleteFrom('etl.deliveries')
        .where('delivery_id', '=', anyOf(gone.map(({ deliveryId }) => deliveryId!)))
        .where('state', 'in', openStates)
        .execute();
    }
  });
}

/** A mail that is still to be delivered, and a delivery of it; null if it has none. */
type OpenDelivery = {
  readonly mailId: number;
  readonly name: string;
  readonly deliveryId: number | null;
  readonly recipient: string | null;
  readonly state: DeliveryState | null;
};

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
    .set({ state: 'unknown', reply: 'the run ended while sending', cause: null, changed_at: clockTime })
    .where('state', '=', 'sending')
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Returns the deliveries of these digests to attempt now, oldest day first. */
export async function openDeliveries(
  warehouse: Queries,
  digests: readonly Recipients[],
): Promise<Delivery[]> {
  return await deliveries(warehouse)
    .where('d.state', 'in', openStates)
    .where('g.name', '=', anyOf(digests.map(({ name }) => name)))
    .execute();
}

/** Returns whether the mail server sent no reply to the last two messages of a run date. */
export async function gotNoReplyToLastTwo(warehouse: Queries, runDate: Day): Promise<boolean> {
  const last = await warehouse
    .selectFrom('etl.deliveries')
    .select(['state', 'cause'])
    .where('state', 'in', ['sent', 'refused', 'unknown'])
    .where('changed_at', '>=', (eb) =>
      eb
        .selectFrom('etl.runs')
        .select((run) => run.fn.min('started_at').as('at'))
        .where('run_id', '>', (run) =>
          run
            .selectFrom('etl.runs')
            .select((other) => other.fn.coalesce(other.fn.max('run_id'), sql<number>`0`).as('id'))
            .where('run_date', '<>', runDate),
        ),
    )
    .orderBy('changed_at', 'desc')
    .limit(2)
    .execute();
  return last.length === 2 && last.every(({ state, cause }) => state === 'unknown' && cause !== null);
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
    'd.cause',
    sql<boolean>`g.mime is not null`.as('isMessageKept'),
  ]);
}

/** Selects deliveries `d` of mails `g`, oldest day first. */
export function selectDeliveries(warehouse: Queries) {
  return warehouse
    .selectFrom('etl.deliveries as d')
    .innerJoin('etl.mails as g', 'g.mail_id', 'd.mail_id')
    .select(['g.name as digest', 'g.every', 'g.day', 'd.recipient', 'd.state'])
    .orderBy('g.day')
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
  { state, reply, cause }: DeliveryOutcome,
  runDate: Day,
): Promise<void> {
  const failedToo = sql<Day[]>`case when ${runDate}::date = any(failed_run_dates) then failed_run_dates
    else failed_run_dates || ${runDate}::date end`;
  await warehouse
    .updateTable('etl.deliveries')
    .set({
      state,
      reply,
      cause,
      changed_at: clockTime,
      ...(state === 'failed' && { failed_run_dates: failedToo }),
    })
    .where('delivery_id', '=', delivery.deliveryId)
    .execute();
}

/** Refuses deliveries that failed on so many run dates: they aren't retried automatically. Returns their number. */
export async function giveUp(warehouse: Queries, maxFailedRunDates: number): Promise<number> {
  const { numUpdatedRows } = await warehouse
    .updateTable('etl.deliveries')
    .set({ state: 'refused', changed_at: clockTime })
    .where('state', '=', 'failed')
    .where(sql<number>`cardinality(failed_run_dates)`, '>=', maxFailedRunDates)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Records why deliveries weren't even attempted: they keep their state. */
export async function recordUnreached(
  warehouse: Queries,
  unreached: readonly Delivery[],
  { reply, cause }: Pick<DeliveryOutcome, 'reply' | 'cause'>,
): Promise<void> {
  const ids = unreached.map(({ deliveryId }) => deliveryId);
  await warehouse
    .updateTable('etl.deliveries')
    .set({ reply, cause })
    .where('delivery_id', '=', anyOf(ids))
    .where('state', 'in', openStates)
    .execute();
}
