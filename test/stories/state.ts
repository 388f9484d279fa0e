import type { PlayedStory, Story, StoryEvent } from '../../src/simulator/story.ts';
import type { CountName, Every, Period, Row } from './figures.ts';
import type { ExpectedRow, Window } from './windows.ts';

/*
 * What the oracle knows after a night. Nights are numbers from 0, and so are days: day 3 is the date of night 3. A
 * window is a day of an account.
 */

export type State = {
  nights: Story['nights'];
  readonly truth: Pick<PlayedStory, 'campaignsOn' | 'clientsOn'>;
  readonly digests: readonly Digest[];
  readonly dateOf: (day: number) => string;
  readonly silence: Silence;
  /** Counts what happens, one thing after another. */
  now: number;
  /** The accounts that the settings named when somebody last did something. */
  accounts: readonly string[];
  /** First expected days, by account. */
  readonly since: Map<string, number>;
  readonly windows: ReadonlyMap<string, Map<number, Window>>;
  readonly restatements: Restatement[];
  readonly restatedDays: RestatedDay[];
  readonly clients: ReadonlyMap<string, Map<number, Client>>;
  readonly balances: {
    readonly account: string;
    readonly client: number;
    readonly night: number;
    readonly balance: string;
  }[];
  mails: BuiltMail[];
  /** The last days before the digests begin, by name. */
  readonly starts: Map<string, number>;
  /** Periods that nobody is mailed about, and contents of accounts in a period that are no news. */
  readonly skipped: Set<string>;
};

export type Settings = {
  /** The accounts that the settings name that night. */
  readonly accounts: readonly string[];
  readonly lookback: number;
  readonly catchUp: number;
};

/** The count that the service never reports of a campaign; undefined if it reports all. */
export type Silence = (account: string, campaign: string) => CountName | undefined;

export type Digest = {
  readonly name: string;
  readonly to: string;
  readonly every: Every;
  readonly accounts: readonly string[];
};

export type Restatement = {
  readonly account: string;
  readonly day: number;
  readonly callset: number;
  readonly reason: 'changed' | 'withdrawn' | 'returned' | 'appeared';
  /** The row before; null for a campaign that wasn't there. */
  readonly before: ExpectedRow | null;
};

/** A finished day that changed, with its sums before; null for a day without campaigns. */
export type RestatedDay = {
  readonly account: string;
  readonly day: number;
  readonly campaigns: number;
  readonly before: Figures;
  readonly at: number;
};

/** Null where no campaign is listed. */
export type Figures = { readonly attempts: number | null; readonly connects: number | null };

export type Client = {
  readonly name: string;
  readonly balance: string;
  /** The first night on which a complete walk missed it. */
  missed: number | null;
  isAbsent: boolean;
};

/** What a mail tells of one of its accounts in a period. */
export type AccountState = {
  readonly account: string;
  readonly rows: readonly Row[];
  /** What the service listed on its days: the same content is no news. */
  readonly content: string;
  readonly hasFigures: boolean;
  /** Days that aren't loaded, and those that are provisional. */
  readonly lacking: readonly number[];
  readonly provisional: readonly number[];
};

export type ToldPeriod = { readonly period: Period; readonly accounts: readonly AccountState[] };

/** A mail of a digest, and what it tells of each account in each period. */
export type BuiltMail = {
  readonly digest: Digest;
  readonly at: number;
  /** Its file, without ending: `campaigns-2026-03-09-corrected-manager@example.com`. */
  readonly file: string;
  /** The rows of its CSV: those of its own period after those of earlier periods and corrections. */
  readonly rows: readonly (Row & { readonly status: 'loaded' | 'provisional' | 'restated' })[];
  /** That in full is the last. */
  readonly periods: readonly ToldPeriod[];
  delivery: 'pending' | 'arrived';
};

/** What the oracle can't know of a killed run: how far it came. */
export type Observed = {
  windowWasSynced(account: string, day: number): boolean;
  walkWasComplete(account: string): boolean;
  client(account: string, id: number): { readonly balance: string } | undefined;
};

/** RETRY_FOR is 3 h: its last run starts after 168 minutes. */
const lastRetryHours = 168 / 60;

export const has = (events: readonly StoryEvent[], name: StoryEvent['event'], account?: string) =>
  events.some(
    (event) =>
      event.event === name && (account === undefined || ('account' in event && event.account === account)),
  );

/** The account gets nothing that night, however often a run tries. */
export const isRefused = (events: readonly StoryEvent[], account: string) =>
  has(events, 'token refused', account) ||
  events.some((event) => event.event === 'outage' && event.hours > lastRetryHours);
