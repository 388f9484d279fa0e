import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/** Reads the samples of the metrics that the warehouse holds, under their names without `callsheet_`. */
export async function readMetricSamples(queries: Queries) {
  return await queries
    .selectFrom('etl.metric_samples')
    .select(['metric', 'labels', 'value'])
    .orderBy('metric')
    .orderBy(sql`labels::text`)
    .execute();
}
