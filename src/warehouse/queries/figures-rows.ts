import type { Day } from '../../model/day.ts';
import type { DigestRow } from '../../model/digest.ts';
import type { Transaction } from '../db/database.ts';
import type { DigestAccount } from './figures.ts';

/** Rows that a cursor brings at once: few round trips, little memory. */
const chunkSize = 1_000;

/**
 * The current rows of a day, account by account in the order of their ids, from a cursor: however many they are, few
 * are in memory. Each account's rows are in the order of the primary key, so that nobody has to sort them.
 */
export async function* streamDigestRows(
  snapshot: Transaction,
  accounts: readonly DigestAccount[],
  day: Day,
): AsyncGenerator<DigestRow> {
  for (const account of accounts) {
    const provisional = await isProvisional(snapshot, account.id, day);
    for await (const { restatedAt, extra, ...row } of rowsOf(snapshot, account.id, day)) {
      yield {
        ...row,
        account: account.name,
        label: account.label,
        clientId: account.clientId,
        status: provisional ? 'provisional' : restatedAt === null ? 'loaded' : 'restated',
        extra,
      };
    }
  }
}

function rowsOf(snapshot: Transaction, accountId: number, day: Day) {
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
    .where((eb) => eb.and({ account_id: accountId, day }))
    .where('withdrawn_at', 'is', null)
    .orderBy('callset_id')
    .stream(chunkSize);
}

async function isProvisional(snapshot: Transaction, accountId: number, day: Day): Promise<boolean> {
  const window = await snapshot
    .selectFrom('etl.windows')
    .select('state')
    .where((eb) => eb.and({ account_id: accountId, day }))
    .executeTakeFirst();
  return window?.state === 'provisional';
}
