import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { DeliveryCause, DeliveryOutcome, DeliveryState, DigestKind } from '../../model/digest.ts';
import type { DigestKey, Every } from '../../model/period.ts';
import type { Queries, Warehouse } from '../db/database.ts';
import { anyOf, clockTime, tableOf } from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';
import { isTold } from './told.ts';

/** A digest of the settings, and to whom it goes. */
type Recipients = { readonly name: string; readonly to: readonly string[] };

export type Delivery = {
  readonly deliveryId: number;
  readonly digest: string;
  readonly every: Every;
  /** The last day of its period. */
  readonly day: Day;
  readonly kind: DigestKind;
  readonly recipient: string;
  readonly messageId: string;
  readonly state: DeliveryState;
  /** What kept the last attempt from its recipient; null if nothing did. */
  readonly cause: DeliveryCause | null;
  /** Its message still exists: old ones are deleted. */
  readonly kept: boolean;
};

/** States of deliveries that are still to be sent. */
export const openStates: readonly DeliveryState[] = ['pending', 'failed'];

/**
 * Skips deliveries that are to be sent, were refused or are unknown: nobody is notified of them any more.
 * Skips those of one digest, or of all if `of` is null. Returns their number.
 */
export async function skipDeliveries(warehouse: Queries, of: DigestKey | null): Promise<number> {
  const { numUpdatedRows } = await warehouse
    .updateTable('etl.deliveries as d')
    .from('etl.digests as g')
    .set((eb) => {
      const whereOpen = eb.case().when('d.state', 'in', openStates);
      return {
        state: whereOpen.then<DeliveryState>('refused').else(eb.ref('d.state')).end(),
        reply: whereOpen.then('skipped by hand').else(eb.ref('d.reply')).end(),
        skipped_at: clockTime,
        changed_at: clockTime,
      };
    })
    .whereRef('g.digest_id', '=', 'd.digest_id')
    .where('d.state', 'in', [...openStates, 'refused', 'unknown'])
    .where('d.skipped_at', 'is', null)
    .where((eb) => (of === null ? eb.lit(true) : eb.and(whereDigest(of))))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** The mailbox of an address: its case means nothing. */
const mailboxOf = (address: string) => address.toLowerCase();

/**
 * Brings the recipients of open digests to those of the settings. A digest is open while a delivery is to be sent, or if
 * nobody got it: each of today's recipients without a delivery gets one, and what is to be sent to others is deleted.
 */
export async function followRecipients(
  warehouse: Warehouse,
  digests: readonly Recipients[],
  newMessageId: () => string,
): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    const open = await transaction
      .selectFrom('etl.digests as g')
      .innerJoin('etl.deliveries as d', 'd.digest_id', 'g.digest_id')
      .select(['g.digest_id as digestId', 'g.name', 'd.delivery_id as deliveryId', 'd.recipient', 'd.state'])
      .where('g.name', '=', anyOf(digests.map(({ name }) => name)))
      .where('g.mime', 'is not', null)
      .where(({ or, not, exists, selectFrom }) =>
        or([
          not(isTold('g')),
          exists(
            selectFrom('etl.deliveries as o')
              .whereRef('o.digest_id', '=', 'g.digest_id')
              .where('o.state', 'in', openStates),
          ),
        ]),
      )
      .execute();
    const byDigest = Map.groupBy(open, ({ digestId }) => digestId);
    const ofSettings = new Map(digests.map(({ name, to }) => [name, to]));
    for (const [digestId, deliveries] of byDigest) {
      const to = ofSettings.get(deliveries[0]!.name)!;
      await insertDeliveries(transaction, digestId, to, newMessageId);
      const current = new Set(to.map(mailboxOf));
      const gone = deliveries.filter(
        ({ recipient, state }) => openStates.includes(state) && !current.has(mailboxOf(recipient)),
      );
      await transaction
        .deleteFrom('etl.deliveries')
        .where('delivery_id', '=', anyOf(gone.map(({ deliveryId }) => deliveryId)))
        .where('state', 'in', openStates)
        .execute();
    }
  });
}

