import type { Anomaly } from './anomaly.ts';
import type { Day } from './day.ts';
import type { Every, Period } from './period.ts';
import type { CountName, Counts, Extra, RateName, RateSums, Sums } from './records.ts';

/** A digest of the settings: its content and recipients. */
export type DigestDefinition = {
  /** Its identity in the outbox, and the first word of the subject. */
  readonly name: string;
  readonly to: readonly string[];
  /** The period of each: a day, a week from Monday or a month. */
  readonly every: Every;
  /** Names of its accounts; all by default. */
  readonly accounts: readonly string[];
  /** BCP 47 tag of its language and formats. */
  readonly locale: string;
  /** IANA zone of its times. */
  readonly timeZone: string;
  /** Further fields of the service's summaries that are columns of the CSV. */
  readonly extraFields: readonly string[];
  /** Clients with a lower balance need attention; null for none. */
  readonly lowBalance: number | null;
  readonly csv: CsvStyle;
  /** The choice for a quiet day: a mail of its own, or none. */
  readonly quietDays: QuietDays;
  /** Address of a dashboard, with placeholders; without `{account}` if it covers all accounts. Null for none. */
  readonly link: string | null;
};

/** A quiet day, without calls on a weekday that is typically without calls, gets no mail, or one like any other. */
export const quietDaysChoices = ['skip', 'mail'] as const;
export type QuietDays = (typeof quietDaysChoices)[number];

/** The separator of a CSV's cells, and the decimal sign of its numbers. */
export type CsvStyle = { readonly separator: string; readonly decimal: string };

/** One line of the CSV: a campaign of an account on a day of the digest's period. */
export type DigestRow = Counts & {
  readonly account: string;
  readonly label: string;
  readonly day: Day;
  readonly callsetId: number;
  readonly campaign: string | null;
  readonly status: 'loaded' | 'provisional' | 'restated';
  readonly extra: Extra;
};

/** The columns of a CSV that aren't empty throughout. */
export type CsvColumns = { readonly [name in CountName]: boolean } & {
  readonly extraFields: readonly ExtraColumn[];
};

/** A further field: numeric if it is a number in every row, or the text of one. */
export type ExtraColumn = { readonly field: string; readonly isNumeric: boolean };

/** Sums of one or more accounts over a span of days, and the days that lack. */
export type SpanSums = Sums & {
  readonly rates: { readonly [name in RateName]: RateSums };
  /**
   * `loaded` if each expected day of each account is, confirmed or not; `incomplete` if only some are or a day wasn't
   * over; `missing` if none was ever loaded.
   */
  readonly state: 'loaded' | 'incomplete' | 'missing';
  /** Days with figures of at least one account. */
  readonly loadedDays: readonly Day[];
  /** The loaded days with attempts. */
  readonly callingDays: readonly Day[];
  /** Days that an account expects and lacks, or that were loaded before they were over. */
  readonly lackingDays: readonly Day[];
  /** Days whose figures are not confirmed yet, with their anomalies. */
  readonly provisionalDays: readonly { readonly day: Day; readonly anomalies: readonly Anomaly[] }[];
};

/** Totals of one account in a digest's period. */
export type AccountTotals = SpanSums & {
  readonly account: string;
  readonly label: string;
  /** Its first expected day; null if the warehouse doesn't know it yet. */
  readonly since: Day | null;
  /** Number of distinct campaigns. */
  readonly campaigns: number;
  /** Number of campaigns that made no calls. */
  readonly idle: number;
  /** Number of campaigns that didn't report a count. */
  readonly unreported: { readonly [name in CountName]: number };
  /** Code of the error of its newest day that failed; null if none did. */
  readonly error: string | null;
};

/** The typical figures of an account's period (`etl.typical`). */
export type Typical = { readonly [name in CountName]: number | null } & {
  readonly account: string;
  readonly attempts: number;
  /** The parts of the rate; null if one of the typical periods has none. */
  readonly connectRate: { readonly part: number; readonly attempts: number } | null;
  /** Days with attempts of a month and of the one before; null for a day or week. */
  readonly callingDays: { readonly now: number; readonly typical: number } | null;
};

/** A day of the chart, over all accounts. */
export type ChartDay = SpanSums & { readonly day: Day };

/** The week or month up to the day of a digest, over all accounts. */
export type ToDate = SpanSums & { readonly every: 'week' | 'month'; readonly from: Day };

/** Connects, and the attempts of the campaigns that report both. */
export type RateParts = { readonly part: number; readonly attempts: number };

