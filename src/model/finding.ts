import type { ExitCode } from './exit-code.ts';

/** One line of `doctor`: what was found, and what to do about it. */
export type Finding = {
  readonly area: 'settings' | 'database' | 'mail' | 'service';
  readonly subject: string;
  readonly says: string;
} & (
  | { readonly verdict: 'ok' }
  | { readonly verdict: 'warning'; readonly advice: string }
  | { readonly verdict: 'fault'; readonly advice: string; readonly exitCode: ExitCode }
);
