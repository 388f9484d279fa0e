import { sql } from 'kysely';
import type { DigestDefinition, UndeliveredMessage } from '../../model/digest.ts';
import type { Queries } from '../db/database.ts';
import { ago } from '../db/expressions.ts';
import { mailboxOf, selectDeliveries } from '../outbox/deliveries.ts';

/**
 * Returns mail to recipients of the settings that has not arrived, as far as is known. Mail that was given up or is unknown is
 * left out if the recipient has or will get a later mail of that period; unknown mail also after 31 days.
 */
export async function unsentMail(
  queries: Queries,
  digests: readonly Pick<DigestDefinition, 'name' | 'to'>[],
): Promise<UndeliveredMessage[]> {
  const unsent = await selectDeliveries(queries)
    .select(['d.reply', 'd.step', 'd.code', 'g.run_id as run'])
    .where('d.state', 'not in', ['sent', 'written'])
    .where('d.skipped_at', 'is', null)
    .where((eb) => eb.or([eb('d.state', '<>', 'unknown'), eb('d.changed_at', '>', ago('31 days'))]))
    .where((eb) => eb.or([eb('d.state', 'not in', ['given_up', 'unknown']), eb.not(isMailedLater)]))
    .execute();
  const current = new Set(digests.flatMap(({ name, to }) => to.map((each) => mailbox(name, each))));
  return unsent.filter(({ digest, recipient }) => current.has(mailbox(digest, recipient)));
}

const mailbox = (digest: string, recipient: string) => `${mailboxOf(recipient)} ${digest}`;

/** A later mail of the same period goes to the recipient of delivery `d` of mail `g`. */
const isMailedLater = sql<boolean>`exists (
  select from etl.mailed_periods p join etl.deliveries later on later.mail_id = p.mail_id
  where p.name = g.name and p.every = g.every and p.day = g.day and p.mail_id > g.mail_id
    and lower(later.recipient) = lower(d.recipient) and later.skipped_at is null)`;
