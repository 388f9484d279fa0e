import { sql } from 'kysely';
import type { Account } from '../../model/records.ts';
import type { Queries } from '../db/database.ts';

/** An account whose zone the database doesn't know, and another name of that zone that it does; null if it has none. */
export type UnknownZone = Pick<Account, 'name' | 'timeZone'> & { readonly modern: string | null };

/**
 * Of the accounts, those in a zone that the database doesn't know. Node brings its own list of zones and Postgres reads
 * the machine's, from which newer packages leave out old names like `US/Eastern`.
 */
export async function unknownZones(
  queries: Queries,
  accounts: readonly Pick<Account, 'name' | 'timeZone'>[],
): Promise<UnknownZone[]> {
  const zones = [...new Set(accounts.map(({ timeZone }) => timeZone))];
  const { rows } = await sql<{ zone: string }>`
    select zone from unnest(${zones}::text[]) zone
    where not exists (select from pg_catalog.pg_timezone_names n where n.name = zone)
  `.execute(queries);
  if (rows.length === 0) return [];
  const unknown = new Set(rows.map(({ zone }) => zone));
  const known = await readZoneNames(queries);
  return accounts
    .filter(({ timeZone }) => unknown.has(timeZone))
    .map(({ name, timeZone }) => ({ name, timeZone, modern: modernName(timeZone, known) }));
}

/** Names of a place, by which zones are called today: `America/New_York`; beside them, `UTC` alone. */
async function readZoneNames(queries: Queries): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from pg_catalog.pg_timezone_names
    where name = 'UTC'
      or name ~ '^(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)/'
    order by name
  `.execute(queries);
  return rows.map(({ name }) => name);
}

const epoch = Temporal.Instant.fromEpochMilliseconds(0);

/** The name, of those that are known, of the same zone; the one that Node prefers, if it is among them. */
export function modernName(zone: string, known: readonly string[]): string | null {
  const wanted = epoch.toZonedDateTimeISO(zone);
  const same = known.filter((name) => isZone(name) && wanted.equals(epoch.toZonedDateTimeISO(name)));
  const preferred = new Set(Intl.supportedValuesOf('timeZone'));
  return same.find((name) => preferred.has(name)) ?? same[0] ?? null;
}

/** Whether Node knows a zone. */
export function isZone(name: string): boolean {
  try {
    return epoch.toZonedDateTimeISO(name) !== null;
  } catch {
    return false;
  }
}
