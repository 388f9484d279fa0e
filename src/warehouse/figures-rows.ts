import sql from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { DigestRow } from '../model/digest.ts';
import type { DigestAccount } from './figures.ts';
import type { Transaction } from './warehouse.ts';

/** Rows that a cursor brings at once: few round trips, little memory. */
const atOnce = 1_000;

/**
 * The rows of a day that stand, account by account in the order of their ids, from a cursor: however many they are,
 * few are in memory. Each account's rows come in the order of the primary key, so that nobody has to sort them.
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

type StoredRow = Omit<DigestRow, 'account' | 'label' | 'clientId' | 'status'> & {
  readonly restatedAt: string | null;
};

function rowsOf(snapshot: Transaction, accountId: number, day: Day) {
  const statement = sql`
    select day, callset_id as "callsetId", campaign, attempts, busies, connects, live_answers as "liveAnswers",
      restated_at as "restatedAt", extra
    from warehouse.campaign_days
    where account_id = ${accountId} and day = ${day} and withdrawn_at is null
    order by callset_id
  `;
  return snapshot.stream<StoredRow>(statement, atOnce);
}

async function isProvisional(snapshot: Transaction, accountId: number, day: Day): Promise<boolean> {
  const { rowCount } = await snapshot.query(sql`
    select from etl.windows where account_id = ${accountId} and day = ${day} and state = 'provisional'
  `);
  return rowCount > 0;
}
