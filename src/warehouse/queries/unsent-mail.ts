import { sql } from 'kysely';
import type { DigestDefinition, UndeliveredMessage } from '../../model/digest.ts';
import type { Queries } from '../db/database.ts';
import { ago } from '../db/expressions.ts';
import { selectDeliveries } from '../outbox/deliveries.ts';

/**
 * Returns mail to recipients of the settings that has not arrived, as far as is known. Refused or unknown mail is left
 * out after 31 days, or if the recipient has or will get a later mail of that period. A delivery that was given up is kept
 * longer.
 */
export async function unsentMail(
  queries: Queries,
  digests: readonly Pick<DigestDefinition, 'name' | 'to'>[],
): Promise<UndeliveredMessage[]> {
  const unsent = await selectDeliveries(queries)
    .select(['d.reply', 'd.cause', 'g.run_id as run', receivedBy.as('receivedBy')])
    .where('d.state', 'not in', ['sent', 'written'])
    .where('d.skipped_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('d.state', 'not in', ['refused', 'unknown']),
        eb.and([eb.or([eb('d.changed_at', '>', ago('31 days')), isGivenUp]), eb.not(isMailedLater)]),
      ]),
    )
    .execute();
  const current = new Set(digests.flatMap(({ name, to }) => to.map((each) => mailbox(name, each))));
  return unsent.filter(({ digest, recipient }) => current.has(mailbox(digest, recipient)));
}

/** The recipients that got the mail of delivery `d`. */
const receivedBy = sql<string[]>`array(
  select r.recipient from etl.deliveries r
  where r.mail_id = d.mail_id and r.state in ('sent', 'written') order by 1)`;

const mailbox = (digest: string, recipient: string) => `${recipient.toLowerCase()} ${digest}`;

/** Delivery `d` was given up after too many run dates; its mailbox did not refuse it. */
const isGivenUp = sql<boolean>`(d.state = 'refused' and d.cause <> 'recipient')`;

/** A later mail of the same period goes to the recipient of delivery `d` of mail `g`. */
const isMailedLater = sql<boolean>`exists (
  select from etl.mailed_periods p join etl.deliveries later on later.mail_id = p.mail_id
  where p.name = g.name and p.every = g.every and p.day = g.day and p.mail_id > g.mail_id
    and lower(later.recipient) = lower(d.recipient) and later.skipped_at is null)`;
