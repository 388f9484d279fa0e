import type { Day } from './day.ts';
import type { Counts } from './records.ts';

/** What needs attention. Accounts go by their labels, lists are short, oldest first. */
export type Attention = {
  /** Days whose figures differ from those of the last digest of that name. */
  readonly restated: readonly RestatedDay[];
  /** Days of which a newer response is held. */
  readonly held: readonly { readonly label: string; readonly day: Day; readonly since: string }[];
  /** Days without calls, on a weekday that usually has some. */
  readonly suspicious: readonly { readonly label: string; readonly day: Day }[];
  /** Records that couldn't be read: of the digest's day, and of the client list since the last digest. */
  readonly quarantined: readonly {
    readonly label: string;
    readonly campaigns: number;
    readonly clients: number;
  }[];
  readonly newClients: readonly ClientNews[];
  readonly vanishedClients: readonly ClientNews[];
  readonly lowBalances: readonly LowBalance[];
  /** How many clients are below the bound, those of `lowBalances` among them. */
  readonly lowBalanceCount: number;
};

export type RestatedDay = {
  readonly label: string;
  readonly day: Day;
  /** How many campaigns differ. */
  readonly campaigns: number;
  readonly from: Counts;
  readonly to: Counts;
};

export type ClientNews = {
  readonly label: string;
  readonly count: number;
  /** The first of them. */
  readonly names: readonly string[];
};

export type LowBalance = {
  readonly label: string;
  readonly name: string;
  /** Decimal text. */
  readonly balance: string;
};