/** A campaign, or all of an account, next to what it has in the typical periods of its account. */
export type Part = {
  readonly attempts: { readonly now: number; readonly typical: number };
  /** Zeros where the account's rate isn't compared. */
  readonly rate: { readonly now: RateParts; readonly typical: RateParts };
};

/** A campaign in a period, or in those that are typical of it, with its newest name. */
export type CampaignFigures = Sums &
  Pick<AccountTotals, 'rates'> &
  Pick<DigestRow, 'account' | 'label' | 'callsetId' | 'campaign'> & {
    /** Null if its account isn't compared. */
    readonly part: Part | null;
    /** The day on which it began, if a typical period lacks it because of that. */
    readonly since: Day | null;
    /** Its last day with attempts, if it makes none any more. */
    readonly noneSince: Day | null;
    /** It is outside the range of the typical periods: by its attempts; by these or its connect rate. */
    readonly isUnusual: { readonly attempts: boolean; readonly rate: boolean };
  };

/** The campaigns of a period with attempts, now or typically: the largest, those that moved most, and all, counted. */
export type Campaigns = {
  /** The one with the most attempts first. */
  readonly rows: readonly CampaignFigures[];
  readonly count: number;
  /** The number of compared campaigns that moved up or down: by attempts, and in their effect on the rate. */
  readonly up: { readonly attempts: number; readonly rate: number };
  readonly down: { readonly attempts: number; readonly rate: number };
};

/** The items that need attention. Accounts have their labels; lists are short, oldest first. */
export type Attention = {
  /** Days with a held response; new if it was held after the last digest. */
  readonly held: readonly HeldDay[];
  readonly newClients: readonly ClientNews[];
  readonly vanishedClients: readonly ClientNews[];
  readonly lowBalances: LowBalances;
  /** Labels of accounts that no earlier mail has, and of those that the last one had. */
  readonly newAccounts: readonly string[];
  readonly goneAccounts: readonly string[];
  /** Anomalies that are the way of the service, as the newest day of the period with one of its code has them. */
  readonly known: readonly { readonly label: string; readonly anomaly: Anomaly }[];
  /** Accounts of the digest that have the same campaigns and counts on a day of the period: their calls may count twice. */
  readonly sameCampaigns: readonly SameCampaigns[];
};

export type HeldDay = {
  readonly label: string;
  readonly day: Day;
  readonly since: string;
  readonly isNew: boolean;
};

/** The number of clients below the limit, of those that weren't at the last mail, and the lowest of these. */
export type LowBalances = {
  readonly count: number;
  readonly newCount: number;
  readonly lowest: readonly ClientBalance[];
};

/**
 * Accounts that have the same campaigns with the same counts: their tokens probably belong to one. The one that
 * is known longest is first.
 */
export type SameCampaigns = {
  readonly accounts: readonly { readonly name: string; readonly label: string }[];
  readonly days: readonly Day[];
};

export type ClientNews = {
  readonly label: string;
  readonly count: number;
  /** The first names. */
  readonly names: readonly string[];
};

/** A client and its balance as decimal text, with the label of its account. */
export type ClientBalance = { readonly label: string; readonly name: string; readonly balance: string };

/** The figures of an account in a period: as they are, or as they were mailed. */
export type PeriodFigures = Sums & {
  readonly account: string;
  readonly label: string;
  /**
   * `whole`: all expected days are loaded and confirmed; `provisional`: all are loaded; `incomplete`: only some are, or a
   * day wasn't over; `absent`: none is.
   */
  readonly state: 'whole' | 'provisional' | 'incomplete' | 'absent';
  /** Hash over the content of its days: figures with the same content are the same. */
  readonly content: string;
  readonly connectRate: RateSums;
};

/** An account in a period, with its first expected day: earlier days aren't lacking. */
export type RequestedFigures = {
  readonly every: Every;
  readonly day: Day;
  readonly account: string;
  readonly since: Day;
};

/** The figures of an account in a period as the warehouse has them. */
export type CurrentFigures = PeriodFigures & {
  /** Key of the account; null if the warehouse doesn't know it yet. */
  readonly accountId: number | null;
  /** Days that are expected, and not loaded or not over. */
  readonly lackingDays: readonly Day[];
  /** It is a confirmed day without calls, and none are known of that weekday in both weeks before. */
  readonly isQuiet: boolean;
  /** That weekday was confirmed without calls in both weeks before. */
  readonly wasQuiet: boolean;
};

/** The figures of an account in a period as they were mailed. */
export type Mailed = PeriodFigures & {
  /** Contents that are not mailed, by a later decision; null is any. */
  readonly skipped: readonly (string | null)[];
};

