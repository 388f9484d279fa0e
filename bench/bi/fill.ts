import pg from 'pg';
import { openWarehouse } from '../../src/warehouse/db/database.ts';
import { syncAccounts } from '../../src/warehouse/ledger/accounts.ts';
import type { ListedAccount } from '../programs.ts';
import { afterCampaignDays, campaignDays, campaigns, clients, setUp } from './statements.ts';

export type Size = {
  readonly accounts: readonly ListedAccount[];
  /** Campaigns of each account on each day. */
  readonly campaigns: number;
  readonly first: string;
  readonly last: string;
};

/** So many accounts; each but the first is a client that the first one lists. */
export function accountsOf(count: number): ListedAccount[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `account-${index + 1}`;
    return index === 0 ? { name } : { name, client: { account: 'account-1', id: 1_000_000 + index + 1 } };
  });
}

/** Fills a migrated warehouse as so many nights would have left it, straight in SQL, month by month. */
export async function fillWarehouse(url: string, size: Size, say: (text: string) => void): Promise<void> {
  await enterAccounts(url, size.accounts);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Only rows that fit are made, so no foreign key need be looked up 38 million times.
    await client.query(`set session_replication_role = replica`);
    await client.query(`set work_mem = '256MB'`);
    await client.query(`set synchronous_commit = off`);
    await client.query(setUp);
    for (const statement of clients) await client.query(statement, [size.first, size.last]);
    await client.query(campaigns, [size.first, size.last, size.campaigns]);
    for (const [from, to] of months(size.first, size.last)) {
      await client.query(campaignDays, [from, to, size.campaigns]);
      for (const statement of afterCampaignDays) await client.query(statement, [from, to]);
      say(`filled ${from} to ${to}`);
    }
    await client.query(`update warehouse.accounts set since = $1`, [size.first]);
    await client.query('vacuum (analyze)');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

async function enterAccounts(url: string, accounts: readonly ListedAccount[]): Promise<void> {
  const warehouse = openWarehouse(url, 1);
  try {
    const known = accounts.map((account) => ({ ...account, label: account.name, timeZone: 'UTC' }));
    await syncAccounts(warehouse, known);
  } finally {
    await warehouse.destroy();
  }
}

function months(first: string, last: string): [string, string][] {
  const spans: [string, string][] = [];
  for (let from = first; from <= last; ) {
    const date = Temporal.PlainDate.from(from);
    const end = date.with({ day: date.daysInMonth }).toString();
    spans.push([from, end < last ? end : last]);
    from = Temporal.PlainDate.from(end).add({ days: 1 }).toString();
  }
  return spans;
}
