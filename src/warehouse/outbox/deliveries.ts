import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { DeliveryOutcome, DeliveryState, DigestKind } from '../../model/digest.ts';
import type { DigestKey, Every } from '../../model/period.ts';
import type { Queries } from '../db/database.ts';
import { anyOf, clockTime, tableOf } from '../db/expressions.ts';

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
  /** The mail server couldn't take it at the last attempt, but may later. */
  readonly putOff: boolean;
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

/** Skips what was refused or is unknown at addresses that a digest doesn't go to any more: nobody waits for it. */
export async function skipGoneRecipients(
  warehouse: Queries,
  digests: readonly { readonly name: string; readonly to: readonly string[] }[],
): Promise<void> {
  const addresses = digests.flatMap(({ name, to }) => to.map((recipient) => ({ name, recipient })));
  const current = tableOf(addresses, 'c', {
    name: ['text', ({ name }) => name],
    recipient: ['text', ({ recipient }) => recipient],
  });
  await warehouse
    .updateTable('etl.deliveries as d')
    .from('etl.digests as g')
    .set({ skipped_at: clockTime, changed_at: clockTime })
    .whereRef('g.digest_id', '=', 'd.digest_id')
    .where('g.name', '=', anyOf(digests.map(({ name }) => name)))
    .where('d.state', 'in', ['refused', 'unknown'])
    .where('d.skipped_at', 'is', null)
    .where(({ exists, not, selectFrom }) => {
      const wanted = selectFrom(current)
        .whereRef('c.name', '=', 'g.name')
        .whereRef('c.recipient', '=', 'd.recipient');
      return not(exists(wanted));
    })
    .execute();
}

/** Marks deliveries that a crash interrupted as unknown: perhaps sent, so only a person may repeat them. */
export async function markInterrupted(warehouse: Queries): Promise<number> {
  const { numUpdatedRows } = await warehouse
    .updateTable('etl.deliveries')
    .set({ state: 'unknown', reply: 'the run ended while sending', changed_at: clockTime })
    .where('state', '=', 'sending')
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Returns the deliveries to attempt now, oldest day first. */
export async function openDeliveries(warehouse: Queries): Promise<Delivery[]> {
  return await deliveries(warehouse).where('d.state', 'in', openStates).execute();
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
    'd.put_off as putOff',
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
  { state, reply, retryable }: DeliveryOutcome & { readonly retryable: boolean },
): Promise<void> {
  await warehouse
    .updateTable('etl.deliveries')
    .set({ state, reply, put_off: retryable, changed_at: clockTime })
    .where('delivery_id', '=', delivery.deliveryId)
    .execute();
}

/** Records why deliveries that nobody claimed couldn't even be attempted. */
export async function recordUnreached(
  warehouse: Queries,
  unreached: readonly Delivery[],
  { reply, retryable }: { readonly reply: string; readonly retryable: boolean },
): Promise<void> {
  const ids = unreached.map(({ deliveryId }) => deliveryId);
  await warehouse
    .updateTable('etl.deliveries')
    .set({ state: 'failed', reply, put_off: retryable, changed_at: clockTime })
    .where('delivery_id', '=', anyOf(ids))
    .where('state', 'in', openStates)
    .execute();
}
