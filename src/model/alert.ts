import type { ExitCode } from './exit-code.ts';

/** Something that doesn't heal by itself, or that somebody should know of before it does. */
export type ActiveAlert = {
  /** What and where: the same as long as it lasts. */
  readonly key: string;
  /** What happened, in a line. */
  readonly what: string;
  /** Why, and what happens without anybody doing anything. */
  readonly cause: string;
  /** What to type. */
  readonly command: string;
};

/** An active alert as it is sent: `sinceRunDate` where it was active on an earlier run date already. */
export type AlertSince = ActiveAlert & { readonly sinceRunDate: string | null };

/** One line of `doctor`: what was found, and what to do about it. */
export type Finding = {
  readonly area: 'settings' | 'database' | 'mail' | 'service';
  readonly subject: string;
  readonly message: string;
} & (
  | { readonly status: 'ok' }
  | { readonly status: 'warning'; readonly advice: string }
  | { readonly status: 'error'; readonly advice: string; readonly exitCode: ExitCode }
);
