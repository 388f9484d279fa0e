import type { Account } from '../model/account.ts';
import type { DigestDefinition } from '../model/digest.ts';
import type { LogFormat, LogLevel } from '../support/logger.ts';

/** What the settings say, without the secrets: safe to log. */
export type Config = {
  readonly service: ServiceConfig;
  readonly accounts: readonly Account[];
  readonly planning: PlanningConfig;
  readonly schedule: string;
  readonly digests: readonly DigestDefinition[];
  readonly mail: MailConfig;
  readonly http: HttpConfig;
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
};

export type ServiceConfig = {
  readonly baseUrl: string;
  readonly pageLimit: number;
  readonly concurrency: number;
  /** Requests a second over all accounts; null where there is no bound. */
  readonly ratePerSecond: number | null;
  readonly requestTimeoutMs: number;
  readonly retries: number;
  /** Whether `enddate` names the day itself or the day after (service.md 4.2 doesn't say). */
  readonly windowEnd: 'same-day' | 'next-day';
  readonly balance: boolean;
  /** Null: the one field that names a balance. */
  readonly balanceField: string | null;
};

export type PlanningConfig = {
  readonly timeZone: string;
  readonly lookbackDays: number;
  readonly catchUpDays: number;
  readonly digestCatchUp: number;
  /** How long the bodies of answers are kept; null for ever. */
  readonly archiveDays: number | null;
};

export type HttpConfig = {
  readonly host: string;
  /** Null where no server is wanted. */
  readonly port: number | null;
  /** Further names that the server is called by, beside `localhost` and plain addresses. */
  readonly names: readonly string[];
};

export type MailConfig = {
  readonly from: string;
  readonly replyTo: string | null;
  readonly outboxDirectory: string;
  /** How large the CSV of a digest may be, as it is attached. */
  readonly maxAttachmentBytes: number;
  /** Who is told what needs a person; nobody, where it is empty. */
  readonly alertTo: readonly string[];
};
