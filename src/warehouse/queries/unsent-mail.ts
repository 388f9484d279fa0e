import { sql } from 'kysely';
import type { DigestDefinition } from '../../model/digest.ts';
import type { Queries } from '../db/database.ts';
import { ago } from '../db/expressions.ts';
import { type Delivery, selectDeliveries } from '../outbox/deliveries.ts';

export type UnsentStatus = Pick<Delivery, 'digest' | 'every' | 'day' | 'recipient' | 'state' | 'cause'> & {
  readonly reply: string | null;
  /** Run that built it. */
  readonly run: number | null;
};

/**
 * Returns mail to recipients of the settings that has not arrived, as far as is known. Refused or unknown mail is left
 * out after 31 days, or if the recipient has or will get the corrected digest of that day.
 */
export async function unsentMail(
  queries: Queries,
  digests: readonly Pick<DigestDefinition, 'name' | 'to'>[],
): Promise<UnsentStatus[]> {
  const unsent = await selectDeliveries(queries)
    .select(['d.reply', 'd.cause', 'g.run_id as run'])
    .where('d.state', 'not in', ['sent', 'written'])
    .where('d.skipped_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('d.state', 'not in', ['refused', 'unknown']),
        eb.and([eb('d.changed_at', '>', ago('31 days')), eb.not(isCorrected)]),
      ]),
    )
    .execute();
  const current = new Set(digests.flatMap(({ name, to }) => to.map((each) => mailbox(name, each))));
  return unsent.filter(({ digest, recipient }) => current.has(mailbox(digest, recipient)));
}

const mailbox = (digest: string, recipient: string) => `${recipient.toLowerCase()} ${digest}`;

/** For delivery `d` of digest `g`: the corrected digest goes to the same recipient. */
const isCorrected = sql<boolean>`
  (g.kind = 'first' and exists (
    select from etl.digests c join etl.deliveries later on later.digest_id = coalesce(c.sent_with, c.digest_id)
    where c.kind = 'corrected' and later.skipped_at is null
      and (c.name, c.every, c.day, later.recipient) = (g.name, g.every, g.day, d.recipient)))`;
