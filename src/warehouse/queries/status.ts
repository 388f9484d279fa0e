import { type Expression, type SqlBool, sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { DigestDefinition } from '../../model/digest.ts';
import type { WalkState } from '../../model/walk.ts';
import { isZone } from '../../support/clock.ts';
import type { Queries } from '../db/database.ts';
import { ago } from '../db/expressions.ts';
import { type Delivery, selectDeliveries } from '../outbox/deliveries.ts';
import { readWalkStates } from './walk-states.ts';

/** The state of an account. Lists of days are oldest first. */
export type AccountStatus = {
  readonly account: string;
  /** The name that people read. */
  readonly label: string;
  /** UTC if Node doesn't know the recorded zone, as in views of the warehouse. */
  readonly timeZone: string;
  readonly since: Day | null;
  /** Last day up to which every day is loaded and over; null if not even the first is. */
  readonly completeThrough: Day | null;
  /** Days up to yesterday that are missing, failed or provisional. */
  readonly gaps: readonly Day[];
  readonly held: readonly Day[];
  /** Days whose figures may be low. */
  readonly short: readonly Day[];
  readonly suspicious: readonly Day[];
  /** Number of days whose counts have not yet been the same on two run dates. */
  readonly settling: number;
  /** Records in quarantine that no later response replaced. */
  readonly quarantined: number;
  readonly walk: WalkState;
};

/** Reads the state of every account that hasn't retired, by name. */
export async function accountStatuses(queries: Queries): Promise<AccountStatus[]> {
  const walks = await readWalkStates(queries);
  // Materialized: joined directly, Postgres estimates the views so high that it compares each account with each other one.
  const statuses = await queries
    .with(
      (cte) => cte('fresh').materialized(),
      (db) => db.selectFrom('warehouse.freshness').selectAll(),
    )
    .with(
      (cte) => cte('days').materialized(),
      (db) =>
        db
          .selectFrom('warehouse.coverage as c')
          .select((eb) => [
            'c.account_id',
            daysWhere(eb('c.state', '<>', 'loaded')).as('gaps'),
            daysWhere(eb.ref('c.held')).as('held'),
            daysWhere(eb.ref('c.short')).as('short'),
            daysWhere(eb.ref('c.suspicious')).as('suspicious'),
            eb.fn.countAll<number>().filterWhere('c.settling', '=', true).as('settling'),
          ])
          .groupBy('c.account_id'),
    )
    .selectFrom('fresh as f')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'f.account_id')
    .leftJoin('days as d', 'd.account_id', 'f.account_id')
    .select((eb) => [
      'f.account',
      'a.label',
      'a.time_zone as timeZone',
      'a.since',
      'f.complete_through as completeThrough',
      orNone(eb.ref('d.gaps')).as('gaps'),
      orNone(eb.ref('d.held')).as('held'),
      orNone(eb.ref('d.short')).as('short'),
      orNone(eb.ref('d.suspicious')).as('suspicious'),
      eb.fn.coalesce('d.settling', sql<number>`0`).as('settling'),
      eb
        .selectFrom('etl.rejects as r')
        .select(sql<number>`coalesce(sum(r.records), 0)`.as('records'))
        .whereRef('r.account_id', '=', 'a.account_id')
        .where('r.current', '=', true)
        .$asScalar()
        .$notNull()
        .as('quarantined'),
    ])
    .orderBy('f.account')
    .execute();
  return statuses.flatMap((status) => {
    const walk = walks.get(status.account);
    // The account was added between the two queries.
    if (walk === undefined) return [];
    return { ...status, timeZone: isZone(status.timeZone) ? status.timeZone : 'UTC', walk };
  });
}

/** The days of coverage `c` that meet the condition, oldest first. */
const daysWhere = (condition: Expression<SqlBool | null>) =>
  sql<Day[] | null>`array_agg(c.day::text order by c.day) filter (where ${condition})`;

const orNone = (days: Expression<Day[] | null>) => sql<Day[]>`coalesce(${days}, '{}')`;

export type UnsentStatus = Pick<Delivery, 'digest' | 'every' | 'day' | 'recipient' | 'state' | 'cause'> & {
  readonly reply: string | null;
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
    .select(['d.reply', 'd.cause'])
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
