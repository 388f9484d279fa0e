import type { Day } from '../model/day.ts';
import type { DigestRow } from '../model/digest.ts';
import type { Extra } from '../model/records.ts';
import type { DigestAccount } from './figures.ts';
import type { Warehouse } from './tables.ts';

/** Rows that a cursor brings at once: few round trips, little memory. */
const atOnce = 1_000;

/**
 * The rows of a day that stand, account by account in the order of their ids, from a cursor: however many they are,
 * few are in memory. Each account's rows come in the order of the primary key, so that nobody has to sort them.
 */
export async function* streamDigestRows(
  warehouse: Warehouse,
  accounts: readonly DigestAccount[],
  day: Day,
): AsyncGenerator<DigestRow> {
  for (const account of accounts) {
    const provisional = await isProvisional(warehouse, account.id, day);
    for await (const { restatedAt, extra, ...row } of rowsOf(warehouse, account.id, day)) {
      yield {
        ...row,
        account: account.name,
        label: account.label,
        clientId: account.clientId,
        status: provisional ? 'provisional' : restatedAt === null ? 'loaded' : 'restated',
        extra: extra as Extra,
      };
    }
  }
}

function rowsOf(warehouse: Warehouse, accountId: number, day: Day) {
  return warehouse
    .selectFrom('warehouse.campaign_days')
    .select([
      'day',
      'callset_id as callsetId',
      'campaign',
      'attempts',
      'busies',
      'connects',
      'live_answers as liveAnswers',
      'restated_at as restatedAt',
      'extra',
    ])
    .where('account_id', '=', accountId)
    .where('day', '=', day)
    .where('withdrawn_at', 'is', null)
    .orderBy('callset_id')
    .stream(atOnce);
}

async function isProvisional(warehouse: Warehouse, accountId: number, day: Day): Promise<boolean> {
  const window = await warehouse
    .selectFrom('etl.windows')
    .select('state')
    .where('account_id', '=', accountId)
    .where('day', '=', day)
    .executeTakeFirst();
  return window?.state === 'provisional';
}