/** Gives each of these recipients a delivery of a built digest, and of its correction. */
export async function addRecipients(
  warehouse: Queries,
  digest: DigestKey,
  recipients: readonly string[],
  newMessageId: () => string,
): Promise<void> {
  const built = await warehouse
    .selectFrom('etl.digests as g')
    .select('g.digest_id as digestId')
    .where((eb) => eb.and(whereDigest(digest)))
    .where('g.mime', 'is not', null)
    .execute();
  for (const { digestId } of built) await insertDeliveries(warehouse, digestId, recipients, newMessageId);
}

/** Inserts deliveries of a digest to those of the recipients that have none. Each keeps its Message-ID. */
export async function insertDeliveries(
  queries: Queries,
  digestId: number,
  recipients: readonly string[],
  newMessageId: () => string,
): Promise<void> {
  const messages = tableOf(recipients, 'd', {
    recipient: ['text', (recipient) => recipient],
    message_id: ['text', () => newMessageId()],
  });
  await sql`
    insert into etl.deliveries (digest_id, recipient, message_id)
    select ${digestId}::bigint, recipient, message_id from ${messages}
    on conflict (digest_id, lower(recipient)) do nothing
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

/** Returns whether the last two messages that the mail server got on a run date are of unknown arrival. */
export async function areLastTwoUnanswered(warehouse: Queries, runDate: Day): Promise<boolean> {
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
  return last.length === 2 && last.every(({ state, cause }) => state === 'unknown' && cause === 'silent');
}

const whereDigest = ({ name, every, day }: DigestKey) => ({
  'g.name': name,
  'g.every': every,
  'g.day': day,
});

/** Returns the deliveries of one digest in any state; those of the corrected one, if there is one. */
export async function deliveriesOf(warehouse: Queries, digest: DigestKey): Promise<Delivery[]> {
  const all = await deliveries(warehouse)
    .where((eb) => eb.and(whereDigest(digest)))
    .execute();
  const corrected = all.filter(({ kind }) => kind === 'corrected');
  return corrected.length > 0 ? corrected : all;
}

function deliveries(warehouse: Queries) {
  return selectDeliveries(warehouse).select([
    'd.delivery_id as deliveryId',
    'g.kind',
    'd.message_id as messageId',
    'd.cause',
    sql<boolean>`g.mime is not null`.as('kept'),
  ]);
}

/** Selects deliveries `d` of digests `g`, oldest day first. */
export function selectDeliveries(warehouse: Queries) {
  return warehouse
    .selectFrom('etl.deliveries as d')
    .innerJoin('etl.digests as g', 'g.digest_id', 'd.digest_id')
    .select(['g.name as digest', 'g.every', 'g.day', 'd.recipient', 'd.state'])
    .orderBy('g.day')
    .orderBy('d.delivery_id');
}

/** Records that the mailbox itself refused what was left undecided. */
export async function recordRefused(warehouse: Queries, refused: readonly Delivery[]): Promise<void> {
  const ids = refused.map(({ deliveryId }) => deliveryId);
  await warehouse
    .updateTable('etl.deliveries')
    .set({ state: 'refused', cause: 'recipient', changed_at: clockTime })
    .where('delivery_id', '=', anyOf(ids))
    .where('state', '=', 'failed')
    .execute();
}

/** Claims a delivery if its state is unchanged, and returns its message; null if another process took it. */
export async function claimDelivery(warehouse: Queries, delivery: Delivery): Promise<string | null> {
  const claimed = await warehouse
    .updateTable('etl.deliveries as d')
    .from('etl.digests as g')
    .set((eb) => ({
      state: 'sending',
      attempts: eb('d.attempts', '+', 1),
      skipped_at: null,
      changed_at: clockTime,
    }))
    .whereRef('g.digest_id', '=', 'd.digest_id')
    .where('d.delivery_id', '=', delivery.deliveryId)
    .where('d.state', '=', delivery.state)
    .where('g.mime', 'is not', null)
    .returning('g.mime')
    .executeTakeFirst();
  return claimed?.mime ?? null;
}

export async function recordOutcome(
  warehouse: Queries,
  delivery: Delivery,
  { state, reply, cause }: DeliveryOutcome,
): Promise<void> {
  await warehouse
    .updateTable('etl.deliveries')
    .set({ state, reply, cause, changed_at: clockTime })
    .where('delivery_id', '=', delivery.deliveryId)
    .execute();
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
