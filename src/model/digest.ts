import type { Day } from './day.ts';
import type { Every, Period } from './period.ts';
import type { CountName, Counts, Extra, RateName, RateSums, Sums } from './records.ts';
import type { WindowState } from './window.ts';

/** Who is mailed what: a digest of the settings. */
export type DigestDefinition = {
  /** Its identity in the outbox, and the first word of the subject. */
  readonly name: string;
  readonly to: readonly string[];
  /** What each is about: a day, a week from Monday or a month. */
  readonly every: Every;
  /** Names of its accounts; all of them where the settings don't say. */
  readonly accounts: readonly string[];
  /** BCP 47 tag: how numbers and dates are written. */
  readonly locale: string;
  /** IANA zone of the times in it. */
  readonly timeZone: string;
  /** Further fields of the service's summaries that get a column in the CSV. */
  readonly extraFields: readonly string[];
  /** Clients whose balance is below it need attention; null for none. */
  readonly lowBalance: number | null;
  readonly csv: CsvStyle;
  /** Address of a dashboard, with `{day}` and `{account}` as placeholders; null for none. */
  readonly link: string | null;
};

/** What stands between the cells of a CSV, and before the decimals of its numbers. */
export type CsvStyle = { readonly separator: string; readonly decimal: string };

/** One line of the CSV: a campaign of an account on a day of the digest's period. */
export type DigestRow = Counts & {
  readonly account: string;
  readonly label: string;
  readonly clientId: number | null;
  readonly day: Day;
  readonly callsetId: number;
  readonly campaign: string | null;
  readonly status: 'loaded' | 'provisional' | 'restated';
  readonly extra: Extra;
};

/** Totals of one account in a digest's period. */
export type AccountTotals = Sums & {
  readonly account: string;
  readonly label: string;
  /** How many campaigns there were, each once. */
  readonly campaigns: number;
  /** How many campaigns didn't report a count. */
  readonly unreported: { readonly [name in CountName]: number };
  readonly rates: { readonly [name in RateName]: RateSums };
  /**
   * `loaded` where each expected day of the period is, `provisional` where only a part of them is, or a day wasn't
   * over; null where nothing was ever loaded.
   */
  readonly state: WindowState | null;
  /** Expected days of the period that aren't loaded, or weren't over when they were. */
  readonly lackingDays: readonly Day[];
};

/** The sums of one account on one loaded day that was over. */
export type AccountDay = Sums & {
  readonly account: string;
  readonly day: Day;
  readonly campaigns: number;
  readonly connectRate: RateSums;
};

/** A campaign in the digest's period, with its newest name. */
export type TopCampaign = Sums &
  Pick<DigestRow, 'label' | 'callsetId' | 'campaign'> &
  Pick<AccountTotals, 'rates'>;

/** A campaign whose attempts aren't what they are on a typical weekday. */
export type Mover = Pick<DigestRow, 'label' | 'callsetId' | 'campaign'> & {
  readonly attempts: number;
  /** Mean of that weekday in the four weeks before. */
  readonly typical: number;
};

/** Which of the days that the chart shows aren't loaded for an account. */
export type AccountCoverage = { readonly label: string; readonly recentlyMissing: readonly Day[] };

/** What needs attention. Accounts go by their labels, lists are short, oldest first. */
export type Attention = {
  /** Days whose figures differ from those of the last digest of that name. */
  readonly restated: readonly RestatedDay[];
  /** Days of which a newer response is held. */
  readonly held: readonly { readonly label: string; readonly day: Day; readonly since: string }[];
  /** Loaded days that are probably not what they seem. */
  readonly suspicious: readonly (SuspiciousDay & { readonly label: string })[];
  readonly newClients: readonly ClientNews[];
  readonly vanishedClients: readonly ClientNews[];
  /** Balances as decimal text. */
  readonly lowBalances: readonly Pick<ClientBalance, 'label' | 'name' | 'balance'>[];
  /** How many clients are below the bound, those of `lowBalances` among them. */
  readonly lowBalanceCount: number;
};

/** Why a day is suspicious; `detail` says which counts, or the text, and is null for `no calls`. */
export type SuspiciousDay = {
  readonly day: Day;
  readonly reason: 'no calls' | 'unreported' | 'notice' | 'counts';
  readonly detail: string | null;
};

export type RestatedDay = {
  readonly label: string;
  readonly day: Day;
  /** How many campaigns differ. */
  readonly campaigns: number;
  readonly from: Sums;
  readonly to: Sums;
};

export type ClientNews = {
  readonly label: string;
  readonly count: number;
  /** The first of them. */
  readonly names: readonly string[];
};

/** A client of an account, and its balance as decimal text. */
export type ClientBalance = {
  readonly account: string;
  readonly label: string;
  readonly clientId: number;
  readonly name: string;
  readonly balance: string;
};

/** All that a digest says, read from the warehouse at once. */
export type DigestFigures = Pick<DigestDefinition, 'name' | 'locale' | 'timeZone' | 'lowBalance' | 'link'> & {
  readonly period: Period;
  /** The last day of the period. */
  readonly day: Day;
  readonly accounts: readonly AccountTotals[];
  /** The totals as the first digest of that day reported them; null where this is the first. */
  readonly before: readonly AccountTotals[] | null;
  /** Last days of earlier periods completed by the same run, for which no digest of their own is sent. */
  readonly earlierDays: readonly Day[];
  /**
   * The days of the period and, as far as they are loaded, those it is compared with: before a day 28 and those since the
   * first of the month before, else the period before.
   */
  readonly history: readonly AccountDay[];
  readonly topCampaigns: readonly TopCampaign[];
  /** Of a day: the campaigns that differ most from a typical weekday, the largest difference first. */
  readonly movers: readonly Mover[];
  /** Of a day: those of the larger campaigns with the lowest connect rates, the lowest first. */
  readonly lowestRates: readonly TopCampaign[];
  readonly coverage: readonly AccountCoverage[];
  /** When a day of the period was last fetched; null if it never was. */
  readonly asOf: string | null;
  readonly attention: Attention;
};

/** The CSV as it goes with the message; or that it is too large for that, and what the bound is. */
export type CsvAttachment =
  | { readonly kind: 'plain' | 'zip'; readonly content: Uint8Array }
  | { readonly kind: 'too large'; readonly maxBytes: number };

/** `corrected` follows an incomplete first one once its day is complete: at most one for each digest and day. */
export type DigestKind = 'first' | 'corrected';

/** A digest in the words of mail: what the reader gets, before MIME. */
export type DigestMessage = {
  /** Name of the digest, by which mail programs sort. */
  readonly name: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** PNG that the HTML shows as `cid:` of `chartId`; null where there is none. */
  readonly chart: Uint8Array | null;
  readonly csv: CsvAttachment;
  readonly csvName: string;
  /** A second CSV with all low balances; null where the mail lists them all. */
  readonly balances: { readonly csv: CsvAttachment; readonly csvName: string } | null;
};

/** Content-ID of the chart. */
export const chartId = 'chart@callsheet';

/** The states of one message to one recipient. */
export type DeliveryState = 'pending' | 'sending' | 'sent' | 'written' | 'failed' | 'refused' | 'unknown';

/** How one attempt to deliver ended, and the reply of the other side. */
export type DeliveryOutcome = {
  readonly state: Exclude<DeliveryState, 'pending' | 'sending'>;
  readonly reply: string;
};
