import type { Day } from '../../model/day.ts';
import type { DigestRow } from '../../model/digest.ts';
import type { Transaction } from '../db/database.ts';
import type { Days, DigestAccount } from './figures.ts';

/** Rows that a cursor fetches at once: few round trips, little memory. */
const chunkSize = 1_000;

/**
 * Streams the current rows of a period from a cursor, account by account, by day and id: however many they
 * are, few are in memory. This is the order of the primary key, so that nothing sorts them.
 */
export async function* streamDigestRows(
  snapshot: Transaction,
  accounts: readonly DigestAccount[],
  period: Days,
): AsyncGenerator<DigestRow> {
  for (const account of accounts) {
    const provisional = await provisionalDays(snapshot, account.id, period);
    for await (const { restatedAt, extra, ...row } of rowsOf(snapshot, account.id, period)) {
      yield {
        ...row,
        account: account.name,
        label: account.label,
        clientId: account.clientId,
        status: provisional.has(row.day) ? 'provisional' : restatedAt === null ? 'loaded' : 'restated',
        extra,
      };
    }
  }
}

function rowsOf(snapshot: Transaction, accountId: number, { from, to }: Days) {
  return snapshot
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
    .where((eb) => eb.between('day', from, to))
    .where('withdrawn_at', 'is', null)
    .orderBy('day')
    .orderBy('callset_id')
    .stream(chunkSize);
}

async function provisionalDays(
  snapshot: Transaction,
  accountId: number,
  { from, to }: Days,
): Promise<ReadonlySet<Day>> {
  const windows = await snapshot
    .selectFrom('etl.windows')
    .select('day')
    .where((eb) => eb.and({ account_id: accountId, state: 'provisional' }))
    .where((eb) => eb.between('day', from, to))
    .execute();
  return new Set(windows.map(({ day }) => day));
}
