import { type AccountPlan, THREE_ACCOUNTS } from './accounts.ts';
import { drawFor, type Series, type SimulatedCampaign, summarize } from './campaigns.ts';
import { CLIENT_NAMES, PURPOSES } from './names.ts';

/** An account of the service: its token selects its clients and campaigns. */
export type SimulatedAccount = { readonly name: string; readonly token: string };

/** A client record as sent. The balance is an amount of money: "1234.50". */
export type SimulatedClient = {
  readonly clientid: number;
  readonly clientname: string;
  readonly checksum: string;
  readonly balance: string;
};

/** The data behind the responses. A wrapper may change figures between two runs. */
export type Dataset = {
  readonly accounts: readonly SimulatedAccount[];
  /** All clients of the account, ordered by id. */
  clients(accountName: string): readonly SimulatedClient[];
  /** Campaigns with attempts in the range, both days included, summed over its days and ordered by id. */
  campaigns(
    accountName: string,
    from: Temporal.PlainDate,
    to: Temporal.PlainDate,
  ): readonly SimulatedCampaign[];
};

/**
 * Generates a realistic data set. The same seed always makes the same data, in any order of reading. Days are in UTC, from
 * 2000-01-01 on; today's counts grow every hour, and later days are empty.
 */
export function generateDataset(
  seed = 1,
  now: () => Temporal.Instant = () => Temporal.Now.instant(),
  accounts: readonly AccountPlan[] = THREE_ACCOUNTS,
): Dataset {
  const clientNames = CLIENT_NAMES.map((name) => ({ name, position: drawFor(seed, 'name', name)(0, 1) }))
    .sort((a, b) => a.position - b.position)
    .map(({ name }) => name);
  let nextClient = 0;
  let nextSeries = 0;
  const holdings = accounts.map(({ name, clients, endless, series, tokenEnding = '' }) => ({
    account: { name, token: `demo-${name}-${drawHex(seed, name)}${tokenEnding}` },
    clients: Array.from({ length: clients }, () => generateClient(seed, nextClient++, clientNames)),
    series: [...endless, ...Array<undefined>(series)].map(
      (purpose): Series => ({ number: nextSeries++, purpose }),
    ),
  }));
  const find = (accountName: string) => {
    const found = holdings.find(({ account }) => account.name === accountName);
    if (!found) throw new Error(`The data set has no account "${accountName}".`);
    return found;
  };
  return {
    accounts: holdings.map(({ account }) => account),
    clients: (accountName) => find(accountName).clients,
    campaigns: (accountName, from, to) =>
      summarize(seed, find(accountName).series, PURPOSES, from, to, now()),
  };
}

function generateClient(seed: number, index: number, names: readonly string[]): SimulatedClient {
  const draw = drawFor(seed, 'client', index);
  return {
    // Ids have gaps, as if clients of other accounts were created in between.
    clientid: 48_200 + index * 4 + Math.floor(draw(0, 4)),
    clientname: names[index]!,
    checksum: String(Math.floor(draw(0, 1e10))).padStart(10, '0'),
    balance: balanceAt(draw(0, 1), draw(0, 1)),
  };
}

/** Of 100 clients, 4 have nothing left, and 2 are overdrawn. */
function balanceAt(rank: number, share: number): string {
  if (rank < 0.04) return '0.00';
  return (rank < 0.06 ? -0.01 - 24.99 * share : 2_500 * share).toFixed(2);
}

/** Random digits, such as "1806686a-290148a8-a5ec6cef-8ca28788-7e976474". */
function drawHex(seed: number, accountName: string): string {
  const draw = drawFor(seed, 'token', accountName);
  return Array.from({ length: 5 }, () => Math.floor(draw(16 ** 7, 16 ** 8)).toString(16)).join('-');
}
