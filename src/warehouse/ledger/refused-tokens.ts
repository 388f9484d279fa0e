import { sql } from 'kysely';
import type { Queries, Warehouse } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';

/** A refusal is believed after so many runs in a row. */
const runsUntilBelieved = 4;

export type TokenResults = {
  /** Ids of the accounts whose token the run's service refused for campaigns. */
  readonly refused: readonly number[];
  /** Ids of the other accounts of the run. */
  readonly others: readonly number[];
  /** No retry follows the run: what it got is believed. */
  readonly isLast: boolean;
};

/** Records whose token a run found refused. Returns the accounts of which that is believed. */
export async function recordRefusedTokens(
  warehouse: Warehouse,
  { refused, others, isLast }: TokenResults,
): Promise<ReadonlySet<string>> {
  return await inTransaction(warehouse, async (transaction) => {
    await transaction.deleteFrom('etl.refused_tokens').where('account_id', '=', anyOf(others)).execute();
    await sql`
      insert into etl.refused_tokens as t (account_id, runs, believed_at)
      select account_id, 1, case when ${isLast}::boolean then now() end
      from warehouse.accounts where account_id = ${anyOf(refused)} order by account_id for key share
      on conflict (account_id) do update
        set runs = t.runs + 1,
          believed_at = coalesce(t.believed_at, case when ${isLast}::boolean or t.runs + 1 >= ${sql.lit(runsUntilBelieved)} then now() end)
    `.execute(transaction);
    return await readBelievedRefused(transaction);
  });
}

/** Reads the accounts whose token is believed to be refused. */
export async function readBelievedRefused(queries: Queries): Promise<ReadonlySet<string>> {
  const rows = await queries
    .selectFrom('etl.refused_tokens as t')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 't.account_id')
    .select('a.name')
    .where('t.believed_at', 'is not', null)
    .execute();
  return new Set(rows.map(({ name }) => name));
}
