import sql, { empty, type Sql } from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { DeliveryOutcome, DeliveryState, DigestKind } from '../model/digest.ts';
import type { Queries } from './warehouse.ts';

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
  warehouse: Queries,
  of: { readonly name: string; readonly day: Day } | null,
): Promise<number> {
  const { rowCount } = await warehouse.query(sql`
    update etl.deliveries d
    set state = case when d.state = 'unknown' then 'unknown' else 'refused' end,
      reply = case when d.state in ('pending', 'failed') then 'waived by hand' else d.reply end,
      waived_at = clock_timestamp(), changed_at = clock_timestamp()
    from etl.digests g
    where g.digest_id = d.digest_id and d.state in ('pending', 'failed', 'refused', 'unknown') and d.waived_at is null
      ${of === null ? empty : sql`and g.name = ${of.name} and g.day = ${of.day}`}
  `);
  return rowCount;
}

/** A crash while sending leaves it open whether the message went out: only a person may repeat it. */
export async function markInterrupted(warehouse: Queries): Promise<number> {
  const { rowCount } = await warehouse.query(sql`
    update etl.deliveries
    set state = 'unknown', reply = 'the run ended while sending', changed_at = clock_timestamp()
    where state = 'sending'
  `);
  return rowCount;
}

/** Deliveries to try now, oldest day first. */
export async function openDeliveries(warehouse: Queries): Promise<Delivery[]> {
  return await deliveries(warehouse, sql`d.state in ('pending', 'failed')`);
}

/** The deliveries of one digest, whatever their state; of the corrected one, where there is one. */
export async function deliveriesOf(warehouse: Queries, name: string, day: Day): Promise<Delivery[]> {
  const all = await deliveries(warehouse, sql`g.name = ${name} and g.day = ${day}`);
  const corrected = all.filter(({ kind }) => kind === 'corrected');
  return corrected.length > 0 ? corrected : all;
}

async function deliveries(warehouse: Queries, condition: Sql): Promise<Delivery[]> {
  const { rows } = await warehouse.query<Delivery>(sql`
    select d.delivery_id as "deliveryId", g.name as digest, g.day, g.kind, d.recipient,
      d.message_id as "messageId", d.state
    from etl.deliveries d join etl.digests g using (digest_id)
    where ${condition} order by g.day, d.delivery_id
  `);
  return rows;
}

/** Claims a delivery in the state it was read in, and gives its message; null where another took it. */
export async function claimDelivery(warehouse: Queries, delivery: Delivery): Promise<string | null> {
  const { rows } = await warehouse.query<{ mime: string }>(sql`
    update etl.deliveries d
    set state = 'sending', attempts = attempts + 1, waived_at = null, told_at = null, changed_at = clock_timestamp()
    from etl.digests g
    where g.digest_id = d.digest_id and d.delivery_id = ${delivery.deliveryId} and d.state = ${delivery.state}
    returning g.mime
  `);
  return rows[0]?.mime ?? null;
}

export async function noteOutcome(
  warehouse: Queries,
  delivery: Delivery,
  { state, reply }: DeliveryOutcome,
): Promise<void> {
  await warehouse.query(sql`
    update etl.deliveries set state = ${state}, reply = ${reply}, changed_at = clock_timestamp()
    where delivery_id = ${delivery.deliveryId}
  `);
}

/** Notes of deliveries that nobody claimed why they couldn't even be tried. */
export async function noteUnreached(
  warehouse: Queries,
  unreached: readonly Delivery[],
  reply: string,
): Promise<void> {
  await warehouse.query(sql`
    update etl.deliveries set state = 'failed', reply = ${reply}, changed_at = clock_timestamp()
    where delivery_id = any(${unreached.map(({ deliveryId }) => deliveryId)}::bigint[])
      and state in ('pending', 'failed')
  `);
}
