import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Queries } from '../db/database.ts';
import { ago } from '../db/expressions.ts';
import { isAtWork } from './run-history.ts';

/** Reads what may need a person, by account name. Days go up to the account's yesterday, oldest first. */
export async function readAccountConcerns(queries: Queries) {
  return await queries
    .selectFrom('warehouse.accounts as a')
    .select((eb) => [
      'a.name',
      'a.label',
      'a.time_zone as timeZone',
      'a.since',
      jsonArrayFrom(
        eb
          .selectFrom('warehouse.coverage as c')
          .select(['c.day', 'c.state', 'c.held', 'c.error_code as code', 'c.reason'])
          .whereRef('c.account_id', '=', 'a.account_id')
          .where((where) =>
            where.or([
              where('c.state', '<>', 'loaded'),
              where('c.held', '=', true),
              where('c.error_code', 'is not', null),
            ]),
          )
          .orderBy('c.day'),
      ).as('days'),
      jsonArrayFrom(
        eb
          .selectFrom('etl.suspicious_windows as s')
          .innerJoin('warehouse.coverage as c', (join) =>
            join.onRef('c.account_id', '=', 's.account_id').onRef('c.day', '=', 's.day'),
          )
          .select(['s.day', 's.reason', 's.detail'])
          .whereRef('s.account_id', '=', 'a.account_id')
          // Other counts that are reported on two run dates are believed, or that no later run fetches again.
          .where((where) => where.or([where('c.settling', '=', true), where('c.short', '=', true)]))
          .orderBy('s.day')
          .orderBy('s.reason'),
      ).as('suspicious'),
      jsonArrayFrom(
        eb
          .selectFrom('etl.rejects as r')
          .select(({ fn }) => [
            'r.day',
            'r.reason',
            fn.sum<number>('r.records').as('records'),
            sql<string | null>`left(min(r.payload), 160)`.as('example'),
          ])
          .whereRef('r.account_id', '=', 'a.account_id')
          .where('r.current', '=', true)
          .groupBy(['r.day', 'r.reason'])
          .orderBy('r.day')
          .orderBy(sql`min(r.payload) is null`)
          .orderBy('r.reason'),
      ).as('quarantined'),
    ])
    .where('a.until', 'is', null)
    .orderBy('a.name')
    .execute();
}

/** Reads the last nightly run with its summary; undefined before the first. */
export async function readLastNightly(queries: Queries) {
  return await queries
    .selectFrom('etl.runs as r')
    .select([
      'r.run_id as run',
      'r.started_at as startedAt',
      'r.finished_at as finishedAt',
      'r.retry_at as retryAt',
      'r.outcome',
      'r.summary',
      isAtWork.as('atWork'),
    ])
    .where('r.kind', '=', 'nightly')
    .orderBy('r.run_id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Returns whether a backfill is loading history: it hasn't ended, and has begun or loaded a day in the last
 * ten minutes. Any other may have been killed.
 */
export async function isBackfilling(queries: Queries): Promise<boolean> {
  const backfill = await queries
    .selectFrom('etl.runs as r')
    .select('r.run_id')
    .where('r.kind', '=', 'backfill')
    .where('r.finished_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('r.started_at', '>', ago('10 minutes')),
        eb.exists(
          eb
            .selectFrom('etl.windows as w')
            .select('w.day')
            .whereRef('w.run_id', '=', 'r.run_id')
            .where('w.loaded_at', '>', ago('10 minutes')),
        ),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return backfill !== undefined;
}

/** Reads the recorded alerts, by key. */
export async function readRecordedAlerts(queries: Queries) {
  const rows = await queries
    .selectFrom('etl.alerts')
    .select(['alert as key', 'since_run_date as since', 'dismissed'])
    .execute();
  return new Map(rows.map(({ key, since, dismissed }) => [key, { since, dismissed }]));
}
