import { sql } from 'kysely';
import type { Day } from '../model/day.ts';
import type { DeliveryOutcome, DeliveryState, DigestKind } from '../model/digest.ts';
import type { Warehouse } from './tables.ts';

export type Delivery = {
  readonly deliveryId: number;
  readonly digest: string;
  readonly day: Day;
  readonly kind: DigestKind;
  readonly recipient: string;
  readonly messageId: string;
  readonly state: DeliveryState;
};

/**
 * Waives what is still to be sent, and what was refused or is unknown: nobody is told of it any more. Of one digest or
 * of all; gives the number of deliveries.
 */
export async function waiveDeliveries(
  warehouse: Warehouse,
  of: { readonly name: string; readonly day: Day } | null,
): Promise<number> {
  const { numAffectedRows } = await sql`
    update etl.deliveries d
    set state = case when d.state = 'unknown' then 'unknown' else 'refused' end,
      reply = case when d.state in ('pending', 'failed') then 'waived by hand' else d.reply end,
      waived_at = clock_timestamp(), changed_at = clock_timestamp()
    from etl.digests g
    where g.digest_id = d.digest_id and d.state in ('pending', 'failed', 'refused', 'unknown') and d.waived_at is null
      ${of === null ? sql`` : sql`and g.name = ${of.name} and g.day = ${of.day}`}
  `.execute(warehouse);
  return Number(numAffectedRows ?? 0);
}

/** A crash while sending leaves it open whether the message went out: only a person may repeat it. */
export async function markInterrupted(warehouse: Warehouse): Promise<number> {
  const result = await warehouse
    .updateTable('etl.deliveries')
    .set({ state: 'unknown', reply: 'the run ended while sending', changed_at: sql`clock_timestamp()` })
    .where('state', '=', 'sending')
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Deliveries to try now, oldest day first. */
export async function openDeliveries(warehouse: Warehouse): Promise<Delivery[]> {
  return await deliveries(warehouse).where('d.state', 'in', ['pending', 'failed']).execute();
}

/** The deliveries of one digest, whatever their state; of the corrected one, where there is one. */
export async function deliveriesOf(warehouse: Warehouse, name: string, day: Day): Promise<Delivery[]> {
  const all = await deliveries(warehouse).where('g.name', '=', name).where('g.day', '=', day).execute();
  const corrected = all.filter(({ kind }) => kind === 'corrected');
  return corrected.length > 0 ? corrected : all;
}

function deliveries(warehouse: Warehouse) {
  return warehouse
    .selectFrom('etl.deliveries as d')
    .innerJoin('etl.digests as g', 'g.digest_id', 'd.digest_id')
    .select([
      'd.delivery_id as deliveryId',
      'g.name as digest',
      'g.day',
      'g.kind',
      'd.recipient',
      'd.message_id as messageId',
      'd.state',
    ])
    .orderBy('g.day')
    .orderBy('d.delivery_id');
}

/** Claims a delivery in the state it was read in, and gives its message; null where another took it. */
export async function claimDelivery(warehouse: Warehouse, delivery: Delivery): Promise<string | null> {
  const { rows } = await sql<{ mime: string }>`
    update etl.deliveries d
    set state = 'sending', attempts = attempts + 1, waived_at = null, told_at = null, changed_at = clock_timestamp()
    from etl.digests g
    where g.digest_id = d.digest_id and d.delivery_id = ${delivery.deliveryId} and d.state = ${delivery.state}
    returning g.mime
  `.execute(warehouse);
  return rows[0]?.mime ?? null;
}

export async function noteOutcome(
  warehouse: Warehouse,
  delivery: Delivery,
  { state, reply }: DeliveryOutcome,
): Promise<void> {
  await warehouse
    .updateTable('etl.deliveries')
    .set({ state, reply, changed_at: sql`clock_timestamp()` })
    .where('delivery_id', '=', delivery.deliveryId)
    .execute();
}

/** Notes of deliveries that nobody claimed why they couldn't even be tried. */
export async function noteUnreached(
  warehouse: Warehouse,
  unreached: readonly Delivery[],
  reply: string,
): Promise<void> {
  await warehouse
    .updateTable('etl.deliveries')
    .set({ state: 'failed', reply, changed_at: sql`clock_timestamp()` })
    .where(
      'delivery_id',
      'in',
      unreached.map(({ deliveryId }) => deliveryId),
    )
    .where('state', 'in', ['pending', 'failed'])
    .execute();
}
