import { type SqlBool, sql } from 'kysely';

/**
 * Whether anybody got a digest, by its alias, or the mail that it is sent with: unknown counts, and so does a delivery
 * that somebody skipped.
 */
export const isTold = (digest: 'g' | 'c') => sql<SqlBool>`exists (
  select from etl.deliveries t
  where t.digest_id = coalesce(${sql.ref(`${digest}.sent_with`)}, ${sql.ref(`${digest}.digest_id`)})
    and (t.state in ('sending', 'sent', 'written', 'unknown') or t.skipped_at is not null))`;
