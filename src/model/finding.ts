import type { ErrorCode } from './errors.ts';
import type { ExitCode } from './exit-code.ts';

/** One line of `doctor`: a result, and what to do about it. */
export type Finding = {
  readonly area: 'settings' | 'database' | 'mail' | 'alerts' | 'service';
  readonly subject: string;
  readonly message: string;
} & (
  | { readonly status: 'ok' }
  | { readonly status: 'warning'; readonly advice: string }
  | {
      readonly status: 'error';
      readonly advice: string;
      readonly exitCode: ExitCode;
      /** Of the error that it was; none if it was found without one. */
      readonly code?: ErrorCode;
    }
);