/** A digest as the outbox knows it. */
export type DigestState = {
  /** The last day before it begins; null if it is new. */
  readonly start: Day | null;
  /** Number of its newest mail; 0 before the first. */
  readonly number: number;
  /** Time at which the figures of its newest delivered mail were read; null if none was delivered. */
  readonly mailedAt: string | null;
  /** The newest mail, if nobody got it yet; otherwise null. */
  readonly waitingMailId: number | null;
  /** The newest last day of a period that was mailed or skipped; null if there is none. */
  readonly newestDay: Day | null;
};

/** A period has a mail of its own, is in that of another, or was skipped. */
export type PeriodState = 'built' | 'sent with another' | 'skipped';

/** A period in the table of a mail: mailed for the first time, or what was mailed and what is true now. */
export type EarlierPeriod = {
  readonly period: Period;
  readonly accounts: readonly PeriodFigures[];
  /** The same accounts as they were mailed; null if none was. */
  readonly before: readonly PeriodFigures[] | null;
};

/** The figures of one period. */
export type PeriodParts = {
  readonly period: Period;
  readonly accounts: readonly AccountTotals[];
  /** The typical figures of the period, for each account that has some. */
  readonly typical: readonly Typical[];
  readonly campaigns: Campaigns;
};

/** Everything that a digest says, read from one snapshot. */
export type DigestFigures = Pick<DigestDefinition, 'name' | 'locale' | 'timeZone' | 'lowBalance' | 'link'> &
  PeriodParts & {
    /** The last day of the period. */
    readonly day: Day;
    /** The figures that were mailed before, if this mail corrects them; otherwise null. */
    readonly before: readonly PeriodFigures[] | null;
    /** The newest periods that come late: nobody was mailed figures of theirs. The newest first. */
    readonly late: readonly PeriodParts[];
    /** All other news, which the mail has in a table, oldest first. */
    readonly earlier: readonly EarlierPeriod[];
    /** The days of the chart, and for a day its week and month. */
    readonly days: readonly ChartDay[];
    readonly toDate: readonly ToDate[];
    /**
     * Last day, up to `day`, before which every day of each account is loaded; null if an account lacks its first.
     */
    readonly completeThrough: Day | null;
    /** The time of the last fetch of a day of the period; null if there was none. */
    readonly asOf: string | null;
    /** Clock of the database when the figures were read. */
    readonly readAt: string;
    readonly attention: Attention;
  };

/** The CSV of a message, as far as it fits. */
export type CsvAttachment = { readonly content: Uint8Array; readonly isWhole: boolean };

/** A finished digest, before MIME. */
export type DigestMessage = {
  /** The name of the digest: mail programs sort by it. */
  readonly name: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** PNG that the HTML shows as `cid:` of `chartId`; null if there is none. */
  readonly chart: Uint8Array | null;
  readonly csv: Uint8Array;
  readonly csvName: string;
};

/** Content-ID of the chart. */
export const chartId = 'chart@callsheet';

/** The states of one message to one recipient. */
export type DeliveryState = 'pending' | 'sending' | 'sent' | 'written' | 'failed' | 'given_up' | 'unknown';

/** The steps of a session with the mail server, and the folder in its place. Without a reply, it ended at its connection. */
export const deliverySteps = [
  'connection',
  'tls',
  'login',
  'sender',
  'recipient',
  'message',
  'folder',
] as const;
export type DeliveryStep = (typeof deliverySteps)[number];

/** Where and how an attempt ended. */
type DeliveryEnd = {
  /** Null if nothing kept the message from its recipient. */
  readonly step: DeliveryStep | null;
  /** The code of the reply that refused it, such as 550; null if there was none. */
  readonly code: number | null;
};

/** A message that isn't known to have arrived. */
export type UndeliveredMessage = DeliveryEnd & {
  readonly digest: string;
  readonly every: Every;
  /** The last day of its period. */
  readonly day: Day;
  readonly recipient: string;
  readonly state: DeliveryState;
  readonly reply: string | null;
  /** Run that built it. */
  readonly run: number | null;
};

/** The result of one delivery attempt. */
export type DeliveryOutcome = DeliveryEnd & {
  readonly state: Exclude<DeliveryState, 'pending' | 'sending' | 'given_up'>;
  readonly reply: string;
};

/** A temporary reply, or none: another attempt within minutes may succeed. */
export const isRetryable = ({ code }: DeliveryEnd): boolean => code === null || code < 500;
